//! The response headers that the implementation of an operation sets.

use dropspec_model::{Header, Parameter, ParameterLocation, ParameterStyle, Response};
use dropspec_schema::header::Ignored;

use crate::model::{ParameterKind, ParameterStruct};
use crate::plan::named_operation::NamedOperation;
use crate::plan::operations::Planner;
use crate::plan::parameters::read_fields;

impl Planner<'_, '_> {
    /// Plans the struct of the response headers that the implementation of an operation sets. `name` is the name of the
    /// struct.
    pub(super) fn plan_response_headers(
        &mut self,
        of: &NamedOperation<'_>,
        name: String,
        status: &str,
        response: &Response,
    ) -> Option<String> {
        let mut headers = Vec::new();
        for (name, header) in &response.headers {
            if let Some(ignored) = Ignored::find_in_response(name) {
                let message = ignored.message_in_response(name);
                self.problems.warn(&header.at, message, ignored.help());
                continue;
            }
            let mark = self.settings.server_headers.as_ref();
            if !mark.is_some_and(|mark| mark.is_on(&header.extensions)) {
                headers.push(as_parameter(name, header));
            }
        }
        if headers.is_empty() {
            return None;
        }
        let headers: Vec<&Parameter> = headers.iter().collect();
        Some(self.parameters.add(ParameterStruct {
            name,
            kind: ParameterKind::ResponseHeader,
            docs: format!("The response headers of `{}`.", of.id),
            pointer: format!("{}/responses/{status}", of.operation.at.pointer),
            fields: read_fields(self.types, &of.variant, &headers),
        }))
    }
}

/// A header of a response is described like one of a request.
fn as_parameter(name: &str, header: &Header) -> Parameter {
    Parameter {
        at: header.at.clone(),
        component: header.component.clone(),
        reference: header.reference.clone(),
        name: name.to_owned(),
        location: ParameterLocation::Header,
        is_whole_query: false,
        description: header.description.clone(),
        required: header.required,
        deprecated: false,
        allow_empty_value: false,
        style: ParameterStyle::Simple,
        explode: header.explode,
        allow_reserved: false,
        schema: header.schema.clone(),
        content: header.content.clone(),
        example: header.example.clone(),
        examples: header.examples.clone(),
        extensions: header.extensions.clone(),
    }
}
