//! The rules: ids, levels and texts, and which version increment a change requires.
//!
//! Each rule is a file of `rules/`, with the edits that trigger it. The comparison names it with `rule!("…")`, or with a
//! role and `change!("…")`. An id without a file does not compile. `docs/rules.md` is generated from the files.

/// The [`RuleId`] of a file in `rules/others`. Another id does not compile.
macro_rules! rule {
    ($id:expr) => {{
        const ID: $crate::rules::RuleId = $crate::rules::RuleId::named($id);
        ID
    }};
}

/// The rules whose ids end with `-removed` and `-added`.
macro_rules! presence {
    ($id:literal) => {
        [
            rule!(concat!($id, "-removed")),
            rule!(concat!($id, "-added")),
        ]
    };
}

/// The [`Change`] of a file in `rules/schemas`. Another one does not compile.
macro_rules! change {
    ($change:expr) => {{
        const CHANGE: $crate::rules::Change = $crate::rules::Change::named($change);
        CHANGE
    }};
}

mod advice;
mod example;
mod files;
mod page;
mod role;

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

pub(crate) use advice::fill_in;
pub use dropspec_model::Level;
pub use example::{Example, ExamplePlace};
pub use files::SchemaChange;
use files::{OTHER_RULES, SCHEMA_CHANGES};
pub use page::render_page;
pub use role::Role;
use serde::{Deserialize, Serialize, Serializer};
pub(crate) use {change, presence, rule};

/// The version increment that a change requires (Semantic Versioning 2.0.0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bump {
    /// No increment.
    None,
    /// Only documentation changed.
    Patch,
    /// The interface changed compatibly.
    Minor,
    /// The interface changed incompatibly.
    Major,
}

/// What a rule is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Requests and responses: an error requires a major version, anything else a minor one.
    #[default]
    Interface,
    /// Descriptions and examples, at level info: a patch.
    Documentation,
    /// How the end of something is announced, and what users should read. Existing clients keep working: a minor version.
    Notice,
    /// How the change is made: versions, acknowledgements, sunsets that have passed. It requires no version.
    Process,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rule {
    /// The id as findings print it: the name of its file.
    #[serde(skip)]
    pub id: String,
    /// The level for a stable operation.
    pub level: Level,
    /// What it is about.
    #[serde(default)]
    pub category: Category,
    /// What to do about it, if it is an error or a warning. Of the message, `{at}` is the part before the colon; behind it, `{1}`
    /// and `{2}` are the names in backticks, and `{before}` is what stands before the arrow, `became` or `was`.
    pub advice: Option<String>,
    /// What changed, in one sentence.
    pub summary: String,
    /// Why it has its level, if that is not obvious.
    pub reason: Option<String>,
    /// An edit that triggers the rule, in Markdown; that of the first example if the file has no other.
    #[serde(default)]
    pub example: String,
    /// Edits that trigger the rule. A rule of a role has those of its [`SchemaChange`].
    #[serde(default)]
    pub examples: Vec<Example>,
}

/// The id of a rule.
///
/// ```
/// const ADDED: dropspec_diff::RuleId = dropspec_diff::RuleId::named("endpoint-added");
/// assert_eq!(ADDED.to_string(), "endpoint-added");
/// ```
///
/// A misspelt id does not compile:
///
/// ```compile_fail
/// const ADDED: dropspec_diff::RuleId = dropspec_diff::RuleId::named("endpoint-aded");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(usize);

impl RuleId {
    /// Finds a rule of `rules/others` by its id.
    ///
    /// # Panics
    /// If there is none; in a constant, this is an error of the compiler.
    pub const fn named(id: &str) -> RuleId {
        RuleId(find_file(OTHER_RULES, id))
    }

    /// The rule.
    pub fn rule(self) -> &'static Rule {
        &TABLE.rules[self.0]
    }

    /// The id as findings print it.
    pub fn as_str(self) -> &'static str {
        &self.rule().id
    }
}

/// A change of a schema, by the index of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change(usize);

impl Change {
    /// Finds a change by the end of its rule ids. In a constant, an unknown one does not compile.
    pub(crate) const fn named(change: &str) -> Change {
        Change(find_file(SCHEMA_CHANGES, change))
    }

    /// The rule `{prefix}-{change}` of a special kind of property, if it has one of its own.
    pub(crate) fn rule_with_prefix(self, prefix: &str) -> Option<RuleId> {
        find(&format!("{prefix}-{}", SCHEMA_CHANGES[self.0].0))
    }
}

impl Role {
    /// The rule for a change of a schema in this role.
    pub(crate) fn rule(self, change: Change) -> RuleId {
        let id = change.rule_with_prefix(self.prefix());
        id.expect("each change has a rule for each role")
    }
}

/// All rules, first those that are not about changes of a schema.
pub fn all() -> &'static [Rule] {
    &TABLE.rules
}

/// All changes of schemas, each of which has a rule for each role.
pub fn schema_changes() -> &'static [SchemaChange] {
    &TABLE.changes
}

/// Finds a rule by its id.
pub fn find(id: &str) -> Option<RuleId> {
    TABLE.by_id.get(id).copied()
}

struct Table {
    rules: Vec<Rule>,
    by_id: HashMap<String, RuleId>,
    changes: Vec<SchemaChange>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut rules = files::read_other_rules();
    let changes = files::read_schema_changes();
    let ids = rules.iter().zip(0..);
    let mut by_id: HashMap<String, RuleId> = ids
        .map(|(rule, index)| (rule.id.clone(), RuleId(index)))
        .collect();
    for change in &changes {
        for role in Role::ALL {
            let id = format!("{}-{}", role.prefix(), change.change);
            // A rule with a file of its own replaces that of the role.
            by_id.entry(id.clone()).or_insert_with(|| {
                rules.push(change.rule(id, role));
                RuleId(rules.len() - 1)
            });
        }
    }
    Table {
        rules,
        by_id,
        changes,
    }
});

/// The index of the file with this name. In a constant, an unknown one does not compile.
const fn find_file(files: &[(&str, &str)], name: &str) -> usize {
    let mut index = 0;
    while index < files.len() {
        if is_equal(name, files[index].0) {
            return index;
        }
        index += 1;
    }
    panic!("no rule has this id");
}

/// Compares texts, also in constants.
const fn is_equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for RuleId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl PartialEq<&str> for RuleId {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}
