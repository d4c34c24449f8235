//! The rules. Each is a file of `rules`: its level, what it asks for, and edits of a document that violate it. Checks name
//! it with `rule!("…")`; an id without a file does not compile.

use dropspec_model::Level;

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

// `RULES`, and the macro `rule!` with an arm for the id of each.
include!(concat!(env!("OUT_DIR"), "/rules.rs"));

pub(crate) use rule;

/// What is said of a document that cannot be read whole.
pub const INVALID_DOCUMENT: Rule = *rule!("invalid-document");

/// What is said of a document by those who read it for another purpose, such as to generate code.
pub const NOT_GENERATED: Rule = *rule!("not-generated");

/// What is said of the files and overlays that make up a document.
pub const OTHER_FILES: Rule = *rule!("other-files");

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
