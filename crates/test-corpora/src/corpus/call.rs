//! Calls every generated operation over HTTP: a program for each document serves samples, calls all operations through
//! the generated client, and compares what was sent with what arrived. `test-echo` has the code that programs share.

mod answers;
mod client;
mod program;
mod server;

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use test_echo::Report;

use super::generated::Generated;

pub use program::{DEPENDENCIES, render};

/// Runs the program of each document that compiles.
///
/// # Errors
/// A program cannot be started.
pub fn run(documents: &mut [Generated], target: &Path) -> anyhow::Result<()> {
    for document in documents.iter_mut() {
        if document.files.is_empty() || !document.rejected.is_empty() {
            continue;
        }
        let program = target.join("debug").join(format!("{}-call", document.name));
        let output = Command::new(&program).output();
        let output = output.with_context(|| format!("{} cannot be run", program.display()))?;
        let report = serde_json::from_slice::<Report>(&output.stdout);
        document.calls = Some(report.map_err(|_| {
            let error = String::from_utf8_lossy(&output.stderr);
            format!("the program ends with {}: {}", output.status, error.trim())
        }));
    }
    Ok(())
}
