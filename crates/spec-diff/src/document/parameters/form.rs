//! How the value of a parameter is written: `style`, `explode`, `allowReserved`, `allowEmptyValue`.

use super::Parameter;
use crate::document::operations::keyword_edit;
use crate::session::Session;
use crate::tree::{Id, Tree};

/// How the value of a parameter is written.
#[derive(PartialEq)]
pub(super) struct Form {
    style: String,
    explode: bool,
}

impl Form {
    /// Whether an array is the parameter repeated.
    pub(super) fn is_repeated(&self) -> bool {
        self.style == "form" && self.explode
    }
}

/// Reports what changed; hands back how the value is written now.
pub(super) fn compare(
    session: &mut Session<'_>,
    old: &Parameter,
    new: &Parameter,
    subject: &str,
) -> Form {
    let (base, revision) = (old.id, new.id);
    let was = form(&session.base.tree, base, &old.location);
    let is = form(&session.revision.tree, revision, &new.location);
    if was.style != is.style {
        let edit = keyword_edit(session, base, revision, &["style"]);
        let message = format!("the {subject}: `style` {} → {}", was.style, is.style);
        session.report("request-parameter-style-changed", edit, message);
    } else if was.explode != is.explode {
        let edit = keyword_edit(session, base, revision, &["explode"]);
        let message = format!("the {subject}: `explode` {} → {}", was.explode, is.explode);
        session.report("request-parameter-explode-changed", edit, message);
    }
    for (keyword, name) in [
        ("allowReserved", "reserved"),
        ("allowEmptyValue", "empty-value"),
    ] {
        let was = session.base.tree.flag(base, keyword);
        let is = session.revision.tree.flag(revision, keyword);
        if was != is {
            let end = if is { "allowed" } else { "forbidden" };
            let edit = keyword_edit(session, base, revision, &[keyword]);
            let message = format!("the {subject}: `{keyword}` {was} → {is}");
            session.report(&format!("request-parameter-{name}-{end}"), edit, message);
        }
    }
    is
}

fn form(tree: &Tree<'_>, id: Id, location: &str) -> Form {
    let default = match location {
        "query" | "cookie" => "form",
        _ => "simple",
    };
    let style = tree.text(id, "style").unwrap_or(default).to_owned();
    let explode = tree
        .get(id, "explode")
        .and_then(|id| tree.node(id).as_bool());
    Form {
        explode: explode.unwrap_or(style == "form"),
        style,
    }
}
