//! Standard output for what a command returns, standard error for what is said beside it, and the exit code.

use std::io::{self, Write};

use crate::sanitize::escape_line;

/// Prints a line on standard error that is no error. Ignores that it is closed.
pub(crate) fn note(text: &str) {
    print_line(&format!("note: {text}"));
}

/// Prints a line on standard error as it is, but for characters that control a terminal. Ignores that it is closed.
pub(crate) fn print_line(text: &str) {
    let _ = writeln!(io::stderr(), "{}", escape_line(text));
}

/// Writes to standard output. Ignores that the reader closed the pipe, as `head` does.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    print_if_read(bytes).map(drop)
}

/// Writes to standard output, and returns whether it has a reader.
pub(crate) fn print_if_read(bytes: &[u8]) -> Result<bool, Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::Usage(format!(
            "cannot write to standard output: {error}"
        ))),
    }
}

/// Why a command failed. Displayed in one line.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The service returned an error. Exit code 1.
    #[error("{}", escape_line(.0))]
    Service(String),
    /// The command cannot work as it is: an argument, a file, the credentials or the URL. Exit code 2.
    #[error("{}", escape_line(.0))]
    Usage(String),
    /// There was no response, or it could not be read. Exit code 3.
    #[error("{}", escape_line(.0))]
    NoResponse(String),
}

impl Failure {
    /// The exit code of the process.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Service(_) => 1,
            Failure::Usage(_) => 2,
            Failure::NoResponse(_) => 3,
        }
    }
}
