//! Renders findings as text for a terminal.

use super::details::Instances;
use super::{summarize, to_one_line};
use crate::finding::Finding;
use crate::rules::Bump;
use crate::version::find_bump;

/// Renders a paragraph for each finding, and a summary with the version that they require.
pub fn render_text(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "no findings: the documents have the same meaning\n".to_owned();
    }
    let mut instances = Instances::default();
    let paragraphs = findings
        .iter()
        .map(|finding| to_paragraph(finding, &mut instances) + "\n");
    let version = match find_bump(findings) {
        Bump::Major => "; a major version is required",
        Bump::Minor => "; a minor version is required",
        Bump::Patch => "; a patch version is required",
        Bump::None => "",
    };
    paragraphs.collect::<String>() + &summarize(findings) + version + "\n"
}

/// The lines of a finding.
pub(super) fn to_paragraph<'f>(finding: &'f Finding, instances: &mut Instances<'f>) -> String {
    let mut out = format!(
        "{}: {}: {} [{}]\n",
        finding.revision,
        finding.level.as_str(),
        to_one_line(&finding.message),
        finding.id
    );
    for detail in instances.describe(finding, None) {
        for line in detail.to_string().lines() {
            let indent = if line.is_empty() { "" } else { "  " };
            out.push_str(&format!("{indent}{line}\n"));
        }
    }
    out
}
