//! How long the binary takes from an empty folder to its first answered request: it makes the database, its schema and
//! the first key, listens, and is asked for the pets with that key.
//!
//! The figure means something in a release build, with the folder on a real disk: it is made below this package's
//! target directory. `cargo bench -p petstore-server --bench start`.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const STARTS: usize = 20;

fn main() {
    let mut times: Vec<Duration> = (0..STARTS).map(|_| start()).collect();
    times.sort();
    println!(
        "from an empty folder to the first answer: median {:?}, slowest {:?} of {STARTS} starts",
        times[STARTS / 2],
        times[STARTS - 1]
    );
}

fn start() -> Duration {
    let folder = TempDir::new_in(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
    let begin = Instant::now();
    let mut server = Command::new(env!("CARGO_BIN_EXE_petstore"))
        .current_dir(folder.path())
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--admin-listen",
            "127.0.0.1:0",
        ])
        .args(["--log-level", "error"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut after = |text: &str| {
        let line = lines.find(|line| line.as_ref().unwrap().contains(text));
        let line = line.unwrap().unwrap();
        line.split_once(text).unwrap().1.to_owned()
    };
    let address = after("listens on http://");
    let key = after("X-API-Key: ");
    let (key, _) = key.split_once('\'').unwrap();

    let mut stream = TcpStream::connect(&address).unwrap();
    write!(
        stream,
        "GET /pets HTTP/1.1\r\nHost: {address}\r\nX-API-Key: {key}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let time = begin.elapsed();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    server.kill().unwrap();
    server.wait().unwrap();
    time
}
