//! Standard output for what a command returns, and standard error for what is said beside it.

use std::io::{self, Write};

use crate::failure::Failure;
use crate::sanitize::escape_line;

/// Prints lines on standard error that begin with the name of the program.
#[derive(Debug, Clone)]
pub(crate) struct Notes {
    program: String,
}

impl Notes {
    pub(crate) fn new(program: &str) -> Notes {
        Notes {
            program: program.to_owned(),
        }
    }

    /// Prints a line. Ignores that standard error is closed.
    pub(crate) fn print(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{}: {}", self.program, escape_line(text));
    }
}

/// Writes to standard output. Ignores that the reader closed the pipe, as `head` does.
///
/// # Errors
/// It cannot be written.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message = format!("cannot write to standard output: {error}");
            Err(Failure::Usage(message))
        }
        _ => Ok(()),
    }
}
