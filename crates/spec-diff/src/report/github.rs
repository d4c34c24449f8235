//! Renders findings as workflow annotations of GitHub Actions.

use super::summarize;
use crate::finding::Finding;
use crate::rules::Level;

/// Renders a workflow command for each finding, and a summary.
pub fn render_github(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let command = match (finding.level, &finding.acknowledged) {
            (_, Some(_)) | (Level::Info, _) => "notice",
            (Level::Warn, _) => "warning",
            (Level::Error, _) => "error",
        };
        let mut message = finding.message.clone();
        if !finding.operations.is_empty() {
            message.push_str(&format!("\naffects: {}", finding.operations.join(", ")));
        }
        if let Some(reason) = &finding.acknowledged {
            message.push_str(&format!("\nacknowledged: {reason}"));
        }
        if let Some(advice) = finding.advice() {
            message.push_str(&format!(
                "\nhelp: {advice}\nfingerprint: {}",
                finding.fingerprint
            ));
        }
        let location = &finding.revision;
        out.push_str(&format!(
            "::{command} file={},line={},col={},title={}::{}\n",
            escape_property(&location.file),
            location.line,
            location.column,
            escape_property(finding.id.as_str()),
            escape_data(&message)
        ));
    }
    out.push_str(&summarize(findings));
    out.push('\n');
    out
}

fn escape_data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}
