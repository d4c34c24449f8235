//! Renders findings as Markdown, for a comment on a change: a collapsing part for each operation.

use std::fmt::Write;

use super::details::{Detail, DetailValue};
use super::groups::{Group, group};
use super::{NO_FINDINGS, map_prose, summarize, to_one_line};
use crate::finding::Finding;
use crate::rules::Level;

/// Renders a part for each operation. Those with errors are open.
pub fn render_markdown(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return format!("{NO_FINDINGS}\n");
    }
    let mut out = format!("**{}**\n", summarize(findings));
    for group in group(findings) {
        // Writing to a string cannot fail.
        let _ = write_group(&mut out, group);
    }
    out
}

fn write_group(out: &mut String, group: Group<'_>) -> std::fmt::Result {
    let open = if group.has_error { " open" } else { "" };
    let title = match group.operation {
        Some(operation) => format!("<code>{}</code>", escape_html(operation)),
        None => "The whole document".to_owned(),
    };
    let summary = &group.summary;
    writeln!(
        out,
        "\n<details{open}>\n<summary>{title}: {summary}</summary>\n"
    )?;
    for (finding, details) in group.findings {
        let sign = match (finding.level, &finding.acknowledged) {
            (_, Some(_)) => "✔️ acknowledged",
            (Level::Error, _) => "❌ error",
            (Level::Warn, _) => "⚠️ warn",
            (_, None) => "ℹ️ info",
        };
        let (base, revision) = (&finding.base, &finding.revision);
        writeln!(
            out,
            "- {sign}: {}<br>\n  `{}` at {}:{} (before: {}:{})",
            escape_prose(&finding.message),
            finding.id,
            escape_prose(&revision.file),
            revision.line,
            escape_prose(&base.file),
            base.line,
        )?;
        for Detail { label, value } in details {
            writeln!(out, "  - {label}: {}", format_value(value))?;
        }
    }
    writeln!(out, "\n</details>")
}

fn format_value(value: DetailValue<'_>) -> String {
    match value {
        DetailValue::Prose(text) => escape_prose(&text),
        DetailValue::Code(parts) => {
            let parts: Vec<String> = parts.iter().map(|it| format_code(it)).collect();
            parts.join(", ")
        }
        DetailValue::SameAs(before) => format!(
            "the same value as at {}",
            escape_prose(&before.revision.to_string())
        ),
        DetailValue::Exchange(exchange) => {
            let messages = exchange.messages();
            let fence = "`".repeat(longest_ticks(&messages).max(2) + 1);
            let block = format!("\n{fence}http\n{messages}{fence}").replace('\n', "\n    ");
            format!("{}\n{block}", escape_prose(&exchange.explanation()))
        }
    }
}

fn escape_html(text: &str) -> String {
    let text = to_one_line(text).replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

/// Escapes what begins an element, outside of code between backticks: in code, Markdown shows every character as it is. An odd
/// backtick begins no code.
pub(super) fn escape_prose(text: &str) -> String {
    let text = to_one_line(text);
    let escape = |prose: &str| prose.replace('<', "&lt;");
    map_prose(&text, escape, |code| format!("`{code}`"))
        .unwrap_or_else(|| escape(&text).replace('`', "\\`"))
}

fn longest_ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Formats code that may contain backticks.
fn format_code(text: &str) -> String {
    let text = to_one_line(text);
    let longest = longest_ticks(&text);
    let fence = "`".repeat(longest + 1);
    match longest {
        0 => format!("{fence}{text}{fence}"),
        _ => format!("{fence} {text} {fence}"),
    }
}
