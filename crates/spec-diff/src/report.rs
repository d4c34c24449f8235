//! Renders findings: plain text, JSON, workflow annotations, Markdown, SARIF.

mod github;
mod markdown;
mod sarif;
mod text;

use crate::finding::Finding;
use crate::rules::Level;

pub use github::render_github;
pub use markdown::render_markdown;
pub use sarif::render_sarif;
pub use text::render_text;

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
fn summarize(findings: &[Finding]) -> String {
    let open = |level: Level| {
        let open = findings.iter().filter(|f| f.acknowledged.is_none());
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
    let acknowledged = findings.iter().filter(|f| f.acknowledged.is_some()).count();
    if acknowledged > 0 {
        parts.push(format!("{acknowledged} acknowledged"));
    }
    parts.join(", ")
}
