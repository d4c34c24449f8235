//! Formats generated code with the toolchain's rustfmt. This is the only place of the crate that runs a program.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The error when rustfmt cannot format a text.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// There is no such program, or it cannot be run.
    #[error("{message}")]
    NotRun {
        /// What is wrong with the program, and what to do.
        message: String,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
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
    let output = run(&[], text)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Formats files in place, and those of the modules that they declare, by one process: it takes longer to begin than to
/// format a file.
///
/// # Errors
///
/// rustfmt cannot be run, or a file is not Rust.
pub fn rustfmt_files(files: &[PathBuf]) -> Result<(), FormatError> {
    run(files, "").map(drop)
}

/// Runs rustfmt for files, or without any for a text, with the settings of the working directory.
fn run(files: &[PathBuf], text: &str) -> Result<Output, FormatError> {
    let program = std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into());
    let mut command = Command::new(&program);
    command.args(["--edition", "2024"]);
    let here = std::env::current_dir().unwrap_or_default();
    let mut settings = here
        .ancestors()
        .flat_map(|folder| ["rustfmt.toml", ".rustfmt.toml"].map(|name| folder.join(name)));
    if let Some(settings) = settings.find(|path| path.is_file()) {
        command.arg("--config-path").arg(settings);
    }
    command.args(files).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = command.spawn().and_then(|mut child| {
        // rustfmt reads all of its input before it writes, so that no pipe fills up.
        let written = child
            .stdin
            .take()
            .map(|mut input| input.write_all(text.as_bytes()));
        let output = child.wait_with_output()?;
        match written {
            Some(Err(error)) if output.status.success() => Err(error),
            _ => Ok(output),
        }
    });
    let output = output.map_err(|source| {
        let program = program.to_string_lossy();
        let message = match source.kind() {
            io::ErrorKind::NotFound => {
                format!("there is no `{program}`; install it by `rustup component add rustfmt`")
            }
            _ => format!("cannot run `{program}`; check its permissions"),
        };
        FormatError::NotRun { message, source }
    })?;
    if output.status.success() {
        Ok(output)
    } else {
        let error = String::from_utf8_lossy(&output.stderr);
        Err(FormatError::Rejected(error.trim().to_owned()))
    }
}
