//! A server in a directory of its own, with its panel and its log, started and stopped as an operator would.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::binary::{Process, eventually, petstore, petstore_by};
use crate::process::keys;
use crate::wire::{self, Answer};

/// A running `petstore serve`. Dropped, it is killed.
pub struct Server {
    process: Process,
    pub directory: TempDir,
    pub public: SocketAddr,
    pub panel: SocketAddr,
    /// A key, most often with limits that no test reaches.
    pub key: String,
}

impl Server {
    /// Starts the server on free ports, in an empty directory.
    pub fn start() -> Server {
        Server::start_with(&[])
    }

    /// The same, with further arguments.
    pub fn start_with(arguments: &[&str]) -> Server {
        Server::start_in(TempDir::new().unwrap(), arguments)
    }

    /// The same, in a directory that may hold a database already.
    pub fn start_in(directory: TempDir, arguments: &[&str]) -> Server {
        Server::launch(petstore(), directory, arguments).with_new_key()
    }

    /// The same, with a (soft) limit of open files that it inherits.
    pub fn start_with_file_limit(files: u64) -> Server {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -Sn {files} && exec \"$@\""), "sh"]);
        Server::launch(petstore_by(shell), TempDir::new().unwrap(), &[]).with_new_key()
    }

    /// Starts `command`, which becomes the server; no key is known then.
    pub fn launch(mut command: Command, directory: TempDir, arguments: &[&str]) -> Server {
        command
            .current_dir(directory.path())
            .args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json"])
            .args(arguments);
        let log = directory.path().join("log");
        let mut process = Process::run_logging(&mut command, &log);
        let (public, panel) = (process.address(), process.address());
        Server {
            process,
            directory,
            public,
            panel,
            key: String::new(),
        }
    }

    /// Shows a new key from now on.
    fn with_new_key(mut self) -> Server {
        let plan = ["--plan", "enterprise"];
        let figures = ["--per-minute", "1000000", "--per-day", "10000000"];
        self.key = keys::created(&self.database(), &[&plan[..], &figures].concat());
        self
    }

    /// Shows the key that the server printed, as its database was new.
    pub fn with_first_key(mut self) -> Server {
        let line = self.process.line_beginning("curl -H 'X-API-Key: ");
        let (_, rest) = line.split_once("X-API-Key: ").unwrap();
        self.key = rest.split('\'').next().unwrap().to_owned();
        self
    }

    pub fn database(&self) -> PathBuf {
        self.directory.path().join("petstore.db")
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
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
        let Server { public, key, .. } = self;
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {public}\r\nX-API-Key: {key}\r\n{headers}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    /// Creates a category, and returns the status of the answer.
    pub fn create(&self, name: &str) -> u16 {
        let body = serde_json::json!({ "name": name }).to_string();
        self.send("POST", "/categories", &body).status
    }

    /// The names of all categories, in the order of their ids, which have no gaps.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        loop {
            let target = format!("/categories?limit=100&after={}", names.len());
            let page = self.send("GET", &target, "").json();
            let page = page.as_array().unwrap();
            names.extend(
                page.iter()
                    .map(|it| it["name"].as_str().unwrap().to_owned()),
            );
            if page.len() < 100 {
                return names;
            }
        }
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
        self.process.signal(name);
    }

    /// Stops the server and gives back its directory.
    pub fn stop(self) -> TempDir {
        self.signal("TERM");
        self.finish()
    }

    /// The same, for a server that was told to stop.
    pub fn finish(self) -> TempDir {
        let Server {
            process, directory, ..
        } = self;
        let (status, log) = process.end();
        assert!(status.success(), "the server ended with {status}: {log}");
        directory
    }

    /// Ends the server at once (SIGKILL), and gives back its directory.
    pub fn kill(self) -> TempDir {
        let Server {
            process, directory, ..
        } = self;
        drop(process);
        directory
    }
}

/// Runs a command of the binary to its end.
pub fn run(directory: &Path, arguments: &[&str]) -> Output {
    petstore()
        .current_dir(directory)
        .args(arguments)
        .output()
        .unwrap()
}
