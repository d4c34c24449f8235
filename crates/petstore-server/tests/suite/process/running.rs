//! The binary as a process of its own, with a client for it.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use chrono::Utc;
use petstore_api::Plan;
use petstore_client::{Client, RetryPolicy};
use petstore_server::auth::{Access, ApiKey, NewKey, Terms};
use petstore_server::rate_limit::Limits;
use petstore_server::store::{Store, StoreConfig};

/// Longer than anything here takes; who waits longer waits in vain.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The key that the tests use, one that is never used up. It is the same in every database, so that a client knows it
/// after the server was killed.
pub const KEY: &str = "pst_0123456789ABCDEFGHIJKLMNOPQRST4O7hJx";

/// The binary, undisturbed by the variables of whoever runs the tests.
pub fn petstore() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstore"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PETSTORE_") {
            command.env_remove(name);
        }
    }
    // Servers of several tests run at once, and the usual port of the panel is one.
    command.env("PETSTORE_ADMIN_LISTEN", "127.0.0.1:0");
    command
}

/// `petstore serve` on a free port, with this database.
pub fn serve(database: &Path) -> Command {
    let mut command = petstore();
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "error"])
        .arg("--database")
        .arg(database);
    command
}

/// A process with its pipes, whatever it is about to do. It is killed when it is dropped.
pub struct Process {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Process {
    /// Runs a command.
    pub fn run(command: &mut Command) -> Process {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Process { child, stdout }
    }

    /// The next line on standard output, without its end; empty when the process ends without one.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// What else it prints on standard output, until it ends.
    pub fn rest(&mut self) -> String {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        rest
    }

    /// Waits for the end of the process, and returns how it ended and what it said on standard error.
    pub fn end(mut self) -> (ExitStatus, String) {
        let mut stderr = String::new();
        // The pipe closes when the process ends.
        let pipe = self.child.stderr.as_mut().unwrap();
        pipe.read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap(), stderr)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server that listens. It is killed when it is dropped.
pub struct Running {
    pub client: Client,
    pub address: SocketAddr,
    process: Process,
}

impl Running {
    /// Starts a server on a free port, and waits until it says where it listens.
    pub fn start(database: &Path) -> Running {
        Running::of(&mut serve(database), database)
    }

    /// Runs a command that starts a server with this database.
    pub fn of(command: &mut Command, database: &Path) -> Running {
        let mut process = Process::run(command);
        let line = process.line();
        let Some(address) = line.strip_prefix("petstore listens on http://") else {
            panic!("said {line:?}, and then: {:?}", process.end());
        };
        let address: SocketAddr = address.parse().unwrap();
        make_known(database);
        Running {
            client: client(address, KEY),
            address,
            process,
        }
    }

    /// The generated client with another key.
    pub fn client_of(&self, key: &str) -> Client {
        client(self.address, key)
    }

    /// The next line on standard output that begins so, up to the end of what it prints at its start.
    pub fn line_beginning(&mut self, with: &str) -> String {
        const MOST: usize = 10;
        let mut lines = (0..MOST).map(|_| self.process.line());
        let line = lines.find(|line| line.trim_start().starts_with(with));
        line.unwrap_or_else(|| panic!("no line begins with {with:?}"))
            .trim()
            .to_owned()
    }

    /// What else it prints on standard output, until it ends.
    pub fn rest(&mut self) -> String {
        self.process.rest()
    }

    /// Ends the process at once (SIGKILL), and waits until it is gone.
    pub fn kill(self) {
        drop(self.process);
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let id = self.process.child.id().to_string();
        let kill = Command::new("kill").args(["-s", name, &id]).status();
        assert!(kill.unwrap().success());
    }

    /// Sends a signal over and over, until the process has ended.
    pub fn insist(&mut self, name: &str) {
        while self.process.child.try_wait().unwrap().is_none() {
            let id = self.process.child.id().to_string();
            // It may end between the look and the signal.
            let _ = Command::new("kill").args(["-s", name, &id]).output();
        }
    }

    /// Waits for the end of the process, and returns how it ended and what it said on standard error.
    pub fn end(self) -> (ExitStatus, String) {
        self.process.end()
    }
}

fn client(address: SocketAddr, key: &str) -> Client {
    // A test wants to see each answer, and counts what it sends; and the client's own patience is too short for a
    // machine that is busy with other tests.
    let once = RetryPolicy {
        attempt_timeout: PATIENCE,
        ..RetryPolicy::off()
    };
    Client::new(&format!("http://{address}"), key).with_retries(once)
}

/// Puts [`KEY`] into the database, unless an earlier server did.
fn make_known(database: &Path) {
    let store = Store::open_beside_server(&StoreConfig::at(database)).unwrap();
    let key = ApiKey::parse(KEY).unwrap();
    if store.find_key(&key.hash()).unwrap().is_some() {
        return;
    }
    let plenty = Limits {
        per_minute: 1_000_000_000,
        per_day: 1_000_000_000,
    };
    let new = NewKey {
        name: "the tests".to_owned(),
        terms: Terms::new(Plan::Enterprise, Some(plenty)).unwrap(),
        access: Access::Write,
    };
    futures::executor::block_on(store.create_key(new, &key, Utc::now())).unwrap();
}
