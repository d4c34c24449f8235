//! Compares the values of parameters and headers.

use super::content::{has_null, is_typed, media_types};
use crate::rules::{RuleId, change};
use crate::schema::Schemas;
use crate::schema_diff::SchemaContext;
use crate::session::Session;
use crate::tree::{Id, Pair, Tree};

/// Compares the value of a parameter or header: `schema`, or `content` with one media type.
pub(super) fn compare_value(
    session: &mut Session<'_>,
    pair: Pair,
    context: SchemaContext,
    subject: &str,
    content_rule: RuleId,
) {
    let (old, new) = session.both(pair, ValueSchema::read);
    let edit = session.keyword_edit(pair, &["content", "schema"]);
    if old.media_type != new.media_type && old.is_given() && new.is_given() {
        let message = format!("the media type of the {subject} changed");
        return session.report(content_rule, edit, message);
    }
    match (old.schema, new.schema) {
        (Some(old_schema), Some(new_schema)) => {
            let media_type = new.media_type.as_deref();
            let context = SchemaContext {
                typed: media_type.is_some_and(is_typed),
                has_null: media_type.is_some_and(has_null),
                ..context
            };
            let base = session.base.set_at(old_schema);
            let revision = session.revision.set_at(new_schema);
            session.compare_schemas(base, revision, context, subject);
        }
        (None, None) => {}
        (Some(_), None) => {
            let rule = context.role.rule(change!("type-generalized"));
            let message = format!("the schema of the {subject} was removed");
            session.report(rule, edit, message);
        }
        (None, Some(_)) => {
            let change = if context.role.is_request() {
                change!("type-changed")
            } else {
                change!("type-specialized")
            };
            let message = format!("a schema of the {subject} was added");
            session.report(context.role.rule(change), edit, message);
        }
    }
    if let (Some(base), Some(revision)) = (old.holder, new.holder) {
        session.compare_other_fields((base, revision), &["schema", "encoding"]);
        // `content` can have one media type only.
        let (was, is) = session.both((base, revision), |tree, id| tree.key(id));
        session.compare_other_fields_of(pair, "content", &[was, is]);
    }
}

/// How a parameter or header is written: its style, and whether it is exploded.
pub(super) fn style(tree: &Tree<'_>, id: Id) -> (String, bool) {
    let default = match tree.text(id, "in") {
        Some("query" | "cookie") => "form",
        _ => "simple",
    };
    let style = tree.text(id, "style").unwrap_or(default);
    let explode = tree.get(id, "explode");
    let explode = explode.and_then(|id| tree.node(id).as_bool());
    (
        style.to_owned(),
        explode.unwrap_or(["form", "cookie"].contains(&style)),
    )
}

/// Whether values of a parameter or header have other texts if they are exploded: not scalars, nor arrays in the style
/// `simple`.
pub(super) fn depends_on_explode(schemas: &mut Schemas<'_>, id: Id, style: &str) -> bool {
    let Some(schema) = schemas.tree.get(id, "schema") else {
        return schemas.tree.get(id, "content").is_none();
    };
    let set = schemas.set_at(schema);
    let schema = schemas.get(set);
    schema.allows_type("object") || schema.allows_type("array") && style != "simple"
}

/// The schema of a parameter or header, in `schema` or in `content`.
#[derive(Default)]
struct ValueSchema {
    schema: Option<Id>,
    media_type: Option<String>,
    /// The media type object in `content`.
    holder: Option<Id>,
}

impl ValueSchema {
    fn read(tree: &Tree<'_>, id: Id) -> ValueSchema {
        let schema = tree.get(id, "schema");
        match media_types(tree, id).into_iter().next() {
            Some((name, holder)) if schema.is_none() => ValueSchema {
                schema: tree.get(holder, "schema"),
                media_type: Some(name),
                holder: Some(holder),
            },
            _ => ValueSchema {
                schema,
                ..ValueSchema::default()
            },
        }
    }

    fn is_given(&self) -> bool {
        self.schema.is_some() || self.media_type.is_some()
    }
}
