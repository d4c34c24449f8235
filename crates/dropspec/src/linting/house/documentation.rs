//! Operations are named and described so that the generated code and the reference page read well.

use std::collections::HashSet;

use dropspec_model::{MediaType, Operation};

use crate::linting::linter::Linter;
use crate::linting::openapi::has_body;
use crate::linting::rules::rule;

impl Linter<'_> {
    pub(super) fn check_documentation(&mut self) {
        for tag in &self.spec.tags {
            if is_blank(tag.description.as_deref()) {
                let message = format!("the tag `{}` has no description", tag.name);
                self.report_rule(rule!("house-tag-description"), &tag.at, message);
            }
        }
        let listed = self.spec.tags.iter().map(|tag| tag.name.as_str());
        let listed: HashSet<&str> = listed.collect();
        for operation in &self.spec.operations {
            self.check_operation_id(operation);
            self.check_tag(operation, &listed);
            self.check_descriptions(operation);
            self.check_bodies(operation);
        }
    }

    fn check_operation_id(&mut self, operation: &Operation) {
        let Some(id) = &operation.id else {
            let help = "add it: generated methods are named after it";
            let message = "the operation has no `operationId`";
            self.report(rule!("house-operation-id"), &operation.at, message, help);
            return;
        };
        let is_camel_case = id.value.starts_with(|c: char| c.is_ascii_lowercase())
            && id.value.chars().all(|c| c.is_ascii_alphanumeric());
        if !is_camel_case {
            let message = format!("the operationId `{}` is not in camelCase", id.value);
            let help = "write it as `listPets`";
            self.report(rule!("house-operation-id"), &id.at, message, help);
        }
    }

    fn check_tag(&mut self, operation: &Operation, listed: &HashSet<&str>) {
        let [tag] = operation.tags.as_slice() else {
            let message = format!("the operation has {} tags", operation.tags.len());
            let help = "give it exactly one tag of the list `tags`";
            self.report(rule!("house-operation-tag"), &operation.at, message, help);
            return;
        };
        if !listed.contains(tag.value.as_str()) {
            let message = format!("the tag `{}` is not in the list `tags`", tag.value);
            let help = "add it there, with a description";
            self.report(rule!("house-operation-tag"), &tag.at, message, help);
        }
    }

    fn check_descriptions(&mut self, operation: &Operation) {
        for (field, text) in [
            ("summary", &operation.summary),
            ("description", &operation.description),
        ] {
            if is_blank(text.as_deref()) {
                let message = format!("the operation has no `{field}`");
                let help = "describe what it does for a caller";
                self.report(rule!("house-description"), &operation.at, message, help);
            }
        }
        for parameter in &operation.parameters {
            if is_blank(parameter.description.as_deref()) {
                let message = format!("the parameter `{}` has no `description`", parameter.name);
                let help = "describe what it selects or changes";
                self.report(rule!("house-description"), &parameter.at, message, help);
            }
        }
    }

    fn check_bodies(&mut self, operation: &Operation) {
        let request = operation.request_body.iter();
        for (name, media_type) in request.flat_map(|body| &body.content) {
            self.check_body(&format!("the request body `{name}`"), media_type);
        }
        if !operation
            .responses
            .keys()
            .any(|status| status.starts_with('2'))
        {
            let message = "the operation has no success response";
            self.report_rule(rule!("house-success"), &operation.at, message);
        }
        for (status, response) in &operation.responses {
            if has_body(status) && response.content.is_empty() {
                let message = format!("the response {status} has no body");
                let help = "describe its `content`, or use status 204";
                self.report(rule!("house-body"), &response.at, message, help);
            }
            for (name, media_type) in &response.content {
                self.check_body(&format!("the response {status} `{name}`"), media_type);
            }
        }
    }

    fn check_body(&mut self, body: &str, media_type: &MediaType) {
        if media_type.schema.is_none() {
            let message = format!("{body} has no `schema`");
            let help = "describe the body by a schema";
            self.report(rule!("house-body"), &media_type.at, message, help);
        }
        if media_type.example.is_none() && media_type.examples.is_empty() {
            let message = format!("{body} has no example");
            self.report_rule(rule!("house-example"), &media_type.at, message);
        }
    }
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}
