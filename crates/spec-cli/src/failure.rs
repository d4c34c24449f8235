//! Why a command failed, and the exit code.

use crate::sanitize::escape_line;

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
