//! Renders findings: plain text, JSON, workflow annotations, Markdown, HTML, JUnit, SARIF, and the changelog of a release.

mod changelog;
mod details;
mod github;
mod groups;
mod html;
mod junit;
mod markdown;
mod sarif;
mod text;

pub use changelog::render_changelog;
pub use github::{annotate, render_github};
pub use html::render_html;
pub use junit::render_junit;
pub use markdown::render_markdown;
pub use sarif::{render_sarif, sarif_level, sarif_location, write_sarif};
pub use text::render_text;

use crate::finding::Finding;
use crate::rules::Level;

/// What a report says if there are no findings.
pub const NO_FINDINGS: &str = "No findings: the documents have the same meaning.";

/// Renders the findings as a JSON array.
pub fn render_json(findings: &[Finding]) -> String {
    let mut text = serde_json::to_string_pretty(findings).expect("findings can be written as JSON");
    text.push('\n');
    text
}

/// Removes control characters: a name in a document could contain terminal sequences or commands of a CI runner.
fn to_one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Counts the findings: `2 errors, 1 warning, 0 infos, 1 acknowledged`.
fn summarize<'f>(findings: impl IntoIterator<Item = &'f Finding> + Clone) -> String {
    let open = |level: Level| {
        let open = findings.clone().into_iter();
        let open = open.filter(|f| f.acknowledged.is_none());
        open.filter(|finding| finding.level == level).count()
    };
    let counted = |count: usize, word: &str| match count {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    };
    let mut parts = vec![
        counted(open(Level::Error), "error"),
        counted(open(Level::Warn), "warning"),
        counted(open(Level::Info), "info"),
    ];
    let acknowledged = findings.into_iter();
    let acknowledged = acknowledged.filter(|f| f.acknowledged.is_some()).count();
    if acknowledged > 0 {
        parts.push(format!("{acknowledged} acknowledged"));
    }
    parts.join(", ")
}

/// Applies a function to the parts of a text outside of backticks, and another to the code between them. `None` if a
/// backtick has no counterpart.
fn map_prose(
    text: &str,
    prose: impl Fn(&str) -> String,
    code: impl Fn(&str) -> String,
) -> Option<String> {
    let parts = text.split('`').enumerate();
    let mapped = parts.map(|(index, part)| match index % 2 {
        0 => prose(part),
        _ => code(part),
    });
    let is_paired = text.matches('`').count().is_multiple_of(2);
    is_paired.then(|| mapped.collect())
}

/// Escapes a text in an element or an attribute of XML or HTML. Control characters, which XML does not allow, become spaces.
fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
