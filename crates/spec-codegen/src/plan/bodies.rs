//! Request bodies.

use spec_model::Operation;

use crate::model::Type;
use crate::plan::problems::Problems;
use crate::plan::types::Types;

/// Reads the type of the request body, if the operation has one.
pub(super) fn read_body(
    problems: &Problems<'_>,
    types: &mut Types<'_>,
    operation: &Operation,
    variant: &str,
) -> Option<Type> {
    let body = operation.request_body.as_ref()?;
    let at = body.reference.as_ref().unwrap_or(&body.at);
    if !body.required {
        problems.report(
            &body.at,
            "dropshot has no optional bodies",
            "add `required: true` to the body",
        );
    }
    let mut found = None;
    for (name, media_type) in &body.content {
        if !is_json(name) {
            problems.report(
                &media_type.at,
                format!("a body with the media type `{name}` is not decoded"),
                "offer `application/json` alone",
            );
            continue;
        }
        let Some(schema) = &media_type.schema else {
            problems.report(&media_type.at, "the body has no schema", "add a `schema`");
            continue;
        };
        if found.is_some() {
            problems.report(
                &media_type.at,
                "the body is JSON twice",
                "keep one of the two",
            );
        }
        let ty = types.resolve_type(schema, &format!("{variant}Body"));
        types.mark_body_type(&ty);
        found = Some(ty);
    }
    if body.content.is_empty() {
        problems.report(
            at,
            "the body has no content",
            "add `content` with `application/json`",
        );
    }
    found.or(Some(Type::Any))
}

/// Whether a media type is `application/json`, its parameters left aside.
pub(super) fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}
