//! The flags that choose findings by level and by rule.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dropspec_model::{Level, matches_pattern};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

use crate::config::check_rule;

/// Which findings are printed, and which make the command fail.
#[derive(Debug, Clone, Args)]
pub struct Choice {
    /// The lowest level of a failure
    #[arg(long, value_name = "LEVEL", default_value = "error", value_parser = level_parser())]
    pub fail_on: Level,
    /// Levels that are not printed; they count for the exit code
    #[arg(long, value_name = "LEVEL,…", value_delimiter = ',', value_parser = level_parser())]
    pub hide: Vec<Level>,
    /// Only these rules, by id or pattern
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = parse_rule)]
    pub only: Vec<String>,
}

impl Choice {
    /// Prints all findings, and fails with errors.
    pub const ALL: Choice = Choice {
        fail_on: Level::Error,
        hide: Vec::new(),
        only: Vec::new(),
    };

    /// Whether the findings of a rule count.
    pub fn has_rule(&self, rule: &str) -> bool {
        let mut patterns = self.only.iter();
        self.only.is_empty() || patterns.any(|pattern| matches_pattern(pattern, rule))
    }

    /// Whether the findings of a level are printed.
    pub fn shows(&self, level: Level) -> bool {
        !self.hide.contains(&level)
    }
}

/// Parses the id or the pattern of rules.
pub(crate) fn parse_rule(text: &str) -> Result<String, String> {
    let pattern = text.trim().to_owned();
    check_rule(&pattern).map(|()| pattern)
}

/// Parses the name of a level.
fn level_parser() -> impl TypedValueParser<Value = Level> {
    let names = [Level::Error, Level::Warn, Level::Info].map(Level::as_str);
    let names = PossibleValuesParser::new(names);
    names.try_map(|name| Level::deserialize(IntoDeserializer::<Error>::into_deserializer(name)))
}
