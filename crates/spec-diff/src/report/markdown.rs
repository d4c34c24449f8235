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
        let mut what = format!("{}<br>`{}`", words(&finding.message), finding.id);
        if let Some(instance) = &finding.instance {
            what.push_str("<br>for instance ");
            what.push_str(&code(&instance.value.to_string()));
        }
        if let Some(reason) = &finding.acknowledged {
            what.push_str(&format!("<br>acknowledged: {}", words(reason)));
        } else if let Some(advice) = super::advice(finding) {
            what.push_str(&format!(
                "<br>→ {} (`{}`)",
                words(advice),
                finding.fingerprint
            ));
        }
        let reaches: Vec<String> = finding.operations.iter().map(|label| code(label)).collect();
        let reaches = reaches.join("<br>");
        let place = &finding.revision;
        let file = words(&place.file);
        out.push_str(&format!(
            "| {sign} | {what} | {reaches} | {file}:{} |\n",
            place.line
        ));
    }
    out
}

/// Text that does not end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\r', '\n'], " ")
}

/// Prose, in which only code between backticks is marked up; elsewhere `<` begins no tag.
fn words(text: &str) -> String {
    let parts = cell(text);
    let parts = parts
        .split('`')
        .enumerate()
        .map(|(index, part)| match index % 2 {
            0 => part.replace('<', "&lt;"),
            _ => part.to_owned(),
        });
    parts.collect::<Vec<_>>().join("`")
}

/// Code that may hold backticks itself.
fn code(text: &str) -> String {
    let text = cell(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    match longest {
        0 => format!("{fence}{text}{fence}"),
        _ => format!("{fence} {text} {fence}"),
    }
}
