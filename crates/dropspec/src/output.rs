//! Output on standard output and standard error, and the formats of findings.

use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use anyhow::Context;
use clap::ValueEnum;

/// The output format of `diff`.
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

/// Replaces the text of a file at once: whoever reads it sees the old text or the new one.
///
/// # Errors
/// The file cannot be written, or its permissions do not allow it.
pub(crate) fn replace_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let replace = || {
        // The file that a link names is replaced, not the link.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let old = fs::metadata(&path).ok().map(|it| it.permissions());
        if old.as_ref().is_some_and(|it| it.readonly()) {
            return Err(ErrorKind::PermissionDenied.into());
        }
        let unfinished = path.with_added_extension("unfinished");
        let written = fs::write(&unfinished, text)
            .and_then(|()| old.map_or(Ok(()), |old| fs::set_permissions(&unfinished, old)))
            .and_then(|()| fs::rename(&unfinished, &path));
        written.inspect_err(|_| {
            let _ = fs::remove_file(&unfinished);
        })
    };
    replace().with_context(|| format!("{} cannot be written", path.display()))
}
