//! What the commands share: how they wait, and what an error says if their result could not be printed.

use std::io::{self, ErrorKind};

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

/// Like [`with_printing_context`]; but a reader that had enough, such as `head`, is no error.
pub(crate) fn allow_closed_reader(printed: io::Result<()>) -> Result<()> {
    match printed {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => with_printing_context(printed),
    }
}
