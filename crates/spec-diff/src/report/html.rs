//! Renders findings as one HTML file that needs no other, with the lines of both documents beside each finding.

use std::fmt::Write;

use super::exchange::{explain, render_messages};
use super::groups::{Group, group};
use super::instances::Instances;
use super::xml::escape_xml as escape;
use super::{summarize, to_one_line};
use crate::finding::{Finding, SourceLocation};
use crate::proof::Proof;
use crate::rules::Level;

/// How many lines are shown before and after that of a finding.
const CONTEXT: u32 = 4;
const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem;\
color:#1b1f24;background:#fff}summary{font-weight:600;padding:.4rem 0;cursor:pointer}article{border-left:4px solid #57606a;\
padding:.2rem 1rem;margin:1rem 0}article.error{border-color:#cf222e}article.warn{border-color:#bf8700}\
code,pre{font:13px/1.4 ui-monospace,monospace}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f6f8fa;padding:.6rem;margin:.2rem 0}\
.sides{display:grid;grid-template-columns:1fr 1fr;gap:1rem}.sides>div{min-width:0}mark{background:#fff8c5;display:block}\
small{color:#57606a}@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}pre{background:#161b22}\
mark{background:#3b2e00;color:inherit}small{color:#8d96a0}}";

/// Renders a part for each operation. Without findings, the page says `nothing`. `read` returns the text of a file by its name
/// in the locations, if it can be read.
pub fn render_html(
    findings: &[Finding],
    nothing: &str,
    read: impl Fn(&str) -> Option<String>,
) -> String {
    let title = match findings {
        [] => escape(nothing),
        findings => summarize(findings),
    };
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Contract: {title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    let mut files = Files {
        read: &read,
        texts: std::collections::HashMap::new(),
    };
    let mut instances = Instances::default();
    for group in group(findings) {
        // Writing to a string cannot fail.
        let _ = write_group(&mut out, &group, &mut instances, &mut files);
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// The lines of the documents; each file is read once.
struct Files<'r> {
    read: &'r dyn Fn(&str) -> Option<String>,
    texts: std::collections::HashMap<String, Option<Vec<String>>>,
}

fn write_group<'f>(
    out: &mut String,
    group: &Group<'f>,
    instances: &mut Instances<'f>,
    files: &mut Files<'_>,
) -> std::fmt::Result {
    let open = match group.level() {
        Level::Error => " open",
        _ => "",
    };
    let title = match group.operation {
        Some(operation) => format!("<code>{}</code>", escape(&to_one_line(operation))),
        None => "The whole document".to_owned(),
    };
    let summary = group.summary();
    writeln!(
        out,
        "<details{open}>\n<summary>{title}: {summary}</summary>"
    )?;
    for finding in &group.findings {
        write_finding(out, group, finding, instances, files)?;
    }
    writeln!(out, "</details>")
}

fn write_finding<'f>(
    out: &mut String,
    group: &Group<'f>,
    finding: &'f Finding,
    instances: &mut Instances<'f>,
    files: &mut Files<'_>,
) -> std::fmt::Result {
    let level = finding.level.as_str();
    let (id, print) = (finding.id, &finding.fingerprint);
    writeln!(out, "<article class=\"{level}\" id=\"{print}\">")?;
    let message = code(&finding.message);
    writeln!(
        out,
        "<p><strong>{level}</strong>: {message}<br><small>{id}</small></p>"
    )?;
    if let Some(shown) = instances.show(finding) {
        let value = match shown.before {
            Some(before) => format!("the same value as <a href=\"#{before}\">above</a>"),
            None => format!("<code>{}</code>", escape(&shown.value)),
        };
        writeln!(out, "<p>{}: {value}</p>", shown.what)?;
    }
    let others = group.others(finding);
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|it| escape(it)).collect();
        writeln!(
            out,
            "<p>also affects <code>{}</code></p>",
            others.join("</code>, <code>")
        )?;
    }
    writeln!(out, "<div class=\"sides\">")?;
    for (name, location) in [("before", &finding.base), ("after", &finding.revision)] {
        writeln!(
            out,
            "<div><small>{name}: {}:{}</small>",
            escape(&location.file),
            location.line
        )?;
        if let Some(lines) = files.around(location) {
            writeln!(out, "<pre>{lines}</pre>")?;
        }
        writeln!(out, "</div>")?;
    }
    writeln!(out, "</div>")?;
    match &finding.proof {
        Some(Proof::Exchange(exchange)) => {
            writeln!(out, "<p>{}</p>", code(&explain(exchange)))?;
            writeln!(out, "<pre>{}</pre>", escape(&render_messages(exchange)))?;
        }
        Some(Proof::None(reason)) => writeln!(out, "<p>no exchange: {}</p>", escape(reason))?,
        None => {}
    }
    if let Some(usage) = &finding.usage {
        writeln!(out, "<p>{}</p>", escape(&usage.summary))?;
    }
    match (&finding.acknowledged, finding.advice()) {
        (Some(reason), _) => writeln!(out, "<p>acknowledged: {}</p>", escape(reason))?,
        (None, Some(advice)) => writeln!(out, "<p>→ {} <small>{print}</small></p>", code(advice))?,
        (None, None) => {}
    }
    writeln!(out, "</article>")
}

impl Files<'_> {
    /// The lines around a location, that of the location marked.
    fn around(&mut self, location: &SourceLocation) -> Option<String> {
        let read = self.read;
        let file = self.texts.entry(location.file.clone()).or_insert_with(|| {
            let text = read(&location.file)?;
            Some(text.lines().map(str::to_owned).collect())
        });
        let lines = file.as_ref()?;
        let first = location.line.saturating_sub(CONTEXT).max(1);
        let mut shown = String::new();
        for number in first..=location.line.saturating_add(CONTEXT) {
            let Some(line) = lines.get(number as usize - 1) else {
                break;
            };
            let line = format!("{number:>5}  {}", escape(line));
            match number == location.line {
                true => shown.push_str(&format!("<mark>{line}</mark>")),
                false => shown.push_str(&format!("{line}\n")),
            }
        }
        Some(shown)
    }
}

/// Text whose parts between backticks are code.
fn code(text: &str) -> String {
    let text = escape(&to_one_line(text));
    if !text.matches('`').count().is_multiple_of(2) {
        return text;
    }
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => part.to_owned(),
        _ => format!("<code>{part}</code>"),
    });
    parts.collect()
}
