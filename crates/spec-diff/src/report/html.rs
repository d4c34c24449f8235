//! Renders findings as one HTML page: a part for each operation, with the lines of both documents beside each finding.

use super::exchange::{explain, render_messages};
use super::groups::{Group, group};
use super::instances::Instances;
use super::page::{Head, Page};
use super::summarize;
use super::xml::escape_xml as escape;
use crate::finding::Finding;
use crate::finding::Proof;
use crate::rules::Level;

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
    let mut instances = Instances::default();
    for group in group(findings) {
        let is_open = group.level() == Level::Error;
        page.begin_group(group.operation, &group.summary(), is_open);
        for finding in &group.findings {
            write_finding(&mut page, &group, finding, &mut instances);
        }
        page.end_group();
    }
    page.finish()
}

fn write_finding<'f>(
    page: &mut Page<'_>,
    group: &Group<'f>,
    finding: &'f Finding,
    instances: &mut Instances<'f>,
) {
    let print = &finding.fingerprint;
    page.begin_entry(Head {
        level: finding.level,
        message: &finding.message,
        rule: finding.id.as_str(),
        anchor: Some(print),
    });
    if let Some(shown) = instances.show(finding) {
        let value = match shown.before {
            Some(before) => format!("the same value as <a href=\"#{before}\">above</a>"),
            None => format!("<code>{}</code>", escape(&shown.value)),
        };
        page.html(&format!("{}: {value}", shown.what));
    }
    let others = group.others(finding);
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|it| escape(it)).collect();
        let others = others.join("</code>, <code>");
        page.html(&format!("also affects <code>{others}</code>"));
    }
    page.sides(&[("before", &finding.base), ("after", &finding.revision)]);
    match &finding.proof {
        Some(Proof::Exchange(exchange)) => {
            page.paragraph(&explain(exchange));
            page.preformatted(&render_messages(exchange));
        }
        Some(Proof::None(reason)) => page.paragraph(&format!("no exchange: {reason}")),
        None => {}
    }
    if let Some(usage) = &finding.usage {
        page.paragraph(&usage.summary);
    }
    match (&finding.acknowledged, finding.advice()) {
        (Some(reason), _) => page.paragraph(&format!("acknowledged: {reason}")),
        (None, Some(advice)) => page.paragraph(&format!("→ {advice} `{print}`")),
        (None, None) => {}
    }
    page.end_entry();
}
