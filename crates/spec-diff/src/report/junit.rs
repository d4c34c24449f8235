//! Renders findings as JUnit XML, which test reports of CI systems read.

use std::fmt::Write;

use super::instances::Instances;
use super::text::write_finding;
use super::xml::escape_xml as escape;
use crate::finding::Finding;
use crate::rules::Level;

/// Renders a test case for each finding. It fails from the level `least` on; acknowledged findings are skipped. Without
/// findings, there is one case with the name `nothing`.
pub fn render_junit(findings: &[Finding], least: Level, nothing: &str) -> String {
    let failures = findings.iter().filter(|it| it.fails(least)).count();
    let skipped = findings.iter().filter(|it| it.acknowledged.is_some());
    let (tests, skipped) = (findings.len().max(1), skipped.count());
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\"");
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<testsuites name=\"contract\" {counts} errors=\"0\">");
    let _ = writeln!(
        out,
        "  <testsuite name=\"contract\" {counts} errors=\"0\" skipped=\"{skipped}\">"
    );
    if findings.is_empty() {
        let name = escape(nothing);
        let _ = writeln!(
            out,
            "    <testcase classname=\"contract\" name=\"{name}\"/>"
        );
    }
    for finding in findings {
        let _ = write_case(&mut out, finding, least);
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn write_case(out: &mut String, finding: &Finding, least: Level) -> std::fmt::Result {
    let location = &finding.revision;
    let name = format!("{} ({})", finding.message, finding.fingerprint);
    writeln!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\">",
        escape(finding.id.as_str()),
        escape(&name.replace('\n', " ")),
        escape(&location.file.replace('\n', " ")),
        location.line
    )?;
    let mut text = String::new();
    write_finding(&mut text, finding, &mut Instances::default())?;
    let text = escape(text.trim_end());
    match &finding.acknowledged {
        Some(reason) => {
            let reason = escape(&format!("acknowledged: {}", reason.replace('\n', " ")));
            writeln!(out, "      <skipped message=\"{reason}\"/>")?;
        }
        None if finding.fails(least) => {
            let message = escape(&finding.message.replace('\n', " "));
            let level = finding.level.as_str();
            writeln!(
                out,
                "      <failure type=\"{level}\" message=\"{message}\">{text}</failure>"
            )?;
        }
        None => writeln!(out, "      <system-out>{text}</system-out>")?,
    }
    writeln!(out, "    </testcase>")
}
