//! The error type of an operation.

use spec_model::{Operation, Response, SchemaRef, SchemaType};

use crate::model::{ErrorShape, ErrorType, NamedType, Presence, Shape, Type};
use crate::plan::bodies;
use crate::plan::problems::Problems;
use crate::plan::responses::{is_error, place_of};
use crate::plan::types::Types;
use crate::settings::{ErrorProperties, Settings};

pub(super) fn read_error(
    problems: &Problems<'_>,
    types: &mut Types<'_>,
    settings: &Settings,
    operation: &Operation,
    variant: &str,
) -> ErrorType {
    let has_success = operation
        .responses
        .keys()
        .any(|status| !is_error(status) && status != "default");
    let errors = operation
        .responses
        .iter()
        .filter(|(status, _)| is_error(status) || (*status == "default" && has_success));
    let mut found: Option<(&String, &SchemaRef)> = None;
    for (status, response) in errors {
        let Some(schema) = read_error_body(problems, status, response) else {
            continue;
        };
        match found {
            None => found = Some((status, schema)),
            Some((earlier, other)) if !types.is_same(schema, other) => {
                let message = format!(
                    "the body of `{status}` differs from that of `{earlier}`, but a method has one type of error"
                );
                problems.report(place_of(response), message, "give both the same schema");
            }
            Some(_) => {}
        }
    }
    let Some((_, schema)) = found else {
        return ErrorType::HttpError;
    };
    if is_dropshot_error(types, schema) {
        return ErrorType::HttpError;
    }
    let ty = types.resolve_type(schema, &format!("{variant}Error"));
    types.mark_body_type(&ty);
    if let Type::Named(name) = &ty
        && let Some(named) = types.find(name)
        && let Some(properties) = &settings.error
        && let Some(shape) = find_shape(named, properties)
    {
        named.error = Some(shape);
        return ErrorType::Itself(name.clone());
    }
    ErrorType::Failure(ty)
}

fn read_error_body<'r>(
    problems: &Problems<'_>,
    status: &str,
    response: &'r Response,
) -> Option<&'r SchemaRef> {
    let mut schema = None;
    for (name, media_type) in &response.content {
        if !bodies::is_json(name) {
            problems.report(
                &media_type.at,
                format!("errors are sent as `application/json`, not as `{name}`"),
                "declare `application/json` alone",
            );
        } else if media_type.schema.is_none() {
            problems.report(&media_type.at, "the body has no schema", "add a `schema`");
        } else {
            schema = media_type.schema.as_ref();
        }
    }
    if response.content.is_empty() {
        let message =
            format!("the error `{status}` has no body, but dropshot writes one for every error");
        problems.report(
            place_of(response),
            message,
            "declare the body, the same for all errors",
        );
    }
    schema
}

/// Whether this is the error that dropshot itself emits: `error_code`, `message`, `request_id`.
fn is_dropshot_error(types: &Types<'_>, schema: &SchemaRef) -> bool {
    let Some(name) = schema.name() else {
        return false;
    };
    let Some(schema) = types.spec.schema(name) else {
        return false;
    };
    let string = |name: &str| {
        let property = schema.properties.get(name);
        let property = property.and_then(|property| types.spec.resolve(property));
        property.is_some_and(|property| property.schema_type == Some(SchemaType::String))
    };
    name == "Error"
        && schema.properties.len() == 3
        && ["error_code", "message", "request_id"]
            .into_iter()
            .all(string)
        && schema.requires("message")
        && schema.requires("request_id")
        && !schema.requires("error_code")
}

/// Finds the fields that dropshot's errors fill; `None` if the type has other required fields.
fn find_shape(named: &NamedType, properties: &ErrorProperties) -> Option<ErrorShape> {
    let Shape::Struct(shape) = &named.shape else {
        return None;
    };
    if shape.rest.is_some() {
        return None;
    }
    let (mut status, mut message, mut code) = (None, None, None);
    for field in &shape.fields {
        let name = field.name.clone();
        match (&field.ty, &field.presence) {
            (Type::Integer(width), Presence::Required)
                if field.wire == properties.status && holds_status(width) =>
            {
                status = Some(name);
            }
            (Type::String, Presence::Required) if field.wire == properties.message => {
                message = Some(name);
            }
            (Type::String, Presence::Required) if field.wire == properties.code => {
                code = Some(name);
            }
            (Type::Option(inner), Presence::Optional)
                if field.wire == properties.code && **inner == Type::String =>
            {
                code = Some(name);
            }
            (_, Presence::Optional) => {}
            // Nothing is known to fill this field, so that only the implementation can make such an error.
            _ => return None,
        }
    }
    Some(ErrorShape {
        status: status?,
        message,
        code,
    })
}

/// Whether the integer type is wider than `u16`, so that every status converts into it.
fn holds_status(width: &str) -> bool {
    matches!(width, "u32" | "i32" | "u64" | "i64")
}
