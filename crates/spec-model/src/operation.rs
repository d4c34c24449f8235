//! Operations: a method on a path, what it takes and what it answers.

use indexmap::IndexMap;

use crate::content::{RequestBody, Response};
use crate::document::Object;
use crate::fields::Fields;
use crate::parameter::{Parameter, ParameterLocation};
use crate::path::PathTemplate;
use crate::path_item::PathItem;
use crate::reader::{Cursor, Place, Reader, Spanned};
use crate::security::SecurityRequirement;
use crate::server::Server;
use crate::spec::ExternalDocs;

/// An operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// Where it stands.
    pub at: Place,
    /// The HTTP method.
    pub method: Method,
    /// The path it is served on.
    pub path: PathTemplate,
    /// `operationId`; no two are equal.
    pub id: Option<Spanned<String>>,
    /// `summary`
    pub summary: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `tags`
    pub tags: Vec<Spanned<String>>,
    /// `deprecated`
    pub deprecated: bool,
    /// Its own parameters and those of its path that it does not replace, the path's first.
    pub parameters: Vec<Parameter>,
    /// `requestBody`
    pub request_body: Option<RequestBody>,
    /// Responses by `200`, `4XX`, `default`, in the order of the document.
    pub responses: IndexMap<String, Response>,
    /// `x-…` inside `responses`.
    pub responses_extensions: Object,
    /// `security`; `None`: what the document says for all.
    pub security: Option<Vec<SecurityRequirement>>,
    /// `servers`; empty: what the path or the document says.
    pub servers: Vec<Server>,
    /// `callbacks`, as they stand.
    pub callbacks: Object,
    /// `externalDocs`
    pub external_docs: Option<ExternalDocs>,
    /// `x-…`
    pub extensions: Object,
}

/// The methods that a path item can describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// `get`
    Get,
    /// `put`
    Put,
    /// `post`
    Post,
    /// `delete`
    Delete,
    /// `options`
    Options,
    /// `head`
    Head,
    /// `patch`
    Patch,
    /// `trace`
    Trace,
}

impl Method {
    /// All of them, in the order of the standard.
    pub const ALL: [Method; 8] = [
        Method::Get,
        Method::Put,
        Method::Post,
        Method::Delete,
        Method::Options,
        Method::Head,
        Method::Patch,
        Method::Trace,
    ];

    /// As HTTP writes it: `GET`.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Put => "PUT",
            Method::Post => "POST",
            Method::Delete => "DELETE",
            Method::Options => "OPTIONS",
            Method::Head => "HEAD",
            Method::Patch => "PATCH",
            Method::Trace => "TRACE",
        }
    }

    /// As the document writes it: `get`.
    pub fn key(self) -> &'static str {
        match self {
            Method::Get => "get",
            Method::Put => "put",
            Method::Post => "post",
            Method::Delete => "delete",
            Method::Options => "options",
            Method::Head => "head",
            Method::Patch => "patch",
            Method::Trace => "trace",
        }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'d> Reader<'d> {
    pub(crate) fn operation(
        &self,
        method: Method,
        item: &PathItem,
        cursor: Cursor<'d>,
    ) -> Option<Operation> {
        let mut fields = self.fields(cursor, "an operation")?;
        let own = fields.parameters();
        let (responses, responses_extensions) = self.responses(&mut fields);
        let operation = Operation {
            at: fields.at.clone(),
            method,
            path: item.path.clone(),
            id: fields.spanned_string("operationId"),
            summary: fields.string("summary"),
            description: fields.string("description"),
            tags: fields.strings("tags"),
            deprecated: fields.flag("deprecated"),
            parameters: merge(&item.parameters, own),
            request_body: fields
                .take("requestBody")
                .and_then(|body| self.request_body(body)),
            responses,
            responses_extensions,
            security: fields.security(),
            servers: fields.servers(),
            callbacks: fields.raw_map("callbacks"),
            external_docs: fields.external_docs(),
            extensions: fields.extensions(),
        };
        self.check_path_parameters(&operation);
        Some(operation)
    }

    fn responses(&self, fields: &mut Fields<'_, 'd>) -> (IndexMap<String, Response>, Object) {
        let mut responses = IndexMap::new();
        let mut extensions = Object::new();
        let cursor = fields.take("responses");
        let Some(cursor) = cursor.filter(|cursor| cursor.members().next().is_some()) else {
            let help = "list each status that it can have, such as `\"200\": {description: …}`";
            self.mistake(&fields.at, "the operation has no `responses`", help);
            return (responses, extensions);
        };
        for (status, response) in cursor.members() {
            if status.starts_with("x-") {
                if let Some(member) = cursor.node.as_object().and_then(|all| all.get(status)) {
                    extensions.insert(status.to_owned(), member.clone());
                }
                continue;
            }
            if !is_status(status) {
                let help = "write a status such as `200`, a class such as `4XX`, or `default`";
                let message = format!("`{status}` is not a status");
                self.error_with_help(&response.place(), message, help);
            }
            if let Some(response) = self.response(response) {
                responses.insert(status.to_owned(), response);
            }
        }
        (responses, extensions)
    }

    fn check_path_parameters(&self, operation: &Operation) {
        let in_path = |p: &&Parameter| p.location == ParameterLocation::Path;
        let declared = || operation.parameters.iter().filter(in_path);
        for name in operation.path.parameters() {
            if !declared().any(|parameter| parameter.name == name) {
                let message = format!("the path parameter `{{{name}}}` is not declared");
                let help = format!(
                    "add `{{name: {name}, in: path, required: true, schema: …}}` to `parameters`"
                );
                self.mistake(&operation.at, message, &help);
            }
        }
        for parameter in declared() {
            if !operation
                .path
                .parameters()
                .any(|name| name == parameter.name)
            {
                let Parameter { name, .. } = parameter;
                let message = format!("the path `{}` has no `{{{name}}}`", operation.path);
                let at = parameter.reference.as_ref().unwrap_or(&parameter.at);
                self.mistake(at, message, "remove the parameter, or add it to the path");
            }
        }
    }
}

impl Fields<'_, '_> {
    /// The field `parameters`; two of the same name and location are an error.
    pub(crate) fn parameters(&mut self) -> Vec<Parameter> {
        let reader = self.reader;
        let mut parameters: Vec<Parameter> = Vec::new();
        for item in self.list("parameters") {
            let at = item.place();
            let Some(parameter) = reader.parameter(item) else {
                continue;
            };
            if parameters.iter().any(|other| replaces(&parameter, other)) {
                let Parameter { name, location, .. } = &parameter;
                reader.error(
                    &at,
                    format!("the {location} parameter `{name}` is declared twice"),
                );
            } else {
                parameters.push(parameter);
            }
        }
        parameters
    }
}

fn merge(of_path: &[Parameter], own: Vec<Parameter>) -> Vec<Parameter> {
    let replaced = |shared: &Parameter| own.iter().any(|parameter| replaces(parameter, shared));
    let kept: Vec<Parameter> = of_path.iter().filter(|p| !replaced(p)).cloned().collect();
    kept.into_iter().chain(own).collect()
}

/// A parameter is known by its name and location.
fn replaces(parameter: &Parameter, other: &Parameter) -> bool {
    parameter.name == other.name && parameter.location == other.location
}

fn is_status(text: &str) -> bool {
    let class = text.starts_with(|c| matches!(c, '1'..='5'));
    let rest = text.get(1..).unwrap_or_default();
    let code = rest.len() == 2 && rest.bytes().all(|b| b.is_ascii_digit());
    text == "default" || class && (code || rest == "XX")
}
