//! Output on standard output and standard error, and the formats of findings.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use clap::ValueEnum;

/// The output format of `lint` and `diff`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal.
    Text,
    /// An array of findings.
    Json,
    /// Annotations of GitHub Actions.
    Github,
    /// A part for each operation, for a comment.
    Markdown,
    /// One page with the lines of both documents.
    Html,
    /// JUnit XML.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
}

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
