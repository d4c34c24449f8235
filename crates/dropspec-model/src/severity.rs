//! The levels of findings, and the settings that change them for some rules and places.

use dropspec_schema::Stability;
use serde::{Deserialize, Serialize};

use crate::named_enum::named_enum;
use crate::pattern::matches_pattern;

named_enum! {
    /// How bad a finding is. Ordered: `Info < Warn < Error`.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    Level {
        /// It breaks nobody.
        Info = "info",
        /// It may break someone.
        Warn = "warn",
        /// It breaks those who rely on the document.
        Error = "error",
    }
}

/// An entry of settings: the level of some rules, everywhere or at some operations. What is absent restricts nothing.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Severity {
    /// The id of a rule, or a pattern of ids such as `response-*`.
    pub rule: Option<String>,
    /// A pattern of paths, such as `/internal/**`.
    pub path: Option<String>,
    /// A tag of the operation.
    pub tag: Option<String>,
    /// The stability of the operation.
    pub stability: Option<Stability>,
    /// The level of the findings there.
    pub level: ChosenLevel,
}

/// The level that an entry of settings chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChosenLevel {
    /// The rule does not apply.
    Off,
    /// [`Level::Info`].
    Info,
    /// [`Level::Warn`].
    Warn,
    /// [`Level::Error`].
    Error,
}

/// An operation, as entries of settings select it.
#[derive(Debug, Clone, Copy)]
pub struct Selected<'a> {
    /// The path, such as `/pets/{petId}`.
    pub path: &'a str,
    /// The tags.
    pub tags: &'a [String],
    /// The stability.
    pub stability: Stability,
}

impl ChosenLevel {
    /// The level; none if the rule does not apply.
    pub fn level(self) -> Option<Level> {
        match self {
            ChosenLevel::Off => None,
            ChosenLevel::Info => Some(Level::Info),
            ChosenLevel::Warn => Some(Level::Warn),
            ChosenLevel::Error => Some(Level::Error),
        }
    }
}

impl Severity {
    /// Whether the entry is about a rule, wherever it applies.
    pub fn names(&self, rule: &str) -> bool {
        let pattern = self.rule.as_deref();
        pattern.is_none_or(|pattern| matches_pattern(pattern, rule))
    }

    /// Whether the entry applies to a finding at an operation, or to one of the whole document.
    fn applies(&self, rule: &str, at: Option<Selected<'_>>) -> bool {
        let (path, tag) = (self.path.as_deref(), self.tag.as_ref());
        let fits = match at {
            Some(at) => {
                path.is_none_or(|path| matches_pattern(path, at.path))
                    && tag.is_none_or(|tag| at.tags.contains(tag))
                    && self
                        .stability
                        .is_none_or(|stability| stability == at.stability)
            }
            // Nothing else has a path, tags or a stability.
            None => path.is_none() && tag.is_none() && self.stability.is_none(),
        };
        fits && self.names(rule)
    }
}

/// The level that settings choose for a rule at an operation, or for the whole document: that of the last entry that
/// applies. None if no entry does.
pub fn chosen_level(
    entries: &[Severity],
    rule: &str,
    at: Option<Selected<'_>>,
) -> Option<ChosenLevel> {
    let mut entries = entries.iter().rev();
    let entry = entries.find(|entry| entry.applies(rule, at))?;
    Some(entry.level)
}
