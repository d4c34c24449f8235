//! The flags that choose findings by level and by rule.

use clap::{Args, ValueEnum};
use spec_model::{Level, matches_pattern};

/// The name of a level on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LevelName {
    /// Errors.
    Error,
    /// Warnings.
    Warn,
    /// What breaks nobody.
    Info,
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Level {
        match name {
            LevelName::Error => Level::Error,
            LevelName::Warn => Level::Warn,
            LevelName::Info => Level::Info,
        }
    }
}

impl From<Level> for LevelName {
    fn from(level: Level) -> LevelName {
        match level {
            Level::Error => LevelName::Error,
            Level::Warn => LevelName::Warn,
            Level::Info => LevelName::Info,
        }
    }
}

/// Which findings are printed, and which make the command fail.
#[derive(Debug, Clone, Args)]
pub struct Choice {
    /// The lowest level of a failure
    #[arg(long, value_enum, default_value_t = LevelName::Error)]
    pub fail_on: LevelName,
    /// Levels that are not printed; they count for the exit code
    #[arg(long, value_enum, value_name = "LEVEL,…", value_delimiter = ',')]
    pub hide: Vec<LevelName>,
    /// Only these rules, by id or pattern
    #[arg(long, value_name = "RULE,…", value_delimiter = ',')]
    pub only: Vec<String>,
}

impl Choice {
    /// Prints all findings, and fails with errors.
    pub const ALL: Choice = Choice {
        fail_on: LevelName::Error,
        hide: Vec::new(),
        only: Vec::new(),
    };

    /// Whether the findings of a rule count.
    pub fn has_rule(&self, rule: &str) -> bool {
        let mut patterns = self.only.iter();
        self.only.is_empty() || patterns.any(|pattern| matches_pattern(pattern.trim(), rule))
    }

    /// Whether the findings of a level are printed.
    pub fn shows(&self, level: Level) -> bool {
        !self.hide.contains(&level.into())
    }
}
