//! Every rule there is, in one table: its id, how bad it is, what it means, and an edit that sets it off. The comparison
//! names rules by their id and decides no levels; `docs/contract.md` lists the same table.

mod families;
mod singles;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

pub use families::FAMILIES;
pub use singles::SINGLES;

/// How bad a change is. Ordered: `Info < Warn < Error`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing; breaks nobody.
    Info,
    /// May break someone: look at it.
    Warn,
    /// Breaks those who rely on what was promised.
    Error,
}

/// How far a change moves the version of the interface (Semantic Versioning 2.0.0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bump {
    /// Not at all.
    None,
    /// Only the words changed.
    Patch,
    /// Something was added, or changed compatibly.
    Minor,
    /// Something that was promised is gone.
    Major,
}

/// What a rule weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What goes over the wire.
    Interface,
    /// What is said about it.
    Documentation,
    /// How the end of something is announced. It changes what is promised, and breaks nobody.
    Notice,
    /// How the change is made: versions, acknowledgements, what is overdue.
    Process,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// As findings name it.
    pub id: String,
    /// How bad it is for a stable operation.
    pub level: Level,
    /// What it weighs.
    pub kind: Kind,
    /// What happened, in a few words.
    pub meaning: &'static str,
    /// An edit that sets it off.
    pub example: &'static str,
}

/// A rule of its own.
#[derive(Debug, Clone, Copy)]
pub struct Single {
    /// As findings name it.
    pub id: &'static str,
    /// How bad it is for a stable operation.
    pub level: Level,
    /// What it weighs.
    pub kind: Kind,
    /// What happened, in a few words.
    pub meaning: &'static str,
    /// An edit that sets it off.
    pub example: &'static str,
}

/// The same change of a schema wherever the schema stands: `{role}-{change}` for each role.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// What the id ends with.
    pub change: &'static str,
    /// How bad it is in what clients send.
    pub request: Level,
    /// How bad it is in what clients receive.
    pub response: Level,
    /// What happened, in a few words.
    pub meaning: &'static str,
    /// An edit that sets it off.
    pub example: &'static str,
}

/// What clients send.
pub const REQUEST_ROLES: [&str; 4] = [
    "request-body",
    "request-property",
    "request-parameter",
    "request-parameter-property",
];
/// What clients receive.
pub const RESPONSE_ROLES: [&str; 4] = [
    "response-body",
    "response-property",
    "response-header",
    "response-header-property",
];

/// All rules, those of their own first.
pub fn all() -> &'static [Rule] {
    &TABLE.rules
}

/// The rule with this id.
pub fn find(id: &str) -> Option<&'static Rule> {
    TABLE.by_id.get(id).map(|index| &TABLE.rules[*index])
}

struct Table {
    rules: Vec<Rule>,
    by_id: HashMap<String, usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table {
        rules: Vec::new(),
        by_id: HashMap::new(),
    };
    for single in SINGLES {
        table.add(Rule {
            id: single.id.to_owned(),
            level: single.level,
            kind: single.kind,
            meaning: single.meaning,
            example: single.example,
        });
    }
    for family in FAMILIES {
        let request = REQUEST_ROLES.map(|role| (role, family.request));
        let response = RESPONSE_ROLES.map(|role| (role, family.response));
        for (role, level) in request.into_iter().chain(response) {
            table.add(Rule {
                id: format!("{role}-{}", family.change),
                level,
                kind: family.kind(),
                meaning: family.meaning,
                example: family.example,
            });
        }
    }
    table
});

impl Table {
    /// A single rule goes before the family that it would belong to.
    fn add(&mut self, rule: Rule) {
        if !self.by_id.contains_key(&rule.id) {
            self.by_id.insert(rule.id.clone(), self.rules.len());
            self.rules.push(rule);
        }
    }
}
