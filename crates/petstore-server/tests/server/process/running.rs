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

/// A server that listens. It is killed when it is dropped.
pub struct Running {
    pub client: Client,
    pub address: SocketAddr,
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    /// Starts a server on a free port, and waits until it says where it listens.
    pub fn start(database: &Path) -> Running {
        Running::of(&mut serve(database))
    }

    /// Runs a command that starts a server.
    pub fn of(command: &mut Command) -> Running {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let Some(url) = line.strip_prefix("petstore listens on http://") else {
            let mut stderr = String::new();
            let pipe = child.stderr.as_mut().unwrap();
            pipe.read_to_string(&mut stderr).unwrap();
            panic!("said {line:?} and {stderr:?}");
        };
        let address: SocketAddr = url.trim_end().parse().unwrap();
        Running {
            client: Client::new(&format!("http://{address}")),
            address,
            child,
            stdout,
        }
    }

    /// Ends the process at once (SIGKILL), and waits until it is gone.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let kill = Command::new("kill")
            .args(["-s", name, &self.child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
    }

    /// Waits for the end of the process, and returns how it ended and what it said on the way: on standard output
    /// after the first line, and on standard error.
    pub fn end(mut self) -> (ExitStatus, String, String) {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        // Both pipes close when the process ends.
        self.stdout.read_to_string(&mut stdout).unwrap();
        let pipe = self.child.stderr.as_mut().unwrap();
        pipe.read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap(), stdout, stderr)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
