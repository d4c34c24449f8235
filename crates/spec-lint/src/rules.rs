//! The rules. Each is a file of `rules`: its level, what it asks for, and edits of a document that violate it. Checks name
//! it with `rule!("…")`; an id without a file does not compile.

use spec_model::Level;

/// The [`Rule`] of a file in `rules`. Another id does not compile.
macro_rules! rule {
    ($id:literal) => {
        const { $crate::rules::find($id) }
    };
}

pub(crate) use rule;

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The id as findings print it. Those of a house begin with `house-`.
    pub id: &'static str,
    /// The level, unless settings choose another.
    pub level: Level,
    /// What to do about a violation; empty if that depends on it.
    pub(crate) help: &'static str,
    /// What the rule asks for, in one sentence.
    pub summary: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// All rules. Those of OpenAPI always apply; those of a house as far as the settings turn them on.
pub const RULES: &[Rule] = FILES;

/// What is said of a document that cannot be read whole.
pub const INVALID_DOCUMENT: Rule = *rule!("invalid-document");

/// What is said of a document by those who read it for another purpose, such as to generate code.
pub const NOT_GENERATED: Rule = *rule!("not-generated");

/// What is said of the files and overlays that make up a document.
pub const OTHER_FILES: Rule = *rule!("other-files");

/// The rule of an id. In a constant, a misspelt id does not compile.
pub(crate) const fn find(id: &str) -> &'static Rule {
    let mut index = 0;
    while index < RULES.len() {
        if is_equal(id, RULES[index].id) {
            return &RULES[index];
        }
        index += 1;
    }
    panic!("no rule has this id");
}

const fn is_equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

/// Renders the table of rules, in Markdown.
pub fn render_rules() -> String {
    let rows = RULES.iter().map(|rule| {
        let (id, level) = (rule.id, rule.level.as_str());
        format!("| `{id}` | {level} | {} |\n", rule.summary)
    });
    format!("{INTRODUCTION}{}", rows.collect::<String>())
}

const INTRODUCTION: &str = "
## Rules of `cargo xtask lint`

Those of a house apply as far as the settings `[lint]` turn them on.

| rule | level | what it asks for |
| --- | --- | --- |
";
