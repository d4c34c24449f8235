//! Workflow annotations of GitHub Actions. What is gone is shown where it would stand in the revision.

use super::summary;
use crate::finding::Finding;
use crate::rules::Level;

/// A workflow command for each finding, and a summary.
pub fn github(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let command = match (finding.level, &finding.acknowledged) {
            (_, Some(_)) | (Level::Info, _) => "notice",
            (Level::Warn, _) => "warning",
            (Level::Error, _) => "error",
        };
        let mut message = finding.message.clone();
        if !finding.operations.is_empty() {
            message.push_str(&format!("\nreaches: {}", finding.operations.join(", ")));
        }
        if let Some(reason) = &finding.acknowledged {
            message.push_str(&format!("\nacknowledged: {reason}"));
        }
        if let Some(advice) = super::advice(finding) {
            message.push_str(&format!(
                "\nhelp: {advice}\nfingerprint: {}",
                finding.fingerprint
            ));
        }
        let place = &finding.revision;
        out.push_str(&format!(
            "::{command} file={},line={},col={},title={}::{}\n",
            property(&place.file),
            place.line,
            place.column,
            property(&finding.id),
            data(&message)
        ));
    }
    out.push_str(&summary(findings));
    out.push('\n');
    out
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
