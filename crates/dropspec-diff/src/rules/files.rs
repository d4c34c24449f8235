//! Reads the files of `rules/`, each of which describes one rule, or one change of a schema in all roles.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Category, Example, Level, Role, Rule};

include!(concat!(env!("OUT_DIR"), "/rule_files.rs"));

/// Id and text of each rule in `rules/others`: everything but changes of a schema, and the rules that some of them have
/// instead of those of all roles.
pub(super) const OTHER_RULES: &[(&str, &str)] = OTHERS;

/// End of the ids and text of each change of a schema in `rules/schemas`.
pub(super) const SCHEMA_CHANGES: &[(&str, &str)] = SCHEMAS;

/// A change of a schema, as a file of `rules/schemas` describes it. Its rule is `{role}-{change}`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SchemaChange {
    /// The end of the rule ids: the name of the file.
    #[serde(skip)]
    pub change: &'static str,
    /// What changed, in one sentence.
    pub summary: String,
    /// The level in requests.
    pub request: Level,
    /// The level in responses.
    pub response: Level,
    #[serde(default)]
    category: Category,
    /// What to do about it, as in [`Rule`].
    advice: Option<String>,
    /// Why it has its level, if that is not obvious.
    pub reason: Option<String>,
    example: Option<String>,
    /// Edits that trigger the rule: schemas.
    #[serde(default)]
    pub examples: Vec<Example>,
}

impl SchemaChange {
    /// An edit that triggers the rule, in Markdown.
    pub fn example(&self) -> String {
        let edit = || self.examples.first().map(ToString::to_string);
        self.example.clone().or_else(edit).unwrap_or_default()
    }

    pub(super) fn rule(&self, id: String, role: Role) -> Rule {
        Rule {
            id,
            level: if role.is_request() {
                self.request
            } else {
                self.response
            },
            category: self.category,
            advice: self.advice.clone(),
            summary: self.summary.clone(),
            reason: self.reason.clone(),
            example: self.example(),
            examples: Vec::new(),
        }
    }
}

/// Reads the rules of `rules/others`.
pub(super) fn read_other_rules() -> Vec<Rule> {
    let rules = OTHER_RULES.iter().map(|(id, text)| {
        let mut rule: Rule = read(id, text);
        rule.id = (*id).to_owned();
        if let (true, Some(edit)) = (rule.example.is_empty(), rule.examples.first()) {
            rule.example = edit.to_string();
        }
        rule
    });
    rules.collect()
}

/// Reads the changes of `rules/schemas`.
pub(super) fn read_schema_changes() -> Vec<SchemaChange> {
    let changes = SCHEMA_CHANGES.iter().map(|(change, text)| SchemaChange {
        change,
        ..read(change, text)
    });
    changes.collect()
}

/// Reads one file.
///
/// # Panics
/// If it is not TOML or lacks a field, which a test shows before.
#[allow(clippy::panic)]
fn read<T: DeserializeOwned>(name: &str, text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|error| panic!("rules: {name}.toml: {error}"))
}
