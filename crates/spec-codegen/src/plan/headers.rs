//! The response headers that the implementation of an operation sets.

use std::collections::HashSet;

use heck::ToUpperCamelCase;
use spec_model::{Header, Operation, Response};

use crate::model::{ParameterKind, ParameterStruct};
use crate::names;
use crate::plan::parameter_fields::FieldSource;
use crate::plan::parameters::Parameters;
use crate::plan::types::Types;
use crate::settings::Settings;

impl<'s> Parameters<'s> {
    /// Plans the struct of the response headers that the implementation of an operation sets.
    pub(super) fn plan_response_headers(
        &mut self,
        types: &mut Types<'s>,
        operation: &Operation,
        variant: &str,
        status: &str,
        response: &Response,
    ) -> Option<String> {
        let headers: Vec<(&String, &Header)> = response
            .headers
            .iter()
            .filter(|(name, header)| is_set_by_implementation(self.settings, name, header))
            .collect();
        if headers.is_empty() {
            return None;
        }
        let name = format!("{variant}ResponseHeaders");
        types.check_struct_name(&name, &operation.at);
        let mut taken = HashSet::new();
        let mut fields = Vec::new();
        for (header_name, header) in headers {
            let place = header.reference.as_ref().unwrap_or(&header.at);
            let Some(schema) = &header.schema else {
                let message = format!("the header `{header_name}` has no schema");
                self.problems
                    .report(place, message, "describe it by a `schema`");
                continue;
            };
            let hint = match &header.component {
                Some(component) => component.to_upper_camel_case(),
                None => format!(
                    "{variant}{}",
                    names::type_name(header_name).unwrap_or_default()
                ),
            };
            let source = FieldSource {
                name: header_name,
                description: header.description.as_deref(),
                required: header.required,
                place,
            };
            fields.extend(types.plan_parameter_field(&hint, &source, schema, &mut taken));
        }
        let id = operation.id.as_ref().map_or("", |id| id.value.as_str());
        self.structs.insert(
            name.clone(),
            ParameterStruct {
                name: name.clone(),
                kind: ParameterKind::ResponseHeader,
                docs: format!("The response headers of `{id}`."),
                pointer: format!("{}/responses/{status}", operation.at.pointer),
                fields,
            },
        );
        Some(name)
    }
}

/// Whether the implementation of an operation sets the header.
fn is_set_by_implementation(settings: &Settings, name: &str, header: &Header) -> bool {
    let mark = settings.server_headers.as_ref();
    let by_server = mark.is_some_and(|mark| mark.is_on(&header.extensions));
    // In OpenAPI `content` decides about the content type.
    !by_server && !name.eq_ignore_ascii_case("content-type")
}
