//! The binary as a process of its own, with a client for it.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use petstore_client::Client;

/// Longer than anything here takes; who waits longer waits in vain.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The binary, undisturbed by the variables of whoever runs the tests.
pub fn petstore() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstore"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PETSTORE_") {
            command.env_remove(name);
        }
    }
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
        Running::of(&mut serve(database))
    }

    /// Runs a command that starts a server.
    pub fn of(command: &mut Command) -> Running {
        let mut process = Process::run(command);
        let line = process.line();
        let Some(address) = line.strip_prefix("petstore listens on http://") else {
            panic!("said {line:?}, and then: {:?}", process.end());
        };
        // The client's own patience is too short for a machine that is busy with other tests.
        let http = reqwest::Client::builder().timeout(PATIENCE);
        let http = http.build().unwrap();
        Running {
            client: Client::new_with_client(&format!("http://{address}"), http),
            address: address.parse().unwrap(),
            process,
        }
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

    /// Waits for the end of the process, and returns how it ended and what it said on standard error.
    pub fn end(self) -> (ExitStatus, String) {
        self.process.end()
    }
}
