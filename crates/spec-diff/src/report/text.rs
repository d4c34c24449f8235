//! Findings for a terminal.

use std::fmt::Write;

use super::{advice, level, summary};
use crate::finding::{Finding, Side};

/// A paragraph for each finding, and a summary.
pub fn text(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        // Writing to a string cannot fail.
        let _ = paragraph(&mut out, finding);
    }
    if findings.is_empty() {
        return "no findings: the documents mean the same\n".to_owned();
    }
    let _ = writeln!(out, "{}", summary(findings));
    out
}

fn paragraph(out: &mut String, finding: &Finding) -> std::fmt::Result {
    let place = &finding.revision;
    writeln!(
        out,
        "{}:{}:{}: {}: {} [{}]",
        place.file,
        place.line,
        place.column,
        level(finding.level),
        super::one_line(&finding.message),
        finding.id
    )?;
    if !finding.operations.is_empty() {
        let reaches = super::one_line(&finding.operations.join(", "));
        writeln!(out, "  reaches: {reaches}")?;
    }
    if !finding.also.is_empty() {
        let also = finding
            .also
            .iter()
            .map(|c| format!("{} ({})", c.id, level(c.level)));
        writeln!(out, "  also: {}", also.collect::<Vec<_>>().join(", "))?;
    }
    if let Some(instance) = &finding.instance {
        let shows = match instance.accepted_by {
            Side::Base => "taken before, refused now",
            Side::Revision => "impossible before, possible now",
        };
        writeln!(out, "  {shows}: {}", instance.value)?;
    }
    if let Some(reason) = &finding.acknowledged {
        writeln!(out, "  acknowledged: {}", super::one_line(reason))?;
    } else if let Some(advice) = advice(finding) {
        writeln!(out, "  help: {advice}")?;
        writeln!(out, "  fingerprint: {}", finding.fingerprint)?;
    }
    writeln!(out)
}
