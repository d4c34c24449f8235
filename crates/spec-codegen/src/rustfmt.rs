//! Formats generated code with the toolchain's rustfmt. This is the only place of the crate that runs a program.

use std::io::{self, Write};
use std::process::{Command, Stdio};

/// The error when rustfmt cannot format a text.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// It cannot be run.
    #[error("cannot run rustfmt; install it by `rustup component add rustfmt`")]
    Missing(#[source] io::Error),
    /// It does not read its input or does not write its output.
    #[error("rustfmt broke off")]
    Pipe(#[source] io::Error),
    /// It does not accept the text.
    #[error("rustfmt rejects the generated code: {0}")]
    Rejected(String),
}

/// Formats a text with the rustfmt on `PATH`, or the one that the environment variable `RUSTFMT` names.
///
/// # Errors
///
/// rustfmt cannot be run, or the text is not Rust.
pub fn rustfmt(text: &str) -> Result<String, FormatError> {
    let program = std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into());
    let mut child = Command::new(program)
        .args(["--edition", "2024"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(FormatError::Missing)?;
    // rustfmt reads all of its input before it writes, so that no pipe fills up.
    let written = child
        .stdin
        .take()
        .map(|mut input| input.write_all(text.as_bytes()));
    let output = child.wait_with_output().map_err(FormatError::Pipe)?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(FormatError::Rejected(error.trim().to_owned()));
    }
    written.unwrap_or(Ok(())).map_err(FormatError::Pipe)?;
    String::from_utf8(output.stdout).map_err(|error| FormatError::Rejected(error.to_string()))
}
