//! Renders findings as workflow annotations of GitHub Actions.

use super::details::{Instances, describe};
use super::summarize;
use crate::finding::Finding;
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
        let message = describe(finding, &mut instances);
        let (location, rule) = (&finding.revision, finding.id.as_str());
        let position = (location.line, location.column);
        let message = message.trim_end();
        let annotation = annotate(command, &location.file, position, rule, message);
        out.push_str(&annotation);
    }
    out + &summarize(findings) + "\n"
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
