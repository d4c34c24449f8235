//! Compares the serialization of a parameter: `style`, `explode`, `allowReserved`, `allowEmptyValue`.

use super::Parameter;
use crate::rules::rule;
use crate::session::Session;
use crate::tree::Tree;

/// The serialization of a parameter.
pub(super) struct Style {
    style: String,
    explode: bool,
}

impl Style {
    fn read(tree: &Tree<'_>, parameter: &Parameter) -> Style {
        let default = match parameter.location.as_str() {
            "query" | "cookie" => "form",
            _ => "simple",
        };
        let style = tree.text(parameter.id, "style").unwrap_or(default);
        let explode = tree.get(parameter.id, "explode");
        let explode = explode.and_then(|id| tree.node(id).as_bool());
        Style {
            style: style.to_owned(),
            explode: explode.unwrap_or(style == "form"),
        }
    }

    /// Whether an array is sent as several parameters.
    pub(super) fn is_repeated(&self) -> bool {
        self.style == "form" && self.explode
    }
}

/// Compares the serialization; returns that of the revision.
pub(super) fn compare(
    session: &mut Session<'_>,
    old: &Parameter,
    new: &Parameter,
    subject: &str,
) -> Style {
    let (base, revision) = (old.id, new.id);
    let was = Style::read(&session.base.tree, old);
    let is = Style::read(&session.revision.tree, new);
    if was.style != is.style {
        let edit = session.keyword_edit(base, revision, &["style"]);
        let message = format!("the {subject}: `style` {} → {}", was.style, is.style);
        session.report(rule!("request-parameter-style-changed"), edit, message);
    } else if was.explode != is.explode {
        let edit = session.keyword_edit(base, revision, &["explode"]);
        let message = format!("the {subject}: `explode` {} → {}", was.explode, is.explode);
        session.report(rule!("request-parameter-explode-changed"), edit, message);
    }
    let flags = [
        (
            "allowReserved",
            [
                rule!("request-parameter-reserved-forbidden"),
                rule!("request-parameter-reserved-allowed"),
            ],
        ),
        (
            "allowEmptyValue",
            [
                rule!("request-parameter-empty-value-forbidden"),
                rule!("request-parameter-empty-value-allowed"),
            ],
        ),
    ];
    for (keyword, rules) in flags {
        session.compare_flag(base, revision, keyword, rules, &format!("the {subject}"));
    }
    is
}
