//! The binary `petstore` as a process, for any of its commands.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Maximum time that a test waits for a server or a process before it fails. Nothing takes as long.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// A command that runs the binary, without the `PETSTORE_` variables of this process.
///
/// Cargo builds the binary for the integration tests of `petstore-server`; use it only there.
pub fn petstore() -> Command {
    without_settings(Command::new(binary()))
}

/// A command of another program that runs the binary, which becomes the last argument of `program`.
pub fn petstore_by(mut program: Command) -> Command {
    program.arg(binary());
    without_settings(program)
}

/// The path of the binary. Cargo builds it beside the folder of the test binaries.
fn binary() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().join("petstore")
}

fn without_settings(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PETSTORE_") {
            command.env_remove(name);
        }
    }
    // Servers of several tests run at the same time, and the default port of the panel is fixed.
    command.env("PETSTORE_ADMIN_LISTEN", "127.0.0.1:0");
    command
}

/// A running process. It is killed when it is dropped.
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

    /// Runs a command, with its standard error written to a file.
    pub fn run_logging(command: &mut Command, log: &Path) -> Process {
        let file = File::create(log).unwrap();
        Process::spawn(command.stderr(file), Some(log.to_owned()))
    }

    fn spawn(command: &mut Command, log: Option<PathBuf>) -> Process {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Process { child, stdout, log }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Reads a line of standard output, without its end; empty when the process has ended.
    pub fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Reads a line with a URL, and returns the URL's address.
    pub fn read_address(&mut self) -> SocketAddr {
        let line = self.read_line();
        let address = line
            .split("://")
            .nth(1)
            .and_then(|rest| rest.split('/').next()?.parse().ok());
        address.unwrap_or_else(|| {
            // It may have ended already.
            let _ = self.child.kill();
            panic!("no address in {line:?}: {}", self.read_stderr())
        })
    }

    /// Reads lines up to the first one with this prefix, and returns it without indentation. Panics when there is none
    /// among the lines that a server prints at its start.
    pub fn read_line_with_prefix(&mut self, prefix: &str) -> String {
        const MAX_LINES: usize = 10;
        let mut lines = (0..MAX_LINES).map(|_| self.read_line());
        let line = lines.find(|line| line.trim_start().starts_with(prefix));
        line.unwrap_or_else(|| panic!("no line begins with {prefix:?}"))
            .trim()
            .to_owned()
    }

    /// Reads the rest of standard output, until the process ends.
    pub fn read_rest(&mut self) -> String {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        rest
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        assert!(self.try_signal(name), "the process has ended");
    }

    /// Sends a signal repeatedly until the process ends.
    pub fn signal_until_end(&mut self, name: &str) {
        while self.child.try_wait().unwrap().is_none() {
            // It may end before the signal is sent.
            self.try_signal(name);
        }
    }

    /// Waits until the process ends, and returns its exit status and its standard error.
    pub fn wait(mut self) -> (ExitStatus, String) {
        let stderr = self.read_stderr();
        (self.child.wait().unwrap(), stderr)
    }

    /// Waits until the process ends, without reading its standard error.
    pub fn wait_unread(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    fn try_signal(&self, name: &str) -> bool {
        let id = self.id().to_string();
        let kill = Command::new("kill").args(["-s", name, &id]).output();
        kill.unwrap().status.success()
    }

    fn read_stderr(&mut self) -> String {
        if let Some(log) = &self.log {
            self.child.wait().unwrap();
            return fs::read_to_string(log).unwrap();
        }
        let mut text = String::new();
        // The pipe closes when the process ends.
        let pipe = self.child.stderr.as_mut().unwrap();
        pipe.read_to_string(&mut text).unwrap();
        text
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for the next minute if less than five seconds are left of this one, as limits begin anew then.
pub fn stay_in_minute() {
    poll_until("the next minute", || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        (now.as_secs() % 60 < 55).then_some(())
    });
}

/// Calls `check` until it returns a value. Panics after [`TIMEOUT`]. The pause only leaves the processor to the server.
pub fn poll_until<T>(condition: &str, mut check: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = check() {
            return value;
        }
        assert!(
            start.elapsed() < TIMEOUT,
            "not within a minute: {condition}"
        );
        std::thread::park_timeout(Duration::from_millis(10));
    }
}
