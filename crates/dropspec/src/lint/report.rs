//! Renders what `lint` finds, in formats of `diff`.

use std::collections::BTreeSet;
use std::fmt::Write;

use clap::ValueEnum;
use dropspec_diff::report::{annotate, sarif_level, sarif_location, write_sarif};
use dropspec_model::{Diagnostic, Level};
use serde_json::{Value, json};

use super::Problem;
use crate::linting::RULES;
use crate::losses::count;

/// The output format of `lint`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal.
    Text,
    /// An array of findings.
    Json,
    /// Annotations of GitHub Actions.
    Github,
    /// SARIF 2.1.0.
    Sarif,
}

/// Renders the problems. `frozen_violation` is why the released documents are not as they were, which only the text says.
pub(super) fn render(
    format: Format,
    problems: &[&Problem],
    frozen_violation: Option<&anyhow::Error>,
) -> String {
    match format {
        Format::Text => render_text(problems, frozen_violation),
        Format::Json => {
            let problems: Vec<Value> = problems.iter().map(|it| to_json(it)).collect();
            format!("{:#}\n", Value::Array(problems))
        }
        Format::Github => render_github(problems),
        Format::Sarif => render_sarif(problems),
    }
}

fn render_text(problems: &[&Problem], frozen_violation: Option<&anyhow::Error>) -> String {
    let mut text = String::new();
    for Problem { level, diagnostic } in problems {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}: {diagnostic}", level_word(*level));
        let _ = writeln!(text, "  rule: {}", diagnostic.rule);
    }
    if let Some(error) = frozen_violation {
        let _ = writeln!(text, "error: {error}");
    }
    let counted = summarize_counts(problems, frozen_violation.is_some());
    if !counted.is_empty() {
        let _ = writeln!(text, "\n{counted}");
    }
    text
}

fn render_github(problems: &[&Problem]) -> String {
    let mut text = String::new();
    for Problem { level, diagnostic } in problems {
        let command = match level {
            Level::Info => "notice",
            other => level_word(*other),
        };
        let mut message = diagnostic.message.clone();
        if let Some(help) = &diagnostic.help {
            message.push_str(&format!("\nhelp: {help}"));
        }
        let location = &diagnostic.location;
        let position = (location.line, location.column);
        let rule = diagnostic.rule;
        text.push_str(&annotate(command, &location.file, position, rule, &message));
    }
    text
}

/// Counts the problems: `2 errors, 1 warning`; empty if there are none.
fn summarize_counts(problems: &[&Problem], has_frozen_violation: bool) -> String {
    let levels = [Level::Error, Level::Warn, Level::Info];
    let counts = levels.into_iter().filter_map(|level| {
        let number = problems.iter().filter(|it| it.level == level).count();
        let number = number + usize::from(level == Level::Error && has_frozen_violation);
        (number > 0).then(|| count(number, level_word(level)))
    });
    counts.collect::<Vec<_>>().join(", ")
}

fn level_word(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Info => "info",
    }
}

fn to_json(problem: &Problem) -> Value {
    let Diagnostic {
        location,
        pointer,
        message,
        help,
        rule,
    } = &problem.diagnostic;
    json!({
        "id": rule,
        "level": problem.level,
        "file": &*location.file,
        "line": location.line,
        "column": location.column,
        "pointer": pointer,
        "message": message,
        "help": help,
    })
}

fn render_sarif(problems: &[&Problem]) -> String {
    let used: BTreeSet<&str> = problems.iter().map(|it| it.diagnostic.rule).collect();
    let rules = RULES.iter().filter(|rule| used.contains(rule.id));
    let rules = rules.map(|rule| {
        json!({
            "id": rule.id,
            "shortDescription": { "text": rule.summary },
            "defaultConfiguration": { "level": sarif_level(rule.level) },
        })
    });
    let results = problems.iter().map(|Problem { level, diagnostic }| {
        let location = &diagnostic.location;
        let position = (location.line, location.column);
        json!({
            "ruleId": diagnostic.rule,
            "level": sarif_level(*level),
            "message": { "text": diagnostic.message },
            "locations": [{
                "physicalLocation": sarif_location(&location.file, position),
                "logicalLocations": [{ "fullyQualifiedName": diagnostic.pointer }],
            }],
        })
    });
    let (rules, results): (Vec<Value>, Vec<Value>) = (rules.collect(), results.collect());
    write_sarif("dropspec-lint", &rules, &results)
}
