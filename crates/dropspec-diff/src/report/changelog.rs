//! Renders the changes between two releases for the people who use the interface.

use std::fmt::Write;

use super::markdown::escape_prose;
use super::to_one_line;
use crate::finding::Finding;
use crate::rules::{Category, Level};

/// The headings of the sections, in their order.
const HEADINGS: [&str; 6] = [
    "Breaking changes",
    "Possibly breaking changes",
    "Deprecated",
    "Added",
    "Removed",
    "Changed",
];

/// Renders Markdown: a section for each kind of change, the breaking ones first. Documentation, versions and notices are no
/// changes of the interface and are left out. `versions` are those of the two documents.
pub fn render_changelog(findings: &[Finding], versions: Option<(&str, &str)>) -> String {
    let mut out = match versions {
        Some((base, revision)) if base != revision => {
            format!(
                "## {}\n\nChanges since {}.\n",
                to_one_line(revision),
                to_one_line(base)
            )
        }
        _ => "## Changes of the interface\n".to_owned(),
    };
    let mut lines: Vec<(&str, String)> = findings.iter().filter_map(to_line).collect();
    // What is said of several places is said once.
    let mut seen = std::collections::HashSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    for section in HEADINGS {
        let own = lines.iter().filter(|(name, _)| *name == section);
        let own: Vec<&str> = own.map(|(_, line)| line.as_str()).collect();
        if !own.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(out, "\n### {section}\n\n{}", own.concat());
        }
    }
    if lines.is_empty() {
        out.push_str("\nNothing changed for those who use the interface.\n");
    }
    out
}

/// The section of a finding and its line.
fn to_line(finding: &Finding) -> Option<(&'static str, String)> {
    let id = finding.id.as_str();
    if finding.id.rule().category != Category::Interface {
        return None;
    }
    let section = match finding.level {
        Level::Error => HEADINGS[0],
        Level::Warn => HEADINGS[1],
        Level::Info if id.contains("deprecated") && !id.contains("removed") => HEADINGS[2],
        Level::Info if id.starts_with("new-") || id.contains("-added") => HEADINGS[3],
        Level::Info if id.contains("-removed") => HEADINGS[4],
        Level::Info => HEADINGS[5],
    };
    let message = escape_prose(&finding.message);
    let worst = finding.reach.iter().filter(|it| it.level == finding.level);
    let operations: Vec<&str> = worst.map(|it| it.operation.as_str()).collect();
    let mut line = match &operations[..] {
        [] => format!("- {message}"),
        [only] if message.contains(only) => format!("- {message}"),
        operations => {
            let named: Vec<String> = operations.iter().map(|it| format!("`{it}`")).collect();
            format!("- {}: {message}", to_one_line(&named.join(", ")))
        }
    };
    if let Some(reason) = &finding.acknowledged {
        line.push_str(&format!(" ({})", escape_prose(reason)));
    }
    line.push('\n');
    Some((section, line))
}
