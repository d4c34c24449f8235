//! Findings for a comment on a change.

use super::{level, summary};
use crate::finding::Finding;
use crate::rules::Level;

/// A table, worst first.
pub fn markdown(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "No findings: the documents mean the same.\n".to_owned();
    }
    let mut out = format!("**{}**\n\n", summary(findings));
    out.push_str("| | Finding | Reaches | Where |\n| --- | --- | --- | --- |\n");
    for finding in findings {
        let sign = match (finding.level, &finding.acknowledged) {
            (_, Some(_)) => "✔️ acknowledged".to_owned(),
            (Level::Error, _) => "❌ error".to_owned(),
            (Level::Warn, _) => "⚠️ warn".to_owned(),
            (other, _) => format!("ℹ️ {}", level(other)),
        };
        let mut what = format!("{}<br>`{}`", cell(&finding.message), finding.id);
        if let Some(instance) = &finding.instance {
            what.push_str(&format!(
                "<br>for instance `{}`",
                cell(&instance.value.to_string())
            ));
        }
        if let Some(advice) = super::advice(finding) {
            what.push_str(&format!(
                "<br>→ {} (`{}`)",
                cell(advice),
                finding.fingerprint
            ));
        }
        let reaches = finding.operations.iter().map(|label| format!("`{label}`"));
        let reaches = reaches.collect::<Vec<_>>().join("<br>");
        let place = &finding.revision;
        out.push_str(&format!(
            "| {sign} | {what} | {reaches} | {}:{} |\n",
            place.file, place.line
        ));
    }
    out
}

/// Text that does not end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
