//! Compares the values of parameters and headers.

use super::content::{MEDIA_TYPE, is_typed, media_types};
use crate::rules::{RuleId, change};
use crate::schema_diff::SchemaContext;
use crate::session::Session;
use crate::tree::{Id, Tree};

/// Compares the value of a parameter or header: `schema`, or `content` with one media type.
pub(crate) fn compare_value(
    session: &mut Session<'_>,
    base: Id,
    revision: Id,
    context: SchemaContext,
    subject: &str,
    content_rule: RuleId,
) {
    let old = ValueSchema::read(&session.base.tree, base);
    let new = ValueSchema::read(&session.revision.tree, revision);
    let edit = session.keyword_edit(base, revision, &["content", "schema"]);
    if old.media_type != new.media_type && old.is_given() && new.is_given() {
        let message = format!("the media type of the {subject} changed");
        session.report(content_rule, edit, message);
        return;
    }
    match (old.schema, new.schema) {
        (Some(old_schema), Some(new_schema)) => {
            let typed = new.media_type.as_deref().is_some_and(is_typed);
            let context = SchemaContext { typed, ..context };
            let base = session.base.set_at(old_schema);
            let revision = session.revision.set_at(new_schema);
            session.compare_schemas(base, revision, context, subject);
        }
        (None, None) => {}
        (Some(_), None) => {
            let rule = context.role.rule(change!("type-generalized"));
            session.report(
                rule,
                edit,
                format!("the schema of the {subject} was removed"),
            );
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
    if let (Some(holder), Some(other)) = (old.holder, new.holder) {
        session.compare_other_fields(holder, other, MEDIA_TYPE);
        // `content` can have one media type only.
        let base_name = session.base.tree.key(holder);
        let revision_name = session.revision.tree.key(other);
        let known = [base_name, revision_name];
        session.compare_other_fields_of(base, revision, "content", &known);
    }
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
        if let Some(schema) = tree.get(id, "schema") {
            return ValueSchema {
                schema: Some(schema),
                ..ValueSchema::default()
            };
        }
        match media_types(tree, id).into_iter().next() {
            None => ValueSchema::default(),
            Some((name, holder)) => ValueSchema {
                schema: tree.get(holder, "schema"),
                media_type: Some(name),
                holder: Some(holder),
            },
        }
    }

    fn is_given(&self) -> bool {
        self.schema.is_some() || self.media_type.is_some()
    }
}
