//! Renders findings as JUnit XML, which test reports of CI systems read. `quick-junit` has no attributes `file` and `line`.

use std::fmt::Write;

use super::details::Instances;
use super::escape_xml as escape;
use super::text::to_paragraph;
use crate::finding::Finding;
use crate::rules::Level;

/// Renders a test case for each finding. It fails from the level `least` on; acknowledged findings are skipped. Without
/// findings, there is one case with the name `nothing`.
pub fn render_junit(findings: &[Finding], least: Level, nothing: &str) -> String {
    let failures = findings.iter().filter(|it| it.fails(least)).count();
    let skipped = findings.iter().filter(|it| it.acknowledged.is_some());
    let (tests, skipped) = (findings.len().max(1), skipped.count());
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\"");
    let mut cases: String = findings.iter().map(|it| to_case(it, least)).collect();
    if findings.is_empty() {
        let name = escape(nothing);
        cases = format!("    <testcase classname=\"contract\" name=\"{name}\"/>\n");
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"contract\" {counts}>\n  \
         <testsuite name=\"contract\" {counts} skipped=\"{skipped}\">\n{cases}  \
         </testsuite>\n</testsuites>\n"
    )
}

fn to_case(finding: &Finding, least: Level) -> String {
    let attribute = |text: &str| escape(&text.replace('\n', " "));
    let location = &finding.revision;
    let mut out = format!(
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\">\n      ",
        escape(finding.id.as_str()),
        attribute(&format!("{} ({})", finding.message, finding.fingerprint)),
        attribute(&location.file),
        location.line
    );
    let text = to_paragraph(finding, &mut Instances::default());
    let text = escape(text.trim_end());
    let message = attribute(&finding.message);
    let level = finding.level.as_str();
    // Writing to a string cannot fail.
    let _ = match &finding.acknowledged {
        Some(reason) => {
            let reason = attribute(&format!("acknowledged: {reason}"));
            writeln!(out, "<skipped message=\"{reason}\"/>")
        }
        None if finding.fails(least) => writeln!(
            out,
            "<failure type=\"{level}\" message=\"{message}\">{text}</failure>"
        ),
        None => writeln!(out, "<system-out>{text}</system-out>"),
    };
    out + "    </testcase>\n"
}
