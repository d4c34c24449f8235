//! Output on standard output and standard error.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// Prints `text` on standard output. Ignores that the reader closed the pipe, as `head` does.
///
/// # Errors
/// Standard output cannot be written, for instance because the disk is full.
pub fn print(text: impl Display) -> io::Result<()> {
    match write!(io::stdout(), "{text}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Prints a line on standard error. Ignores errors: there is no other place to report them.
pub fn print_error(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
