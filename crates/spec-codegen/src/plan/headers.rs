//! The response headers that the implementation of an operation sets.

use std::collections::HashSet;

use heck::ToUpperCamelCase;
use spec_model::{Header, ParameterStyle, Response};
use spec_schema::header::Ignored;

use crate::model::{Encoding, ParameterKind, ParameterStruct};
use crate::names;
use crate::plan::operations::{Named, Planner};
use crate::plan::parameter_fields::FieldSource;
use crate::settings::Settings;

impl Planner<'_, '_> {
    /// Plans the struct of the response headers that the implementation of an operation sets. `name` is the name of the
    /// struct.
    pub(super) fn plan_response_headers(
        &mut self,
        of: &Named<'_>,
        name: String,
        status: &str,
        response: &Response,
    ) -> Option<String> {
        for (name, header) in &response.headers {
            if let Some(ignored) = Ignored::find_in_response(name) {
                let message = ignored.message_in_response(name);
                self.problems.warn(&header.at, message, ignored.help());
            }
        }
        let headers: Vec<(&String, &Header)> = response
            .headers
            .iter()
            .filter(|(name, header)| is_set_by_implementation(self.settings, name, header))
            .collect();
        if headers.is_empty() {
            return None;
        }
        let mut taken = HashSet::new();
        let mut fields = Vec::new();
        for (header_name, header) in headers {
            let hint = match &header.component {
                Some(component) => component.to_upper_camel_case(),
                None => format!(
                    "{}{}",
                    of.variant,
                    names::type_name(header_name).unwrap_or_default()
                ),
            };
            let source = FieldSource {
                name: header_name,
                description: header.description.as_deref(),
                required: header.required,
                style: Encoding::Style {
                    style: ParameterStyle::Simple,
                    explode: header.explode,
                    allow_reserved: false,
                },
                schema: header.schema.as_ref(),
                content: &header.content,
            };
            fields.push(self.types.plan_parameter_field(&hint, &source, &mut taken));
        }
        Some(self.parameters.add(ParameterStruct {
            name,
            kind: ParameterKind::ResponseHeader,
            docs: format!("The response headers of `{}`.", of.id),
            pointer: format!("{}/responses/{status}", of.operation.at.pointer),
            fields,
        }))
    }
}

/// Whether the implementation of an operation sets the header.
fn is_set_by_implementation(settings: &Settings, name: &str, header: &Header) -> bool {
    let mark = settings.server_headers.as_ref();
    let by_server = mark.is_some_and(|mark| mark.is_on(&header.extensions));
    !by_server && Ignored::find_in_response(name).is_none()
}
