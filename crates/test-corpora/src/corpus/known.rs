//! The failures of calls that are known, each with its reason: `known_failures.json`.

use anyhow::Context;
use serde::Deserialize;
use test_echo::Failure;

use super::generated::Generated;

/// An operation whose calls fail for a known reason.
#[derive(Deserialize)]
struct KnownFailure {
    /// The name of the file of the document.
    document: String,
    /// Method and path.
    operation: String,
    /// What the failures of the operation begin with.
    failure: String,
    /// Whether no valid request is found, so that the operation is never called.
    #[serde(default)]
    uncallable: bool,
    /// Why it fails, and stays so.
    #[serde(rename = "reason")]
    _reason: String,
}

/// Takes the known failures out of the reports, and counts them. One that is listed and does not happen is a failure.
pub fn take_known(documents: &mut [Generated]) -> anyhow::Result<()> {
    let known: Vec<KnownFailure> = serde_json::from_str(include_str!("known_failures.json"))
        .context("known_failures.json cannot be read")?;
    for document in documents {
        let Some(Ok(report)) = &mut document.calls else {
            continue;
        };
        let name = document.path.file_name().unwrap_or_default();
        for known in known.iter().filter(|it| name == it.document.as_str()) {
            let before = report.failures.len();
            report.failures.retain(|it| {
                it.operation != known.operation || !it.reason.starts_with(&known.failure)
            });
            let taken = before - report.failures.len();
            document.listed += taken;
            document.uncallable += usize::from(known.uncallable && taken > 0);
            if taken == 0 {
                report.failures.push(Failure {
                    operation: known.operation.clone(),
                    reason: format!(
                        "known_failures.json lists `{}`, which does not happen; remove it there",
                        known.failure
                    ),
                });
            }
        }
    }
    Ok(())
}
