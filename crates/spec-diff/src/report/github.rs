//! Renders findings as workflow annotations of GitHub Actions.

use super::exchange::{explain, render_messages};
use super::instances::Instances;
use super::summarize;
use crate::finding::Finding;
use crate::finding::Proof;
use crate::rules::Level;

/// Renders a workflow command for each finding, and a summary.
pub fn render_github(findings: &[Finding]) -> String {
    let mut out = String::new();
    let mut instances = Instances::default();
    for finding in findings {
        let command = match (finding.level, &finding.acknowledged) {
            (_, Some(_)) | (Level::Info, _) => "notice",
            (Level::Warn, _) => "warning",
            (Level::Error, _) => "error",
        };
        let mut message = finding.message.clone();
        if !finding.operations.is_empty() {
            message.push_str(&format!("\naffects: {}", finding.list_reach().join(", ")));
        }
        if let Some(shown) = instances.show(finding) {
            match shown.before {
                Some(before) => {
                    message.push_str(&format!("\n{}: the same value as in {before}", shown.what));
                }
                None => message.push_str(&format!("\n{}: {}", shown.what, shown.value)),
            }
        }
        if let Some(Proof::Exchange(exchange)) = &finding.proof {
            let messages = render_messages(exchange);
            message.push_str(&format!("\n\n{messages}\n{}\n", explain(exchange)));
        }
        if let Some(usage) = &finding.usage {
            message.push_str(&format!("\nusage: {}", usage.summary));
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
        let position = (location.line, location.column);
        let title = finding.id.as_str();
        out.push_str(&annotate(
            command,
            &location.file,
            position,
            title,
            &message,
        ));
    }
    out.push_str(&summarize(findings));
    out.push('\n');
    out
}

/// The line of a workflow annotation: a `command` such as `warning`, and the file with line and column that it is about.
pub fn annotate(
    command: &str,
    file: &str,
    (line, column): (u32, u32),
    title: &str,
    message: &str,
) -> String {
    format!(
        "::{command} file={},line={line},col={column},title={}::{}\n",
        escape_property(file),
        escape_property(title),
        escape_data(message)
    )
}

fn escape_data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}
