//! Response headers, as far as the implementation of an operation supplies them.

use std::collections::HashSet;

use heck::ToUpperCamelCase;
use spec_model::{Header, Operation, Response};

use crate::model::{ParameterKind, ParameterStruct};
use crate::names;
use crate::plan::Types;
use crate::plan::members::Member;
use crate::plan::parameters::Parameters;

impl<'s> Parameters<'s> {
    /// The struct of the headers that the implementation of an operation supplies.
    pub(super) fn response_headers(
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
            .filter(|(name, header)| is_supplied_by_implementation(name, header))
            .collect();
        if headers.is_empty() {
            return None;
        }
        let name = types.free_name(format!("{variant}ResponseHeaders"), &operation.at.pointer);
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
            let member = Member {
                name: header_name,
                description: header.description.as_deref(),
                required: header.required,
                place,
            };
            fields.extend(self.member(types, &hint, &member, schema, &mut taken));
        }
        let id = operation.id.as_ref().map_or("", |id| id.value.as_str());
        self.structs.insert(
            name.clone(),
            ParameterStruct {
                name: name.clone(),
                kind: ParameterKind::ResponseHeader,
                docs: format!("The headers that `{id}` answers with."),
                pointer: format!("{}/responses/{status}", operation.at.pointer),
                fields,
            },
        );
        Some(name)
    }
}

fn is_supplied_by_implementation(name: &str, header: &Header) -> bool {
    let supplier = header
        .extensions
        .get("x-supplied-by")
        .and_then(|member| member.node.as_str());
    // OpenAPI gives the content type to `content`.
    supplier != Some("gate") && !name.eq_ignore_ascii_case("content-type")
}
