//! Renders findings as text for a terminal.

use std::fmt::Write;

use super::exchange::{explain, render_messages};
use super::instances::Instances;
use super::{summarize, to_one_line};
use crate::finding::Finding;
use crate::finding::Proof;

/// Renders a paragraph for each finding, and a summary.
pub fn render_text(findings: &[Finding]) -> String {
    let mut out = String::new();
    let mut instances = Instances::default();
    for finding in findings {
        // Writing to a string cannot fail.
        let _ = write_finding(&mut out, finding, &mut instances);
    }
    if findings.is_empty() {
        return "no findings: the documents have the same meaning\n".to_owned();
    }
    let _ = writeln!(out, "{}", summarize(findings));
    out
}

/// Writes a finding and an empty line.
pub(super) fn write_finding<'f>(
    out: &mut String,
    finding: &'f Finding,
    instances: &mut Instances<'f>,
) -> std::fmt::Result {
    let location = &finding.revision;
    writeln!(
        out,
        "{}:{}:{}: {}: {} [{}]",
        location.file,
        location.line,
        location.column,
        finding.level.as_str(),
        to_one_line(&finding.message),
        finding.id
    )?;
    if !finding.operations.is_empty() {
        let operations = to_one_line(&finding.list_reach().join(", "));
        writeln!(out, "  affects: {operations}")?;
    }
    if !finding.also.is_empty() {
        let also = finding
            .also
            .iter()
            .map(|c| format!("{} ({})", c.id, c.level.as_str()));
        writeln!(out, "  also: {}", also.collect::<Vec<_>>().join(", "))?;
    }
    if let Some(shown) = instances.show(finding) {
        match shown.before {
            Some(before) => writeln!(out, "  {}: the same value as in {before}", shown.what)?,
            None => writeln!(out, "  {}: {}", shown.what, shown.value)?,
        }
    }
    match &finding.proof {
        Some(Proof::Exchange(exchange)) => {
            writeln!(out, "  exchange:")?;
            for line in render_messages(exchange).lines() {
                let line = to_one_line(line);
                let indent = if line.is_empty() { "" } else { "    " };
                writeln!(out, "{indent}{line}")?;
            }
            writeln!(out, "  {}", to_one_line(&explain(exchange)))?;
        }
        Some(Proof::None(reason)) => writeln!(out, "  no exchange: {}", to_one_line(reason))?,
        None => {}
    }
    if let Some(usage) = &finding.usage {
        writeln!(out, "  usage: {}", to_one_line(&usage.summary))?;
    }
    if let Some(reason) = &finding.acknowledged {
        writeln!(out, "  acknowledged: {}", to_one_line(reason))?;
    } else if let Some(advice) = finding.advice() {
        writeln!(out, "  help: {advice}")?;
        writeln!(out, "  fingerprint: {}", finding.fingerprint)?;
    }
    writeln!(out)
}
