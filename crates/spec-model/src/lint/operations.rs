//! What every operation needs so that the generated code and the reference page read well.

use super::Lint;
use crate::content::RequestBody;
use crate::operation::Operation;

impl Lint<'_> {
    pub(super) fn operations(&mut self) {
        for operation in &self.spec.operations {
            self.identity(operation);
            self.tag(operation);
            self.texts(operation);
            if let Some(body) = &operation.request_body {
                self.request_body(body);
            }
        }
    }

    fn texts(&mut self, operation: &Operation) {
        let texts = [
            ("summary", &operation.summary),
            ("description", &operation.description),
        ];
        for (field, text) in texts {
            if text.as_deref().is_none_or(|text| text.trim().is_empty()) {
                let message = format!("the operation needs a `{field}`");
                let help = "say what it does, for whoever calls it";
                self.find(&operation.at, message, help);
            }
        }
        for parameter in &operation.parameters {
            if parameter.description.as_deref().is_none_or(str::is_empty) {
                let message = format!("the parameter `{}` needs a `description`", parameter.name);
                self.find(&parameter.at, message, "say what it selects or changes");
            }
        }
    }

    fn request_body(&mut self, body: &RequestBody) {
        for (name, media_type) in &body.content {
            if media_type.schema.is_none() {
                let message = format!("the request body `{name}` has no `schema`");
                self.find(&media_type.at, message, "describe what is taken");
            }
            if media_type.example.is_none() && media_type.examples.is_empty() {
                let message = format!("the request body `{name}` has no example");
                let help = "add an `example` that could be sent";
                self.find(&media_type.at, message, help);
            }
        }
    }

    fn identity(&mut self, operation: &Operation) {
        let Some(id) = &operation.id else {
            let help = "generated methods are named after it";
            self.find(&operation.at, "the operation needs an `operationId`", help);
            return;
        };
        let camel = id.value.starts_with(|c: char| c.is_ascii_lowercase())
            && id.value.chars().all(|c| c.is_ascii_alphanumeric());
        if !camel {
            let message = format!("the operationId `{}` is not in camelCase", id.value);
            self.find(&id.at, message, "write it as `listPets`");
        }
    }

    fn tag(&mut self, operation: &Operation) {
        let [tag] = operation.tags.as_slice() else {
            let message = format!("the operation has {} tags", operation.tags.len());
            self.find(
                &operation.at,
                message,
                "give it exactly one of the list `tags`",
            );
            return;
        };
        if !self.spec.tags.iter().any(|listed| listed.name == tag.value) {
            let message = format!("the tag `{}` is not in the list `tags`", tag.value);
            self.find(&tag.at, message, "add it there, with a description");
        }
    }
}
