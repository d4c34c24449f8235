//! The real binary in a directory of its own, started and stopped as an operator would.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::wire::{self, Answer};

/// How long anything may take that is waited for.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running `petstore serve`. Dropped, it is killed.
pub struct Process {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub directory: TempDir,
    pub public: SocketAddr,
    pub panel: SocketAddr,
    /// A key, most often with limits that no test reaches.
    pub key: String,
}

impl Process {
    /// Starts the server on free ports, in an empty directory.
    pub fn start() -> Process {
        Process::start_with(&[])
    }

    /// The same, with further arguments.
    pub fn start_with(arguments: &[&str]) -> Process {
        Process::start_in(TempDir::new().unwrap(), arguments)
    }

    /// The same, in a directory that may hold a database already.
    pub fn start_in(directory: TempDir, arguments: &[&str]) -> Process {
        Process::launch(petstore(directory.path()), directory, arguments).with_new_key()
    }

    /// The same, with a (soft) limit of open files that it inherits.
    pub fn start_with_file_limit(files: u64) -> Process {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -Sn {files} && exec \"$@\""), "sh"]);
        command.arg(env!("CARGO_BIN_EXE_petstore"));
        Process::launch(command, TempDir::new().unwrap(), &[]).with_new_key()
    }

    /// Starts `command`, which becomes the server; no key is known then.
    pub fn launch(mut command: Command, directory: TempDir, arguments: &[&str]) -> Process {
        command
            .current_dir(directory.path())
            .env_remove("PETSTORE_DATABASE")
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(["--admin-listen", "127.0.0.1:0", "--log-format", "json"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(File::create(directory.path().join("log")).unwrap());
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut next_address = || {
            address_in(&mut stdout).unwrap_or_else(|| {
                let log = std::fs::read_to_string(directory.path().join("log"));
                panic!("the server ended before it listened: {}", log.unwrap())
            })
        };
        let (public, panel) = (next_address(), next_address());
        Process {
            child,
            stdout,
            directory,
            public,
            panel,
            key: String::new(),
        }
    }

    /// Shows a new key from now on.
    fn with_new_key(mut self) -> Process {
        self.key = create_key(self.directory.path());
        self
    }

    /// Shows the key that the server printed, as its database was new.
    pub fn with_first_key(mut self) -> Process {
        let mut line = String::new();
        while !line.contains("X-API-Key: ") {
            line.clear();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0);
        }
        let (_, rest) = line.split_once("X-API-Key: ").unwrap();
        self.key = rest.split('\'').next().unwrap().to_owned();
        self
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// One request of the public listener with the key, on a connection of its own.
    pub fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        wire::send(
            self.public,
            &self.request(method, path, body, "Connection: close\r\n"),
        )
    }

    /// A request as it stands on the wire. `headers` end in CRLF each.
    pub fn request(&self, method: &str, path: &str, body: &str, headers: &str) -> String {
        let Process { public, key, .. } = self;
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {public}\r\nX-API-Key: {key}\r\n{headers}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    /// A page of the panel.
    pub fn panel(&self, path: &str) -> Answer {
        wire::get(self.panel, path)
    }

    /// The lines of the log so far.
    pub fn log(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.directory.path().join("log")).unwrap();
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// Waits for a line of the log: it is written behind the answers.
    pub fn log_line(&self, matches: impl Fn(&Value) -> bool) -> Value {
        eventually("a line of the log", || {
            self.log().into_iter().find(&matches)
        })
    }

    /// Sends a signal, by its name.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args(["-s", name, &self.pid().to_string()])
            .status();
        assert!(status.unwrap().success());
    }

    /// Stops the server and gives back its directory.
    pub fn stop(self) -> TempDir {
        self.signal("TERM");
        self.finish()
    }

    /// The same, for a server that was told to stop.
    pub fn finish(mut self) -> TempDir {
        let status = self.child.wait().unwrap();
        let log = std::fs::read_to_string(self.directory.path().join("log")).unwrap();
        assert!(status.success(), "the server ended with {status}: {log}");
        std::mem::replace(&mut self.directory, TempDir::new().unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The binary, ready to be run in a directory.
pub fn petstore(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstore"));
    command
        .current_dir(directory)
        .env_remove("PETSTORE_DATABASE");
    command
}

/// Runs a command of the binary to its end.
pub fn run(directory: &Path, arguments: &[&str]) -> Output {
    petstore(directory).args(arguments).output().unwrap()
}

/// Asks until there is an answer. Nothing depends on the length of the pause; it leaves the processor to the server.
pub fn eventually<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

fn create_key(directory: &Path) -> String {
    let plan = ["--per-minute", "1000000", "--per-day", "10000000", "--json"];
    let create = ["keys", "create", "--name", "test", "--plan", "enterprise"];
    let output = run(directory, &[&create[..], &plan[..]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["key"].as_str().unwrap().to_owned()
}

/// The address in the next line that names one, or `None` if there is no such line.
fn address_in(stdout: &mut impl BufRead) -> Option<SocketAddr> {
    loop {
        let mut line = String::new();
        if stdout.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        let address = line
            .split("://")
            .nth(1)
            .and_then(|rest| rest.trim().split('/').next()?.parse().ok());
        if address.is_some() {
            return address;
        }
    }
}
