//! Path items and operations: a method on a path, its parameters, request body and responses.

use indexmap::IndexMap;

use crate::content::{RequestBody, Response};
use crate::fields::Fields;
use crate::named_enum::named_enum;
use crate::node::Object;
use crate::parameter::{Parameter, ParameterLocation};
use crate::path::PathTemplate;
use crate::reader::{Cursor, Located, Place, Reader};
use crate::security::SecurityRequirement;

/// An entry of `paths`: a path template and its operations.
#[derive(Debug, Clone, PartialEq)]
pub struct PathItem {
    /// The place in the document, after `$ref`s were followed.
    pub at: Place,
    /// The key in `paths`.
    pub path: PathTemplate,
    /// `parameters`; they are also among the parameters of each operation.
    pub parameters: Vec<Parameter>,
}

/// An operation of the document, with the parameters of its path.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// The place in the document.
    pub at: Place,
    /// The HTTP method.
    pub method: Method,
    /// The path.
    pub path: PathTemplate,
    /// `operationId`, unique in the document.
    pub id: Option<Located<String>>,
    /// `summary`
    pub summary: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `tags`
    pub tags: Vec<Located<String>>,
    /// `deprecated`
    pub deprecated: bool,
    /// The parameters of the path that the operation does not replace, then its own.
    pub parameters: Vec<Parameter>,
    /// `requestBody`
    pub request_body: Option<RequestBody>,
    /// Responses by `200`, `4XX`, `default`, in the order of the document.
    pub responses: IndexMap<String, Response>,
    /// `security`; `None` if that of the document applies.
    pub security: Option<Vec<SecurityRequirement>>,
    /// The place of each entry of `servers`; empty if those of the path or the document apply.
    pub servers: Vec<Place>,
    /// `callbacks`, not read further.
    pub callbacks: Object,
    /// `x-…`
    pub extensions: Object,
}

named_enum! {
    /// An HTTP method of a path item, in the order of OpenAPI.
    Method {
        Get = "GET",
        Put = "PUT",
        Post = "POST",
        Delete = "DELETE",
        Options = "OPTIONS",
        Head = "HEAD",
        Patch = "PATCH",
        Trace = "TRACE",
        Query = "QUERY",
    }
}

impl Method {
    /// The key of this HTTP method in a path item, such as `get`.
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
            Method::Query => "query",
        }
    }
}

impl<'d> Reader<'d> {
    /// Reads a path item and its operations, in the order of the document.
    pub(crate) fn read_path_item(
        &self,
        path: &str,
        cursor: Cursor<'d>,
    ) -> Option<(PathItem, Vec<Operation>)> {
        let key = cursor.place();
        let path = PathTemplate::parse(path).map_err(|error| {
            let position = cursor.key_position.unwrap_or(key.position);
            self.report_error(&Place { position, ..key }, error);
        });
        let methods = self.resolve(cursor, "pathItems")?.cursor;
        let fields = self.expect_object(methods.clone(), "a path item")?;
        fields.check_strings(&["summary", "description"]);
        fields.read_servers();
        let item = PathItem {
            at: fields.at.clone(),
            path: path.ok()?,
            parameters: fields.read_parameters(),
        };
        let operations = methods.members().filter_map(|(key, operation)| {
            let method = Method::ALL.iter().find(|method| method.key() == key)?;
            self.read_operation(*method, &item, operation)
        });
        let operations = operations.collect();
        Some((item, operations))
    }

    fn read_operation(
        &self,
        method: Method,
        item: &PathItem,
        cursor: Cursor<'d>,
    ) -> Option<Operation> {
        let fields = self.expect_object(cursor, "an operation")?;
        let own = fields.read_parameters();
        fields.check_external_docs();
        let operation = Operation {
            at: fields.at.clone(),
            method,
            path: item.path.clone(),
            id: fields.read_located_string("operationId"),
            summary: fields.read_string("summary"),
            description: fields.read_string("description"),
            tags: fields.read_strings("tags"),
            deprecated: fields.read_flag("deprecated"),
            parameters: merge_parameters(&item.parameters, own),
            request_body: fields
                .get("requestBody")
                .and_then(|body| self.read_request_body(body)),
            responses: self.read_responses(&fields),
            security: fields.read_security(),
            servers: fields.read_servers(),
            callbacks: fields
                .get_object("callbacks")
                .and_then(|callbacks| callbacks.node.as_object().cloned())
                .unwrap_or_default(),
            extensions: fields.copy_extensions(),
        };
        self.check_path_parameters(&operation);
        Some(operation)
    }

    fn read_responses(&self, fields: &Fields<'_, 'd>) -> IndexMap<String, Response> {
        let mut responses = IndexMap::new();
        let cursor = fields.get("responses");
        let Some(cursor) = cursor.filter(|cursor| cursor.members().next().is_some()) else {
            let help = "list each status that it can have, such as `\"200\": {description: …}`";
            if !self.document.uses_json_schema() {
                self.report_error_with_help(&fields.at, "the operation has no `responses`", help);
            }
            return responses;
        };
        let members = cursor.members();
        for (status, response) in members.filter(|(key, _)| !key.starts_with("x-")) {
            if !is_status(status) {
                let help = "write a status such as `200`, a class such as `4XX`, or `default`";
                let message = format!("`{status}` is not a status");
                self.refuse(&response, message, help);
            }
            if let Some(response) = self.read_response(response) {
                responses.insert(status.to_owned(), response);
            }
        }
        responses
    }

    /// Checks that a path template and the parameters in `path` have the same names.
    fn check_path_parameters(&self, operation: &Operation) {
        let in_path = |p: &&Parameter| p.location == ParameterLocation::Path;
        let declared = || operation.parameters.iter().filter(in_path);
        for name in operation.path.parameters() {
            if !declared().any(|parameter| parameter.name == name) {
                let message = format!("the path parameter `{{{name}}}` is not declared");
                let help = format!(
                    "add `{{name: {name}, in: path, required: true, schema: …}}` to `parameters`"
                );
                self.report_error_with_help(&operation.at, message, help);
            }
        }
        for parameter in declared() {
            let mut names = operation.path.parameters();
            if !names.any(|name| name == parameter.name) {
                let Parameter { name, .. } = parameter;
                let message = format!("the path `{}` has no `{{{name}}}`", operation.path);
                let at = parameter.reference.as_ref().unwrap_or(&parameter.at);
                self.report_error_with_help(
                    at,
                    message,
                    "remove the parameter, or add it to the path",
                );
            }
        }
    }
}

impl Fields<'_, '_> {
    /// Reads the field `parameters`. Two with the same name and location (`in`) are an error.
    fn read_parameters(&self) -> Vec<Parameter> {
        let reader = self.reader;
        let mut parameters: Vec<Parameter> = Vec::new();
        for item in self.get_array("parameters") {
            let at = item.place();
            let Some(parameter) = reader.read_parameter(item) else {
                continue;
            };
            if parameters.iter().any(|other| is_same(&parameter, other)) {
                let Parameter { name, location, .. } = &parameter;
                let message = format!("the {location} parameter `{name}` is declared twice");
                reader.report_error(&at, message);
            } else {
                parameters.push(parameter);
            }
        }
        parameters
    }
}

/// Combines the parameters of a path that an operation does not replace with those of the operation.
fn merge_parameters(of_path: &[Parameter], of_operation: Vec<Parameter>) -> Vec<Parameter> {
    let is_replaced = |shared: &&Parameter| of_operation.iter().any(|own| is_same(own, shared));
    let shared = of_path.iter().filter(|shared| !is_replaced(shared));
    let shared: Vec<Parameter> = shared.cloned().collect();
    shared.into_iter().chain(of_operation).collect()
}

/// Whether two parameters have the same name and the same location (`in`), which identify a parameter.
fn is_same(parameter: &Parameter, other: &Parameter) -> bool {
    parameter.name == other.name && parameter.location == other.location
}

fn is_status(text: &str) -> bool {
    let has_class = text.starts_with(|c| matches!(c, '1'..='5'));
    let rest = text.get(1..).unwrap_or_default();
    let is_number = rest.len() == 2 && rest.bytes().all(|b| b.is_ascii_digit());
    text == "default" || has_class && (is_number || rest == "XX")
}
