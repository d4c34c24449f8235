//! The error type of an operation.

use dropspec_model::{SchemaRef, SchemaType};

use crate::model::{
    ErrorShape, ErrorType, NamedType, Presence, ResponseContent, ResponseForm, Shape, Type,
};
use crate::plan::named_operation::NamedOperation;
use crate::plan::operations::Planner;
use crate::plan::responses::Declared;
use crate::plan::statuses::{is_4xx_or_5xx, is_success};
use crate::plan::types::Types;
use crate::plan::{media_types, statuses};
use crate::settings::ErrorProperties;

impl<'s> Planner<'_, 's> {
    /// The error of an operation, and the responses that it stands for.
    pub(super) fn read_error(&mut self, of: &NamedOperation<'s>) -> (ErrorType, Vec<ResponseForm>) {
        let responses = &of.operation.responses;
        let has_success = responses
            .keys()
            .any(|status| is_success(of.operation, status));
        let errors = responses
            .iter()
            .filter(|(status, _)| is_4xx_or_5xx(status) || (*status == "default" && has_success));
        let errors: Vec<Declared<'_>> = errors
            .map(|(status, response)| (status.as_str(), response))
            .collect();
        if errors.is_empty() {
            return (ErrorType::HttpError, Vec::new());
        }
        let Some(schema) = self.find_common_schema(&errors) else {
            let docs = format!("The errors of `{}`.", of.id);
            let planned = self.plan_enum(of, "Error", docs, &errors);
            let forms = planned.forms();
            return (ErrorType::Responses(planned), forms);
        };
        let (error, ty) = self.read_common_error(of, schema);
        let forms = errors.iter().map(|(status, response)| ResponseForm {
            status: statuses::parse(status),
            media_type: response.content.keys().next().cloned(),
            content: ResponseContent::Json(ty.clone()),
        });
        (error, forms.collect())
    }

    /// The schema of the bodies of all errors, if all have the same and are sent as `application/json`.
    fn find_common_schema(&self, errors: &[Declared<'s>]) -> Option<&'s SchemaRef> {
        let mut found: Option<&SchemaRef> = None;
        for (_, response) in errors {
            let (name, media_type) = response.content.first()?;
            let schema = media_type.schema.as_ref()?;
            let is_other = found.is_some_and(|found| !self.types.is_same(schema, found));
            if response.content.len() > 1 || !media_types::is_plain_json(name) || is_other {
                return None;
            }
            found.get_or_insert(schema);
        }
        found
    }

    /// The error whose bodies have this schema, and their type.
    fn read_common_error(
        &mut self,
        of: &NamedOperation<'s>,
        schema: &SchemaRef,
    ) -> (ErrorType, Type) {
        let hint = format!("{}Error", of.variant);
        let ty = self.types.resolve_type(schema, &hint);
        if is_dropshot_error(self.types, schema) {
            return (ErrorType::HttpError, ty);
        }
        self.types.mark_body_type(&ty);
        if let Type::Named(name) = &ty
            && let Some(properties) = &self.settings.error
            && let Some(named) = self.types.find(name)
            && let Some(shape) = find_shape(named, properties)
        {
            named.error = Some(shape);
            return (ErrorType::Itself(name.clone()), ty);
        }
        (ErrorType::Failure(ty.clone()), ty)
    }
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
    matches!(width, "u32" | "i32" | "u64" | "i64" | "usize" | "isize")
}
