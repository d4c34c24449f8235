//! One HTML page that needs no other file: groups that collapse, and in them entries with the lines that they are about.

use std::collections::HashMap;
use std::fmt::Write;

use super::{escape_xml as escape, map_prose, to_one_line};
use crate::finding::SourceLocation;
use crate::rules::Level;

/// How many lines are shown before and after that of an entry.
const CONTEXT: u32 = 4;
const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem;\
color:#1b1f24;background:#fff}summary{font-weight:600;padding:.4rem 0;cursor:pointer}article{border-left:4px solid #57606a;\
padding:.2rem 1rem;margin:1rem 0}article.error{border-color:#cf222e}article.warn{border-color:#bf8700}\
code,pre{font:13px/1.4 ui-monospace,monospace}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f6f8fa;padding:.6rem;margin:.2rem 0}\
.sides{display:grid;grid-auto-columns:1fr;grid-auto-flow:column;gap:1rem}.sides>div{min-width:0}mark{background:#fff8c5;display:block}\
small{color:#57606a}@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}pre{background:#161b22}\
mark{background:#3b2e00;color:inherit}small{color:#8d96a0}}";

/// A page that is being written.
pub struct Page<'r> {
    out: String,
    read: &'r dyn Fn(&str) -> Option<String>,
    /// The lines of the files that were read.
    files: HashMap<String, Option<Vec<String>>>,
}

/// What an entry begins with.
#[derive(Debug, Clone, Copy)]
pub struct Head<'h> {
    /// Its level.
    pub level: Level,
    /// What it says, with code between backticks.
    pub message: &'h str,
    /// Its rule.
    pub rule: &'h str,
    /// The name by which links lead to it.
    pub anchor: Option<&'h str>,
}

impl<'r> Page<'r> {
    /// Begins a page about `subject`, such as `Contract`. `read` returns the text of a file by its name in the locations, if it
    /// can be read.
    pub fn new(subject: &str, title: &str, read: &'r dyn Fn(&str) -> Option<String>) -> Page<'r> {
        let title = escape(title);
        let out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{subject}: {title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        );
        Page {
            out,
            read,
            files: HashMap::new(),
        }
    }

    /// Begins a group, such as that of an operation; without a name it is that of the whole document.
    pub fn begin_group(&mut self, name: Option<&str>, summary: &str, is_open: bool) {
        let open = if is_open { " open" } else { "" };
        let title = match name {
            Some(name) => format!("<code>{}</code>", escape(&to_one_line(name))),
            None => "The whole document".to_owned(),
        };
        self.line(format_args!(
            "<details{open}>\n<summary>{title}: {summary}</summary>"
        ));
    }

    /// Ends the group.
    pub fn end_group(&mut self) {
        self.line(format_args!("</details>"));
    }

    /// Begins an entry of the group.
    pub fn begin_entry(&mut self, head: Head<'_>) {
        let level = head.level.as_str();
        let (message, rule) = (code(head.message), escape(head.rule));
        match head.anchor {
            Some(anchor) => self.line(format_args!("<article class=\"{level}\" id=\"{anchor}\">")),
            None => self.line(format_args!("<article class=\"{level}\">")),
        }
        self.line(format_args!(
            "<p><strong>{level}</strong>: {message}<br><small>{rule}</small></p>"
        ));
    }

    /// Ends the entry.
    pub fn end_entry(&mut self) {
        self.line(format_args!("</article>"));
    }

    /// Writes a paragraph, with code between backticks.
    pub fn paragraph(&mut self, text: &str) {
        self.html(&code(text));
    }

    /// Writes a text as it is, with its lines.
    pub fn preformatted(&mut self, text: &str) {
        self.line(format_args!("<pre>{}</pre>", escape(text)));
    }

    /// Writes the lines around places beside each other, each with a title such as `before`.
    pub fn sides(&mut self, places: &[(&str, &SourceLocation)]) {
        self.line(format_args!("<div class=\"sides\">"));
        for (title, location) in places {
            let (title, file) = (escape(title), escape(&location.file));
            let line = location.line;
            self.line(format_args!("<div><small>{title}: {file}:{line}</small>"));
            if let Some(lines) = self.lines_around(location) {
                self.line(format_args!("<pre>{lines}</pre>"));
            }
            self.line(format_args!("</div>"));
        }
        self.line(format_args!("</div>"));
    }

    /// The page.
    pub fn finish(mut self) -> String {
        self.out.push_str("</body>\n</html>\n");
        self.out
    }

    /// Writes a paragraph that is HTML.
    pub(super) fn html(&mut self, html: &str) {
        self.line(format_args!("<p>{html}</p>"));
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{text}");
    }

    /// The lines around a location, that of the location marked.
    fn lines_around(&mut self, location: &SourceLocation) -> Option<String> {
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
