//! Calls every generated operation over HTTP: a program for each document serves samples, calls all operations through
//! the generated client, and compares what was sent with what arrived. The client then calls `mock` of the same document.
//! `test-echo` has the code that programs share.

mod answers;
mod client;
mod program;
mod server;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::Context;
pub use program::{DEPENDENCIES, render};
use test_echo::{Failure, Report};

use super::generated::Generated;

/// Runs the program of each document that compiles, beside a mock of the document.
pub fn run(documents: &mut [Generated], target: &Path) -> anyhow::Result<()> {
    for document in documents.iter_mut() {
        if document.files.is_empty() || !document.rejected.is_empty() {
            continue;
        }
        let mock = Mock::start(&document.path)?;
        let program = target.join("debug").join(format!("{}-call", document.name));
        let output = Command::new(&program).args(&mock.url).output();
        let output = output.with_context(|| format!("{} cannot be run", program.display()))?;
        let report = serde_json::from_slice::<Report>(&output.stdout);
        let mut report = report.map_err(|_| {
            let error = String::from_utf8_lossy(&output.stderr);
            format!("the program ends with {}: {}", output.status, error.trim())
        });
        if let (Ok(report), None) = (&mut report, &mock.url) {
            report.failures.push(Failure {
                operation: "mock".to_owned(),
                reason: "it does not start".to_owned(),
            });
        }
        document.calls = Some(report);
    }
    Ok(())
}

/// `mock` of a document, which runs until this is dropped.
struct Mock {
    process: Child,
    /// `None` if it does not start.
    url: Option<String>,
}

impl Mock {
    fn start(document: &Path) -> anyhow::Result<Mock> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg("mock")
            .arg(document)
            .args(["--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("the mock cannot be run")?;
        let lines = process
            .stdout
            .take()
            .into_iter()
            .flat_map(|it| BufReader::new(it).lines());
        let mut urls = lines.map_while(Result::ok).filter_map(|line| {
            let (_, url) = line.split_once(" operations at ")?;
            Some(url.to_owned())
        });
        let url = urls.next();
        Ok(Mock { process, url })
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
