//! The binary as a process, whatever it is run for.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Longer than anything here takes; who waits longer waits in vain.
pub const PATIENCE: Duration = Duration::from_secs(60);

const BINARY: &str = env!("CARGO_BIN_EXE_petstore");

/// The binary, undisturbed by the variables of whoever runs the tests.
pub fn petstore() -> Command {
    undisturbed(Command::new(BINARY))
}

/// The same, by way of a program that becomes what its last arguments say.
pub fn petstore_by(mut program: Command) -> Command {
    program.arg(BINARY);
    undisturbed(program)
}

fn undisturbed(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PETSTORE_") {
            command.env_remove(name);
        }
    }
    // Servers of several tests run at once, and the usual port of the panel is one.
    command.env("PETSTORE_ADMIN_LISTEN", "127.0.0.1:0");
    command
}

/// A process with its pipes. It is killed when it is dropped.
pub struct Process {
    child: Child,
    stdout: BufReader<ChildStdout>,
    log: Option<PathBuf>,
}

impl Process {
    /// Runs a command.
    pub fn run(command: &mut Command) -> Process {
        Process::spawn(command.stderr(Stdio::piped()), None)
    }

    /// Runs a command whose standard error goes to a file.
    pub fn run_logging(command: &mut Command, log: &Path) -> Process {
        let file = File::create(log).unwrap();
        Process::spawn(command.stderr(file), Some(log.to_owned()))
    }

    fn spawn(command: &mut Command, log: Option<PathBuf>) -> Process {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Process { child, stdout, log }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The next line on standard output, without its end; empty when the process ends without one.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The address in the next line, which names one.
    pub fn address(&mut self) -> SocketAddr {
        let line = self.line();
        let address = line
            .split("://")
            .nth(1)
            .and_then(|rest| rest.split('/').next()?.parse().ok());
        address.unwrap_or_else(|| {
            // It may have ended already.
            let _ = self.child.kill();
            panic!("no address in {line:?}: {}", self.last_words())
        })
    }

    /// The next line on standard output that begins so, up to the end of what a server prints at its start.
    pub fn line_beginning(&mut self, with: &str) -> String {
        const MOST: usize = 10;
        let mut lines = (0..MOST).map(|_| self.line());
        let line = lines.find(|line| line.trim_start().starts_with(with));
        line.unwrap_or_else(|| panic!("no line begins with {with:?}"))
            .trim()
            .to_owned()
    }

    /// What else it prints on standard output, until it ends.
    pub fn rest(&mut self) -> String {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        rest
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        assert!(self.try_signal(name), "it has ended");
    }

    /// Sends a signal over and over, until the process has ended.
    pub fn insist(&mut self, name: &str) {
        while self.child.try_wait().unwrap().is_none() {
            // It may end between the look and the signal.
            self.try_signal(name);
        }
    }

    /// Waits for the end of the process, and returns how it ended and what it said on standard error.
    pub fn end(mut self) -> (ExitStatus, String) {
        let said = self.last_words();
        (self.child.wait().unwrap(), said)
    }

    fn try_signal(&self, name: &str) -> bool {
        let id = self.id().to_string();
        let kill = Command::new("kill").args(["-s", name, &id]).output();
        kill.unwrap().status.success()
    }

    fn last_words(&mut self) -> String {
        if let Some(log) = &self.log {
            self.child.wait().unwrap();
            return fs::read_to_string(log).unwrap();
        }
        let mut said = String::new();
        // The pipe closes when the process ends.
        let pipe = self.child.stderr.as_mut().unwrap();
        pipe.read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
