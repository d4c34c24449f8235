//! `petstore serve` as a process in a directory of its own.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};

use petstore_client::{Client, RetryPolicy};
use serde_json::Value;

use crate::process::{Process, TIMEOUT, petstore, petstore_by, poll_until};
use crate::{Response, Storage, blocking_http};

/// The file with the first key, in the directory of the server.
const FIRST_KEY: &str = "first-key";

/// A running server with its panel and its log. It is killed when it is dropped.
pub struct ServerProcess {
    /// The process.
    pub process: Process,
    /// The working directory, with the file `log`, and the database.
    pub storage: Storage,
    /// The address of the public listener.
    pub public: SocketAddr,
    /// The address of the panel.
    pub panel: SocketAddr,
    /// The API key of the requests. By default, its limits are higher than any test reaches.
    pub key: String,
}

impl ServerProcess {
    /// Starts the server on free ports, with an empty database on the backend of the tests.
    pub fn start() -> ServerProcess {
        ServerProcess::start_with(&[])
    }

    /// Starts the server with further arguments.
    pub fn start_with(arguments: &[&str]) -> ServerProcess {
        ServerProcess::start_in(Storage::new(), arguments)
    }

    /// Starts the server with an empty database in a file, for tests that are about files.
    pub fn start_on_file() -> ServerProcess {
        ServerProcess::start_in(Storage::file(), &[])
    }

    /// Starts the server with a database that may have records.
    pub fn start_in(storage: impl Into<Storage>, arguments: &[&str]) -> ServerProcess {
        ServerProcess::run(petstore(), storage, arguments).with_new_key()
    }

    /// Starts the server with a soft limit of open files.
    pub fn start_with_file_limit(files: u64) -> ServerProcess {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -Sn {files} && exec \"$@\""), "sh"]);
        ServerProcess::run(petstore_by(shell), Storage::file(), &[]).with_new_key()
    }

    /// Runs a command that becomes the server. The server has no key then.
    pub fn run(
        mut command: Command,
        storage: impl Into<Storage>,
        arguments: &[&str],
    ) -> ServerProcess {
        let storage = storage.into();
        storage.set_environment(&mut command);
        command
            // A variable, so that an argument may override it.
            .env("PETSTORE_LOG_FORMAT", "json")
            .env("PETSTORE_FIRST_KEY_FILE", storage.path().join(FIRST_KEY))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments);
        let log = storage.path().join("log");
        let mut process = Process::run_logging(&mut command, &log);
        let (public, panel) = (process.read_address(), process.read_address());
        ServerProcess {
            process,
            storage,
            public,
            panel,
            key: String::new(),
        }
    }

    fn with_new_key(mut self) -> ServerProcess {
        self.key = self.create_limited_key(1_000_000, 10_000_000);
        self
    }

    /// Uses the key that the server creates when its database is new.
    pub fn with_first_key(mut self) -> ServerProcess {
        let key = std::fs::read_to_string(self.storage.path().join(FIRST_KEY));
        self.key = key.unwrap().trim_end().to_owned();
        self
    }

    /// The path of the database, which is a file.
    pub fn database(&self) -> PathBuf {
        self.storage.database_file()
    }

    /// Runs `petstore keys` beside the server, expects success, and returns the JSON.
    pub fn run_keys(&self, arguments: &[&str]) -> Value {
        run_keys(&self.storage, arguments)
    }

    /// Creates an API key with `petstore keys create`, and returns its secret.
    pub fn create_key(&self, arguments: &[&str]) -> String {
        let create = ["create", "--name", "a customer"];
        let issued = self.run_keys(&[&create, arguments].concat());
        issued["key"].as_str().unwrap().to_owned()
    }

    /// Creates an API key with limits of its own, and returns its secret.
    pub fn create_limited_key(&self, per_minute: u64, per_day: u64) -> String {
        let [minute, day] = [per_minute, per_day].map(|it| it.to_string());
        let limits = ["--per-minute", &minute, "--per-day", &day];
        self.create_key(&[&["--plan", "enterprise"][..], &limits].concat())
    }

    /// The generated client with the server's key. It does not retry.
    pub fn client(&self) -> Client {
        self.client_with_key(&self.key)
    }

    /// The generated client with another key.
    pub fn client_with_key(&self, key: &str) -> Client {
        // The default timeout is too short for a machine that is busy with other tests.
        let policy = RetryPolicy {
            attempt_timeout: TIMEOUT,
            ..RetryPolicy::off()
        };
        Client::connect(&format!("http://{}", self.public), key)
            .unwrap()
            .with_retries(policy)
    }

    /// Sends a request with the key, on a connection of its own.
    pub fn send(&self, method: &str, path: &str, body: &str) -> Response {
        self.send_with(method, path, body, "")
    }

    /// Sends a request with the key and further headers, each of which ends in CRLF.
    pub fn send_with(&self, method: &str, path: &str, body: &str, headers: &str) -> Response {
        let headers = format!("Connection: close\r\n{headers}");
        blocking_http::send(
            self.public,
            &self.format_request(method, path, body, &headers),
        )
    }

    /// Sends a request to a server that may be killed meanwhile. `None` without a whole response.
    pub fn try_send(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &str,
    ) -> Option<Response> {
        let headers = format!("Connection: close\r\n{headers}");
        let request = self.format_request(method, path, body, &headers);
        let mut stream = TcpStream::connect(self.public).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        blocking_http::try_read_response(&mut stream)
    }

    /// Sends a GET with another key.
    pub fn get_as(&self, key: &str, path: &str) -> Response {
        let ServerProcess { public, .. } = self;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {public}\r\nX-API-Key: {key}\r\nConnection: close\r\n\r\n"
        );
        blocking_http::send(*public, &request)
    }

    /// The text of a request with the key. Each line of `headers` ends in CRLF.
    pub fn format_request(&self, method: &str, path: &str, body: &str, headers: &str) -> String {
        let ServerProcess { public, key, .. } = self;
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {public}\r\nX-API-Key: {key}\r\n{headers}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    /// Creates a category. Panics unless the response is 201.
    pub fn create_category(&self, name: &str) {
        let body = serde_json::json!({ "name": name }).to_string();
        let created = self.send("POST", "/categories", &body);
        assert_eq!(created.status, 201, "{:?}", created.body);
    }

    /// The names of all categories, in the order of their ids. The ids must have no gaps.
    pub fn category_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        loop {
            let target = format!("/categories?limit=100&after={}", names.len());
            let page: Vec<Value> = self.send("GET", &target, "").json();
            let found = page.iter().map(|it| it["name"].as_str().unwrap());
            names.extend(found.map(str::to_owned));
            if page.len() < 100 {
                return names;
            }
        }
    }

    /// Gets a page of the panel.
    pub fn get_panel(&self, path: &str) -> Response {
        blocking_http::get(self.panel, path)
    }

    /// The value of a sample on the panel's metrics page, named with its labels; `None` if there is no such sample.
    pub fn find_metric(&self, sample: &str) -> Option<u64> {
        let page = self.get_panel("/metrics");
        let mut lines = page.text().lines();
        let value = lines.find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
        value.map(|value| value.parse().unwrap())
    }

    /// The value of a sample that must exist.
    pub fn metric(&self, sample: &str) -> u64 {
        self.find_metric(sample)
            .unwrap_or_else(|| panic!("no sample {sample}"))
    }

    /// Reads the log so far. A line may be incomplete; it is left out.
    pub fn read_log(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.storage.path().join("log")).unwrap();
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// Waits for a line of the log. Lines may be written after the responses that they are about.
    pub fn wait_for_log_line(&self, matches: impl Fn(&Value) -> bool) -> Value {
        poll_until("a line of the log", || {
            self.read_log().into_iter().find(&matches)
        })
    }

    /// Stops the server with SIGTERM, and returns its database.
    pub fn stop(self) -> Storage {
        self.process.signal("TERM");
        self.wait_for_success()
    }

    /// Waits until the server ends without an error, and returns its database.
    pub fn wait_for_success(self) -> Storage {
        let (status, log, storage) = self.wait();
        assert!(status.success(), "the server ended with {status}: {log}");
        storage
    }

    /// Waits until the server ends, and returns its exit status, its log and its database.
    pub fn wait(self) -> (ExitStatus, String, Storage) {
        let (status, log) = self.process.wait();
        (status, log, self.storage)
    }

    /// Kills the server (SIGKILL), waits until it is gone, and returns its database.
    pub fn kill(self) -> Storage {
        drop(self.process);
        self.storage
    }
}

/// Runs a command of the binary in a directory.
pub fn run_petstore(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = petstore();
    command.current_dir(directory).args(arguments);
    command.output().unwrap()
}

/// The line on standard error of a command that failed.
#[track_caller]
pub fn error_line(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(output.stdout, b"", "{output:?}");
    let line = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(
        line.starts_with("error: ") && line.lines().count() == 1,
        "{line}"
    );
    line
}

/// Runs `petstore keys` with `--json`, expects success, and returns the JSON.
pub fn run_keys(storage: &Storage, arguments: &[&str]) -> Value {
    let mut command = petstore();
    storage.set_environment(&mut command);
    command.arg("keys").args(arguments).arg("--json");
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    assert_eq!(stderr, "", "{arguments:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}
