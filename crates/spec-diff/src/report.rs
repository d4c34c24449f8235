//! Findings for people and for machines: plain text, JSON, workflow annotations, Markdown, SARIF.

mod advice;
mod github;
mod markdown;
mod sarif;
mod text;

use crate::finding::Finding;
use crate::rules::Level;

pub use advice::advice;
pub use github::github;
pub use markdown::markdown;
pub use sarif::sarif;
pub use text::text;

/// The findings as a JSON array.
pub fn json(findings: &[Finding]) -> String {
    let mut text =
        serde_json::to_string_pretty(findings).expect("findings hold nothing that JSON cannot say");
    text.push('\n');
    text
}

/// The level as a word.
pub fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warn",
        Level::Info => "info",
    }
}

/// Names in a document may hold anything, also what moves the cursor or, at the start of a line, commands a runner.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// `2 errors, 1 warning, 0 infos`, and how many were acknowledged.
fn summary(findings: &[Finding]) -> String {
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
