//! What the commands share: how they wait, and what an error says if their result could not be printed.

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

/// Adds to an error of printing that the command itself was carried out.
pub(crate) fn with_printing_context(printed: io::Result<()>) -> Result<()> {
    printed.context("the command was carried out, but standard output cannot be written to")
}
