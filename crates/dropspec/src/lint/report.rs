//! Renders what `lint` finds, in the formats of `diff`.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};
use spec_diff::report::{
    annotate, escape_prose, escape_xml, sarif_level, sarif_location, write_sarif,
};
use spec_lint::RULES;
use spec_model::{Diagnostic, Level};

use super::Problem;
use super::page::render_html;
use super::summary::{level_word, summarize};
use crate::output::Format;

/// Renders the problems. `frozen` is why the released documents are not as they were, which only the text says.
pub(super) fn render(
    format: Format,
    problems: &[&Problem],
    frozen: Option<&anyhow::Error>,
) -> String {
    match format {
        Format::Text => render_text(problems, frozen),
        Format::Json => {
            let problems: Vec<Value> = problems.iter().map(|it| to_json(it)).collect();
            format!("{:#}\n", Value::Array(problems))
        }
        Format::Github => render_github(problems),
        Format::Markdown => render_markdown(problems),
        Format::Html => render_html(problems, frozen),
        Format::Junit => render_junit(problems),
        Format::Sarif => render_sarif(problems),
    }
}

/// Renders the table of rules.
pub(super) fn render_rules() -> String {
    let lines = RULES.iter().map(|rule| {
        let (id, level) = (rule.id, rule.level.as_str());
        format!("{id:<26} {level:<6} {}\n", rule.summary)
    });
    lines.collect()
}

fn render_text(problems: &[&Problem], frozen: Option<&anyhow::Error>) -> String {
    let mut text = String::new();
    for Problem { level, diagnostic } in problems {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}: {diagnostic}", level_word(*level));
        let _ = writeln!(text, "  rule: {}", diagnostic.rule);
    }
    if let Some(error) = frozen {
        let _ = writeln!(text, "error: {error}");
    }
    let counted = summarize(problems, frozen.is_some());
    if !counted.is_empty() {
        let _ = writeln!(text, "\n{counted}");
    }
    text
}

fn render_github(problems: &[&Problem]) -> String {
    let mut text = String::new();
    for Problem { level, diagnostic } in problems {
        let command = match level {
            Level::Error => "error",
            Level::Warn => "warning",
            Level::Info => "notice",
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

fn render_markdown(problems: &[&Problem]) -> String {
    if problems.is_empty() {
        return "No findings.\n".to_owned();
    }
    let mut text = format!("**{}**\n\n", summarize(problems, false));
    text.push_str("| | Finding | Location |\n| --- | --- | --- |\n");
    for Problem { level, diagnostic } in problems {
        let Diagnostic { message, help, .. } = diagnostic;
        let help = help
            .iter()
            .map(|help| format!("<br>→ {}", escape_cell(help)));
        let (location, rule) = (&diagnostic.location, diagnostic.rule);
        let _ = writeln!(
            text,
            "| {} | {}<br>`{rule}`{} | {}:{} |",
            level_word(*level),
            escape_cell(message),
            help.collect::<String>(),
            escape_cell(&location.file),
            location.line
        );
    }
    text
}

/// Renders a test case for each problem; errors are failures.
fn render_junit(problems: &[&Problem]) -> String {
    let failures = problems.iter().filter(|it| it.level == Level::Error);
    let counts = format!(
        "tests=\"{}\" failures=\"{}\"",
        problems.len(),
        failures.count()
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"lint\" {counts} errors=\"0\">\n"
    );
    for Problem { level, diagnostic } in problems {
        let name = escape_xml(&diagnostic.message);
        let said = escape_xml(&diagnostic.to_string());
        let element = match level {
            Level::Error => "failure",
            Level::Warn | Level::Info => "system-out",
        };
        let _ = writeln!(
            text,
            "  <testcase classname=\"{}\" name=\"{name}\"><{element}>{said}</{element}></testcase>",
            diagnostic.rule
        );
    }
    text + "</testsuite>\n"
}

/// Escapes what ends a cell or begins an element.
fn escape_cell(text: &str) -> String {
    escape_prose(text).replace('|', "\\|")
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
    write_sarif("spec-lint", &rules, &results)
}
