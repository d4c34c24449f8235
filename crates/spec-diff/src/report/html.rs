//! Renders findings as one HTML page: a part for each operation, with the lines of both documents beside each finding.

use super::details::{Detail, DetailValue};
use super::escape_xml as escape;
use super::groups::group;
use super::page::{Head, Page};
use super::summarize;
use crate::finding::Finding;

/// Renders a part for each operation. Without findings, the page says `nothing`. `read` returns the text of a file by its name
/// in the locations, if it can be read.
pub fn render_html(
    findings: &[Finding],
    nothing: &str,
    read: impl Fn(&str) -> Option<String>,
) -> String {
    let title = match findings {
        [] => nothing.to_owned(),
        findings => summarize(findings),
    };
    let mut page = Page::new("Contract", &title, &read);
    for group in group(findings) {
        page.begin_group(group.operation, &group.summary, group.has_error);
        for (finding, details) in group.findings {
            page.begin_entry(Head {
                level: finding.level,
                message: &finding.message,
                rule: finding.id.as_str(),
                anchor: Some(&finding.fingerprint),
            });
            page.sides(&[("before", &finding.base), ("after", &finding.revision)]);
            for detail in details {
                write_detail(&mut page, detail);
            }
            page.end_entry();
        }
        page.end_group();
    }
    page.finish()
}

fn write_detail(page: &mut Page<'_>, Detail { label, value }: Detail<'_>) {
    match value {
        DetailValue::Prose(text) => page.paragraph(&format!("{label}: {text}")),
        DetailValue::Code(parts) => {
            let parts: Vec<String> = parts.iter().map(|it| escape(it)).collect();
            let parts = parts.join("</code>, <code>");
            page.html(&format!("{label}: <code>{parts}</code>"));
        }
        DetailValue::SameAs(before) => page.html(&format!(
            "{label}: the same value as <a href=\"#{before}\">above</a>"
        )),
        DetailValue::Exchange(exchange) => {
            page.paragraph(&exchange.explanation());
            page.preformatted(&exchange.messages());
        }
    }
}
