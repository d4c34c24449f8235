//! The program of a service as a process, for tests of the service from outside.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use tempfile::TempDir;

/// A process in an empty folder of its own. When this is dropped, the process is killed and the folder is removed.
#[derive(Debug)]
pub struct TestProcess {
    child: Child,
    line: String,
    folder: TempDir,
    // Kept open: a process that prints to a closed pipe may end.
    _output: Lines<BufReader<ChildStdout>>,
}

impl TestProcess {
    /// Starts a service on free ports of this machine, and waits until it listens. `command` is its program with `serve` and
    /// whatever else: `Command::new(env!("CARGO_BIN_EXE_books")).arg("serve")`. Without other options its database is a new file
    /// in the folder.
    ///
    /// # Errors
    ///
    /// The program cannot be run, or ends before; the error has what it wrote to standard error.
    pub fn serve(command: &mut Command) -> io::Result<TestProcess> {
        command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        TestProcess::start(command, " listens on ")
    }

    /// Starts any program, and waits until it prints a line that contains `mark`.
    ///
    /// # Errors
    ///
    /// As for [`serve`](TestProcess::serve). Its kind is [`NotFound`](io::ErrorKind::NotFound) if there is no such program.
    pub fn start(command: &mut Command, mark: &str) -> io::Result<TestProcess> {
        let folder = tempfile::tempdir()?;
        let log = folder.path().join("standard-error");
        command.current_dir(&folder).stdout(Stdio::piped());
        let mut child = command.stderr(File::create(&log)?).spawn()?;
        let mut output =
            BufReader::new(child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?).lines();
        let line = output.find_map(|line| line.ok().filter(|it| it.contains(mark)));
        let process = TestProcess {
            child,
            line: line.unwrap_or_default(),
            folder,
            _output: output,
        };
        if process.line.is_empty() {
            let said = fs::read_to_string(log)?;
            return Err(io::Error::other(format!(
                "it ended without a line with `{mark}`: {said}"
            )));
        }
        Ok(process)
    }

    /// The URL of the service.
    pub fn url(&self) -> &str {
        self.line.rsplit(' ').next().unwrap_or_default()
    }

    /// The folder in which it runs. The file `standard-error` has what it wrote there, such as the log of a service.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for TestProcess {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_has_what_the_process_wrote() {
        let mut shell = Command::new("sh");
        let error = TestProcess::serve(shell.args(["-c", "echo 'the port is taken' >&2"]));
        assert!(error.unwrap_err().to_string().contains("the port is taken"));
        let error = TestProcess::start(&mut Command::new("no-such-program"), "");
        assert_eq!(error.unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn url_is_the_end_of_the_line() {
        let mut shell = Command::new("sh");
        let script = "echo; echo \"books listens on http://127.0.0.1:1\"; sleep 600";
        let process = TestProcess::serve(shell.args(["-c", script])).unwrap();
        assert_eq!(process.url(), "http://127.0.0.1:1");
        assert!(process.folder().join("standard-error").is_file());
    }
}
