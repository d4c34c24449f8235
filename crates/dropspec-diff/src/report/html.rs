//! Renders findings as one HTML page that needs no other file: a part for each operation, which collapses, with the lines of
//! both documents beside each finding.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::Arc;

use dropspec_model::Location;

use super::details::{Detail, DetailValue};
use super::groups::{Group, group};
use super::{escape_xml as escape, map_prose, summarize, to_one_line};
use crate::finding::Finding;

/// How many lines are shown before and after that of an entry.
const CONTEXT: u32 = 4;
const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem;\
color:#1b1f24;background:#fff}summary{font-weight:600;padding:.4rem 0;cursor:pointer}article{border-left:4px solid #57606a;\
padding:.2rem 1rem;margin:1rem 0}article.error{border-color:#cf222e}article.warn{border-color:#bf8700}\
code,pre{font:13px/1.4 ui-monospace,monospace}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f6f8fa;padding:.6rem;margin:.2rem 0}\
.sides{display:grid;grid-auto-columns:1fr;grid-auto-flow:column;gap:1rem}.sides>div{min-width:0}mark{background:#fff8c5;display:block}\
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
        findings => escape(&summarize(findings)),
    };
    let head = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Contract: {title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    let mut page = Page {
        out: head,
        read: &read,
        files: HashMap::new(),
    };
    for group in group(findings) {
        // Writing to a string cannot fail.
        let _ = page.write_group(group);
    }
    page.out + "</body>\n</html>\n"
}

/// A page that is being written.
struct Page<'r> {
    out: String,
    read: &'r dyn Fn(&str) -> Option<String>,
    /// The lines of the files that were read.
    files: HashMap<Arc<str>, Option<Vec<String>>>,
}

impl Page<'_> {
    fn write_group(&mut self, group: Group<'_>) -> fmt::Result {
        let open = if group.has_error { " open" } else { "" };
        let title = match group.operation {
            Some(name) => format!("<code>{}</code>", escape(&to_one_line(name))),
            None => "The whole document".to_owned(),
        };
        let summary = &group.summary;
        writeln!(
            self.out,
            "<details{open}>\n<summary>{title}: {summary}</summary>"
        )?;
        for (finding, details) in group.findings {
            let (level, rule) = (finding.level.as_str(), finding.id);
            let (anchor, message) = (&finding.fingerprint, code(&finding.message));
            writeln!(
                self.out,
                "<article class=\"{level}\" id=\"{anchor}\">\n\
                 <p><strong>{level}</strong>: {message}<br><small>{rule}</small></p>\n<div class=\"sides\">"
            )?;
            self.write_side("before", &finding.base)?;
            self.write_side("after", &finding.revision)?;
            writeln!(self.out, "</div>")?;
            for detail in details {
                self.write_detail(detail)?;
            }
            writeln!(self.out, "</article>")?;
        }
        writeln!(self.out, "</details>")
    }

    /// Writes the lines around a location.
    fn write_side(&mut self, title: &str, location: &Location) -> fmt::Result {
        let (file, line) = (escape(&location.file), location.line);
        writeln!(self.out, "<div><small>{title}: {file}:{line}</small>")?;
        if let Some(lines) = self.lines_around(location) {
            writeln!(self.out, "<pre>{lines}</pre>")?;
        }
        writeln!(self.out, "</div>")
    }

    fn write_detail(&mut self, Detail { label, value }: Detail<'_>) -> fmt::Result {
        let out = &mut self.out;
        match value {
            DetailValue::Prose(text) => {
                writeln!(out, "<p>{}</p>", code(&format!("{label}: {text}")))
            }
            DetailValue::Code(parts) => {
                let parts: Vec<String> = parts.iter().map(|it| escape(it)).collect();
                let parts = parts.join("</code>, <code>");
                writeln!(out, "<p>{label}: <code>{parts}</code></p>")
            }
            DetailValue::SameAs(before) => {
                let link = format!("<a href=\"#{}\">above</a>", before.fingerprint);
                writeln!(out, "<p>{label}: the same value as {link}</p>")
            }
            DetailValue::Exchange(exchange) => {
                let explanation = code(&exchange.explanation());
                let messages = escape(&exchange.messages());
                writeln!(out, "<p>{explanation}</p>\n<pre>{messages}</pre>")
            }
        }
    }

    /// The lines around a location, that of the location marked.
    fn lines_around(&mut self, location: &Location) -> Option<String> {
        let read = self.read;
        let file = self.files.entry(location.file.clone()).or_insert_with(|| {
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
            if number == location.line {
                shown.push_str(&format!("<mark>{line}</mark>"))
            } else {
                shown.push_str(&format!("{line}\n"))
            }
        }
        Some(shown)
    }
}

/// Text whose parts between backticks are code.
fn code(text: &str) -> String {
    let text = escape(&to_one_line(text));
    map_prose(&text, str::to_owned, |code| format!("<code>{code}</code>")).unwrap_or(text)
}
