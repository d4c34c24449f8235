//! Renders findings as a Markdown table, for a comment on a change.

use super::summarize;
use crate::finding::Finding;
use crate::rules::Level;

/// Renders a table.
pub fn render_markdown(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "No findings: the documents have the same meaning.\n".to_owned();
    }
    let mut out = format!("**{}**\n\n", summarize(findings));
    out.push_str("| | Finding | Affects | Location |\n| --- | --- | --- | --- |\n");
    for finding in findings {
        let sign = match (finding.level, &finding.acknowledged) {
            (_, Some(_)) => "✔️ acknowledged".to_owned(),
            (Level::Error, _) => "❌ error".to_owned(),
            (Level::Warn, _) => "⚠️ warn".to_owned(),
            (other, _) => format!("ℹ️ {}", other.as_str()),
        };
        let mut what = format!("{}<br>`{}`", escape_prose(&finding.message), finding.id);
        if let Some(instance) = &finding.instance {
            what.push_str("<br>for instance ");
            what.push_str(&format_code(&instance.value.to_string()));
        }
        if let Some(reason) = &finding.acknowledged {
            what.push_str(&format!("<br>acknowledged: {}", escape_prose(reason)));
        } else if let Some(advice) = finding.advice() {
            what.push_str(&format!(
                "<br>→ {} (`{}`)",
                escape_prose(advice),
                finding.fingerprint
            ));
        }
        let operations: Vec<String> = finding
            .operations
            .iter()
            .map(|label| format_code(label))
            .collect();
        let operations = operations.join("<br>");
        let location = &finding.revision;
        let file = escape_prose(&location.file);
        out.push_str(&format!(
            "| {sign} | {what} | {operations} | {file}:{} |\n",
            location.line
        ));
    }
    out
}

/// Escapes what ends a cell.
fn escape_cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\r', '\n'], " ")
}

/// Escapes `<` outside of code between backticks.
fn escape_prose(text: &str) -> String {
    let parts = escape_cell(text);
    let parts = parts
        .split('`')
        .enumerate()
        .map(|(index, part)| match index % 2 {
            0 => part.replace('<', "&lt;"),
            _ => part.to_owned(),
        });
    parts.collect::<Vec<_>>().join("`")
}

/// Formats code that may contain backticks.
fn format_code(text: &str) -> String {
    let text = escape_cell(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    match longest {
        0 => format!("{fence}{text}{fence}"),
        _ => format!("{fence} {text} {fence}"),
    }
}
