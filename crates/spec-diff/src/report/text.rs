//! Renders findings as text for a terminal.

use std::fmt::Write;

use super::{summarize, to_one_line};
use crate::finding::{Finding, Side};

/// Renders a paragraph for each finding, and a summary.
pub fn render_text(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        // Writing to a string cannot fail.
        let _ = write_finding(&mut out, finding);
    }
    if findings.is_empty() {
        return "no findings: the documents have the same meaning\n".to_owned();
    }
    let _ = writeln!(out, "{}", summarize(findings));
    out
}

fn write_finding(out: &mut String, finding: &Finding) -> std::fmt::Result {
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
        let operations = to_one_line(&finding.operations.join(", "));
        writeln!(out, "  affects: {operations}")?;
    }
    if !finding.also.is_empty() {
        let also = finding
            .also
            .iter()
            .map(|c| format!("{} ({})", c.id, c.level.as_str()));
        writeln!(out, "  also: {}", also.collect::<Vec<_>>().join(", "))?;
    }
    if let Some(instance) = &finding.instance {
        let what = match instance.accepted_by {
            Side::Base => "valid before, now rejected",
            Side::Revision => "impossible before, now possible",
        };
        writeln!(out, "  {what}: {}", instance.value)?;
    }
    if let Some(reason) = &finding.acknowledged {
        writeln!(out, "  acknowledged: {}", to_one_line(reason))?;
    } else if let Some(advice) = finding.advice() {
        writeln!(out, "  help: {advice}")?;
        writeln!(out, "  fingerprint: {}", finding.fingerprint)?;
    }
    writeln!(out)
}
