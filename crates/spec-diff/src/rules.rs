//! The table of rules: ids, levels and texts, and which version increment a change requires.
//!
//! The comparison names a rule with `rule!("…")`, or with a role and `change!("…")`. An id that is not in the table does
//! not compile. `docs/rules.md` is generated from the table.

/// The [`RuleId`] of an id in the table. Another id does not compile.
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

/// The [`Change`] of a family in the table. Another one does not compile.
macro_rules! change {
    ($change:expr) => {{
        const CHANGE: $crate::rules::Change = $crate::rules::Change::named($change);
        CHANGE
    }};
}

mod advice;
mod families;
mod page;
mod singles;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use serde::{Serialize, Serializer};

pub(crate) use families::Change;
pub use families::{FAMILIES, Family, Role};
pub use page::render_page;
pub use singles::{OF_WHOLE_DOCUMENTS, SINGLES};
pub use spec_model::Level;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    /// Requests and responses.
    Interface,
    /// Descriptions and examples.
    Documentation,
    /// How the end of something is announced. Existing clients keep working.
    Notice,
    /// How the change is made: versions, acknowledgements, sunsets that have passed.
    Process,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The id as findings print it.
    pub id: Cow<'static, str>,
    /// The level for a stable operation.
    pub level: Level,
    /// What it is about.
    pub category: Category,
    /// What to do about it, if it is an error or a warning.
    pub advice: Option<&'static str>,
    /// What changed, in one sentence.
    pub summary: &'static str,
    /// An edit that triggers the rule.
    pub example: &'static str,
}

/// The id of a rule in the table.
///
/// ```
/// const ADDED: spec_diff::RuleId = spec_diff::RuleId::named("endpoint-added");
/// assert_eq!(ADDED.to_string(), "endpoint-added");
/// ```
///
/// A misspelt id does not compile:
///
/// ```compile_fail
/// const ADDED: spec_diff::RuleId = spec_diff::RuleId::named("endpoint-aded");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(usize);

impl RuleId {
    /// Finds a rule of [`SINGLES`] by its id.
    ///
    /// # Panics
    /// If there is none; in a constant, this is an error of the compiler.
    pub const fn named(id: &str) -> RuleId {
        let mut index = 0;
        while index < SINGLES.len() {
            if let Cow::Borrowed(other) = &SINGLES[index].id
                && is_equal(id, other)
            {
                return RuleId(index);
            }
            index += 1;
        }
        panic!("no rule has this id");
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

impl Change {
    /// The rule `{prefix}-{change}` of a special kind of property, if it has one of its own.
    pub(crate) fn rule_with_prefix(self, prefix: &str) -> Option<RuleId> {
        find(&format!("{prefix}-{}", FAMILIES[self.0].change))
    }
}

impl Role {
    /// The rule for a change of a schema in this role.
    pub(crate) fn rule(self, change: Change) -> RuleId {
        TABLE.families[change.0][self as usize]
    }
}

/// All rules, first [`SINGLES`], then [`FAMILIES`].
pub fn all() -> &'static [Rule] {
    &TABLE.rules
}

/// Finds a rule by its id.
pub fn find(id: &str) -> Option<RuleId> {
    TABLE.by_id.get(id).copied()
}

struct Table {
    rules: Vec<Rule>,
    by_id: HashMap<Cow<'static, str>, RuleId>,
    /// For each family the rules of [`Role::ALL`].
    families: Vec<[RuleId; 8]>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut rules = SINGLES.to_vec();
    let own = SINGLES.iter().zip(0..);
    let mut by_id: HashMap<Cow<'static, str>, RuleId> = own
        .map(|(rule, index)| (rule.id.clone(), RuleId(index)))
        .collect();
    let mut families = Vec::new();
    for (index, family) in FAMILIES.iter().enumerate() {
        families.push(Role::ALL.map(|role| {
            let id: Cow<'_, str> = format!("{}-{}", role.prefix(), family.change).into();
            // A rule with an id of its own replaces that of the family.
            *by_id.entry(id.clone()).or_insert_with(|| {
                rules.push(Rule {
                    id,
                    level: if role.is_request() {
                        family.request
                    } else {
                        family.response
                    },
                    category: Change(index).category(),
                    advice: Some(Change(index).advice(role)),
                    summary: family.summary,
                    example: family.example,
                });
                RuleId(rules.len() - 1)
            })
        }));
    }
    Table {
        rules,
        by_id,
        families,
    }
});

const fn single(
    id: &'static str,
    level: Level,
    category: Category,
    advice: Option<&'static str>,
    summary: &'static str,
    example: &'static str,
) -> Rule {
    Rule {
        id: Cow::Borrowed(id),
        level,
        category,
        advice,
        summary,
        example,
    }
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
