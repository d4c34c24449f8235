//! Path items and operations: a method on a path, its parameters, request body and responses.

use std::collections::HashSet;

use dropspec_schema::Method;
use indexmap::IndexMap;

use crate::ParameterLocation;
use crate::address::{ExternalDocs, Server};
use crate::content::{RequestBody, Response};
use crate::element::element;
use crate::fields::{Fields, Read};
use crate::node::Object;
use crate::parameter::Parameter;
use crate::path::PathTemplate;
use crate::reader::{Cursor, Located, Place, Reader};
use crate::security::SecurityRequirement;

element! {
    /// An entry of `paths`: a path template and its operations.
    PathItem is "a path item" of "pathItems" {
        summary: Option<String> = "summary",
        description: Option<String> = "description",
        servers: Vec<Server> = "servers",
        /// They are also among the parameters of each operation.
        parameters: Vec<Parameter> = "parameters" by read_parameters,
    } given {
        /// The key in `paths`.
        path: PathTemplate = PathTemplate::default(),
    }
}

element! {
    /// An operation of the document, with the parameters of its path.
    Operation is "an operation" {
        /// Unique in the document.
        id: Option<Located<String>> = "operationId",
        summary: Option<String> = "summary",
        description: Option<String> = "description",
        external_docs: Option<ExternalDocs> = "externalDocs",
        tags: Vec<Located<String>> = "tags",
        deprecated: bool = "deprecated",
        /// Those of the path that the operation does not replace, then its own.
        parameters: Vec<Parameter> = "parameters" by read_parameters,
        request_body: Option<RequestBody> = "requestBody",
        /// By `200`, `4XX`, `default`, in the order of the document.
        responses: IndexMap<String, Response> = "responses" by read_responses,
        /// `None` if that of the document applies.
        security: Option<Vec<SecurityRequirement>> = "security",
        /// Empty if those of the path or the document apply.
        servers: Vec<Server> = "servers",
        /// Not read further.
        callbacks: Object = "callbacks",
        /// The extensions.
        extensions: Object = "x-…" by Fields::extensions,
    } given {
        /// The HTTP method.
        method: Method = Method::Get,
        /// The path.
        path: PathTemplate = PathTemplate::default(),
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
            self.report(&Place { position, ..key }, error, "");
        });
        let (methods, _) = self.resolve(cursor.clone(), "pathItems")?;
        let mut item = PathItem::read(self, cursor)?;
        item.path = path.ok()?;
        let operations = self.read_operations(&methods, &item);
        for operation in &operations {
            self.check_path_parameters(operation);
            self.check_whole_query(operation);
        }
        Some((item, operations))
    }

    /// Reads the operations of an entry of `webhooks`, a path item without a path.
    pub(crate) fn read_webhook(&self, cursor: Cursor<'d>) -> Option<Vec<Operation>> {
        let (methods, _) = self.resolve(cursor.clone(), "pathItems")?;
        let item = PathItem::read(self, cursor)?;
        Some(self.read_operations(&methods, &item))
    }

    fn read_operations(&self, methods: &Cursor<'d>, item: &PathItem) -> Vec<Operation> {
        let operations = methods.members().filter_map(|(key, operation)| {
            let Some(method) = Method::of_key(key) else {
                self.report_unknown_methods(key, &operation);
                return None;
            };
            let mut operation = Operation::read(self, operation)?;
            operation.method = method;
            operation.path = item.path.clone();
            add_parameters(&mut operation.parameters, &item.parameters);
            Some(operation)
        });
        operations.collect()
    }

    /// Reports the methods in `additionalOperations` that no request can have, or that have a field of their own.
    fn report_unknown_methods(&self, key: &str, operations: &Cursor<'d>) {
        if key != "additionalOperations" {
            return;
        }
        for (name, operation) in operations.members() {
            let known = Method::parse(&name.to_ascii_uppercase());
            let known = known.filter(|method| method.is_fixed_field());
            let help = known.map_or(
                "write `PURGE`, or one that has been registered with IANA, in capitals, such as `COPY`"
                    .to_owned(),
                |method| format!("write the operation as `{}` of the path", method.key()),
            );
            let message = format!("`{name}` is not another method of HTTP");
            self.report(&operation.place(), message, help);
        }
    }

    /// Checks that a parameter that is the whole query is the only one of it.
    fn check_whole_query(&self, operation: &Operation) {
        let in_query = |it: &&Parameter| it.location == ParameterLocation::Query;
        let mut whole = operation.parameters.iter().filter(|it| it.is_whole_query);
        let in_query = operation.parameters.iter().filter(in_query).count();
        if let Some(whole) = whole.next().filter(|_| in_query > 1) {
            let message = format!("the parameter `{}` is the whole query", whole.name);
            let help = "remove the other parameters in the query, or make them properties of it";
            self.report(&whole.at, message, help);
        }
    }

    /// Checks that a path template and the parameters in `path` have the same names.
    fn check_path_parameters(&self, operation: &Operation) {
        let in_path = |p: &&Parameter| p.location == ParameterLocation::Path;
        let declared = || operation.parameters.iter().filter(in_path);
        let names: HashSet<&str> = declared().map(|it| it.name.as_str()).collect();
        let written: HashSet<&str> = operation.path.parameters().collect();
        for name in operation.path.parameters() {
            if !names.contains(name) {
                let message = format!("the path parameter `{{{name}}}` is not declared");
                let help = declare_help(name);
                self.report(&operation.at, message, help);
            }
        }
        for parameter in declared() {
            let Parameter { name, .. } = parameter;
            if !written.contains(name.as_str()) {
                let message = format!("the path `{}` has no `{{{name}}}`", operation.path);
                let help = "remove the parameter, or add it to the path";
                let at = parameter.reference.as_ref().unwrap_or(&parameter.at);
                self.report(at, message, help);
            }
        }
    }
}

/// What to do about a path parameter that is not declared.
pub(crate) fn declare_help(name: &str) -> String {
    format!("add `{{name: {name}, in: path, required: true, schema: …}}` to `parameters`")
}

fn read_responses(fields: &Fields<'_, '_>) -> Option<IndexMap<String, Response>> {
    let reader = fields.reader;
    let mut responses = IndexMap::new();
    let cursor = fields.get("responses");
    let Some(cursor) = cursor.filter(|cursor| cursor.members().next().is_some()) else {
        if !reader.document.uses_json_schema() {
            let help = "list each status that it can have, such as `\"200\": {description: …}`";
            fields.report("the operation has no `responses`", help);
        }
        return Some(responses);
    };
    let members = cursor.members();
    for (status, response) in members.filter(|(key, _)| !key.starts_with("x-")) {
        if !is_status(status) {
            let help = "write a status such as `200`, a class such as `4XX`, or `default`";
            let message = format!("`{status}` is not a status");
            reader.report(&response.place(), message, help);
        }
        if let Some(response) = Response::read(reader, response) {
            responses.insert(status.to_owned(), response);
        }
    }
    Some(responses)
}

/// Reads the field `parameters`. Two with the same name and location (`in`) are an error.
fn read_parameters(fields: &Fields<'_, '_>) -> Option<Vec<Parameter>> {
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut declared = HashSet::new();
    for parameter in fields.read::<Vec<Parameter>>("parameters")? {
        if !declared.insert((parameter.name.clone(), parameter.location)) {
            let Parameter { name, location, .. } = &parameter;
            let location = location.name();
            let message = format!("the {location} parameter `{name}` is declared twice");
            let at = parameter.reference.as_ref().unwrap_or(&parameter.at);
            fields.reader.report(at, message, "");
        } else {
            parameters.push(parameter);
        }
    }
    Some(parameters)
}

/// Puts the parameters of a path that an operation does not replace before those of the operation.
fn add_parameters(own: &mut Vec<Parameter>, of_path: &[Parameter]) {
    let replaced: HashSet<_> = own.iter().map(identity).collect();
    let shared = of_path
        .iter()
        .filter(|it| !replaced.contains(&identity(it)));
    let shared: Vec<Parameter> = shared.cloned().collect();
    own.splice(0..0, shared);
}

/// The name and the location (`in`), which identify a parameter.
fn identity(parameter: &Parameter) -> (&str, ParameterLocation) {
    (&parameter.name, parameter.location)
}

fn is_status(text: &str) -> bool {
    let has_class = text.starts_with(|c| matches!(c, '1'..='5'));
    let rest = text.get(1..).unwrap_or_default();
    let is_number = rest.len() == 2 && rest.bytes().all(|b| b.is_ascii_digit());
    text == "default" || has_class && (is_number || rest == "XX")
}
