//! What the commands share: how they wait, and how they report that their result could not be printed.

use std::io;

use anyhow::{Context, Result};

/// Runs a command that waits for a database, to its end.
pub(crate) fn block_on<T>(command: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?
        .block_on(command)
}

/// Converts a failure to print the result of a command that succeeded: the error says that it was carried out.
pub(crate) fn report_stdout_error(printed: io::Result<()>) -> Result<()> {
    printed.context("the command was carried out, but standard output cannot be written to")
}
