//! `rules`: lists the rules of `lint` and `diff`, and explains those that are named.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use dropspec_diff::rules::Rule;
use dropspec_model::matches_pattern;

use crate::choice::parse_rule;
use crate::linting;
use crate::output::print;

/// List the rules of lint and diff, or explain some
///
/// A finding names its rule in brackets. Each rule has a line with its level, or that of a stable operation, and with what it
/// finds; those that are named also have their help, or a reason and an example.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  rules                                     every rule
  rules request-property-max-decreased      one rule, with an example
  rules 'house-*'                           those of a pattern

Exit codes: 0 all is well, 2 no rule has the id, or the output cannot be written.")]
pub struct Arguments {
    /// The rules to explain, by id or pattern
    #[arg(value_name = "RULE", value_parser = parse_rule)]
    rules: Vec<String>,
}

/// Runs `rules`.
///
/// # Errors
/// The output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let named = &arguments.rules;
    let is_asked = |id: &str| named.is_empty() || named.iter().any(|it| matches_pattern(it, id));
    let mut text = String::new();
    for rule in linting::RULES.iter().filter(|rule| is_asked(rule.id)) {
        let (id, level) = (rule.id, rule.level.as_str());
        writeln!(text, "lint {level:5} {id}: {}", rule.summary)?;
        if !named.is_empty() && !rule.help.is_empty() {
            writeln!(text, "  help: {}", rule.help)?;
        }
    }
    for rule in dropspec_diff::rules::all()
        .iter()
        .filter(|rule| is_asked(&rule.id))
    {
        let (id, level) = (&rule.id, rule.level.as_str());
        writeln!(text, "diff {level:5} {id}: {}", rule.summary)?;
        if !named.is_empty() {
            text.push_str(&explain(rule));
        }
    }
    print(text)?;
    Ok(ExitCode::SUCCESS)
}

/// The reason of a rule, and an edit that triggers it.
fn explain(rule: &Rule) -> String {
    let reason = rule.reason.iter().map(|it| format!("  reason: {it}\n"));
    let example = Some(&rule.example).filter(|it| !it.is_empty());
    let example = example.map(|it| format!("  example: {it}\n"));
    reason.chain(example).collect()
}
