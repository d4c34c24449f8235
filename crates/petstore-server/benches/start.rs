//! Measures how long the binary takes from an empty directory to its first response: it creates the database and the
//! first key, listens, and responds to a list of pets.
//!
//! The directory is in the target directory of this package, which must be on a real disk. Use a release build:
//! `cargo bench -p petstore-server --bench start`.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const STARTS: usize = 20;

fn main() {
    let mut times: Vec<Duration> = (0..STARTS).map(|_| measure_start()).collect();
    times.sort();
    println!(
        "from an empty directory to the first response: median {:?}, slowest {:?} of {STARTS} starts",
        times[STARTS / 2],
        times[STARTS - 1]
    );
}

fn measure_start() -> Duration {
    let directory = TempDir::new_in(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
    let begin = Instant::now();
    let mut server = Command::new(env!("CARGO_BIN_EXE_petstore"))
        .current_dir(directory.path())
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--admin-listen",
            "127.0.0.1:0",
        ])
        .args(["--log-level", "error", "--first-key-file", "first-key"])
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
    after("X-API-Key: ");
    let key = std::fs::read_to_string(directory.path().join("first-key")).unwrap();
    let key = key.trim_end();

    let mut stream = TcpStream::connect(&address).unwrap();
    write!(
        stream,
        "GET /pets HTTP/1.1\r\nHost: {address}\r\nX-API-Key: {key}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let time = begin.elapsed();
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    server.kill().unwrap();
    server.wait().unwrap();
    time
}
