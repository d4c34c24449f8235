//! What commands print on standard output.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// Prints `text` as it is. A reader that has gone away, such as `head`, has seen all that it wanted.
///
/// # Errors
/// Standard output cannot be written to, for instance because the disk is full.
pub fn say(text: impl Display) -> io::Result<()> {
    match write!(io::stdout(), "{text}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
