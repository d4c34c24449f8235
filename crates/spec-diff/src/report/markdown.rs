//! Renders findings as Markdown, for a comment on a change: a collapsing part for each operation.

use std::fmt::Write;

use super::exchange::{explain, render_messages};
use super::groups::{Group, group};
use super::instances::Instances;
use super::{NO_FINDINGS, summarize};
use crate::finding::Finding;
use crate::finding::Proof;
use crate::rules::Level;

/// Renders a part for each operation. Those with errors are open.
pub fn render_markdown(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return format!("{NO_FINDINGS}\n");
    }
    let mut out = format!("**{}**\n", summarize(findings));
    let mut instances = Instances::default();
    for group in group(findings) {
        // Writing to a string cannot fail.
        let _ = write_group(&mut out, &group, &mut instances);
    }
    out
}

fn write_group<'f>(
    out: &mut String,
    group: &Group<'f>,
    instances: &mut Instances<'f>,
) -> std::fmt::Result {
    let open = match group.level() {
        Level::Error => " open",
        _ => "",
    };
    let title = match group.operation {
        Some(operation) => format!("<code>{}</code>", escape_html(operation)),
        None => "The whole document".to_owned(),
    };
    let summary = group.summary();
    writeln!(
        out,
        "\n<details{open}>\n<summary>{title}: {summary}</summary>\n"
    )?;
    for finding in &group.findings {
        write_finding(out, group, finding, instances)?;
    }
    writeln!(out, "\n</details>")
}

fn write_finding<'f>(
    out: &mut String,
    group: &Group<'f>,
    finding: &'f Finding,
    instances: &mut Instances<'f>,
) -> std::fmt::Result {
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
    if let Some(shown) = instances.show(finding) {
        match shown.before {
            Some(before) => writeln!(out, "  - {}: the same value as in `{before}`", shown.what)?,
            None => writeln!(out, "  - {}: {}", shown.what, format_code(&shown.value))?,
        }
    }
    let others = group.others(finding);
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|it| format_code(it)).collect();
        writeln!(out, "  - also affects {}", others.join(", "))?;
    }
    match &finding.proof {
        Some(Proof::Exchange(exchange)) => {
            writeln!(out, "  - {}", escape_prose(&explain(exchange)))?;
            let messages = render_messages(exchange);
            let fence = "`".repeat(longest_ticks(&messages).max(2) + 1);
            writeln!(out, "\n    {fence}http")?;
            for line in messages.lines() {
                writeln!(out, "    {line}")?;
            }
            writeln!(out, "    {fence}")?;
        }
        Some(Proof::None(reason)) => writeln!(out, "  - no exchange: {}", escape_prose(reason))?,
        None => {}
    }
    if let Some(usage) = &finding.usage {
        writeln!(out, "  - {}", escape_prose(&usage.summary))?;
    }
    if let Some(reason) = &finding.acknowledged {
        writeln!(out, "  - acknowledged: {}", escape_prose(reason))?;
    } else if let Some(advice) = finding.advice() {
        let fingerprint = &finding.fingerprint;
        writeln!(out, "  - → {} (`{fingerprint}`)", escape_prose(advice))?;
    }
    Ok(())
}

fn to_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

fn escape_html(text: &str) -> String {
    let text = to_line(text).replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

/// Escapes what begins an element, outside of code between backticks: in code, Markdown shows every character as it is. An odd
/// backtick begins no code.
pub fn escape_prose(text: &str) -> String {
    let text = to_line(text);
    if !text.matches('`').count().is_multiple_of(2) {
        return text.replace('<', "&lt;").replace('`', "\\`");
    }
    let parts = text
        .split('`')
        .enumerate()
        .map(|(index, part)| match index % 2 {
            0 => part.replace('<', "&lt;"),
            _ => part.to_owned(),
        });
    parts.collect::<Vec<_>>().join("`")
}

fn longest_ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Formats code that may contain backticks.
fn format_code(text: &str) -> String {
    let text = to_line(text);
    let longest = longest_ticks(&text);
    let fence = "`".repeat(longest + 1);
    match longest {
        0 => format!("{fence}{text}{fence}"),
        _ => format!("{fence} {text} {fence}"),
    }
}
