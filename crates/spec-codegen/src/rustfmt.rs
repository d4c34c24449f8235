//! Formats generated code with the toolchain's rustfmt. This is the only place of the crate that runs a program.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The error when rustfmt cannot format a text.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// There is no such program.
    #[error("there is no `{0}`; install it by `rustup component add rustfmt`")]
    Missing(String),
    /// It is there, but cannot be run.
    #[error("cannot run `{program}`; check its permissions")]
    NotRun {
        /// The program.
        program: String,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
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
    let mut command = command();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| not_run(&command, error))?;
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

/// Formats files in place, and those of the modules that they declare, by one process: it takes longer to begin than to
/// format a file.
///
/// # Errors
///
/// rustfmt cannot be run, or a file is not Rust.
pub fn rustfmt_files(files: &[PathBuf]) -> Result<(), FormatError> {
    let mut command = command();
    command.args(files);
    let output = command.output().map_err(|error| not_run(&command, error))?;
    if output.status.success() {
        Ok(())
    } else {
        let error = String::from_utf8_lossy(&output.stderr);
        Err(FormatError::Rejected(error.trim().to_owned()))
    }
}

/// The error for a program that cannot be started.
fn not_run(command: &Command, source: io::Error) -> FormatError {
    let program = command.get_program().to_string_lossy().into_owned();
    match source.kind() {
        io::ErrorKind::NotFound => FormatError::Missing(program),
        _ => FormatError::NotRun { program, source },
    }
}

/// rustfmt, with the settings of the working directory.
fn command() -> Command {
    let program = std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into());
    let mut command = Command::new(program);
    command.args(["--edition", "2024"]);
    let here = std::env::current_dir().unwrap_or_default();
    let mut settings = here
        .ancestors()
        .flat_map(|folder| ["rustfmt.toml", ".rustfmt.toml"].map(|name| folder.join(name)));
    if let Some(settings) = settings.find(|path| path.is_file()) {
        command.arg("--config-path").arg(settings);
    }
    command
}
