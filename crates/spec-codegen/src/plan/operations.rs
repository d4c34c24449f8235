//! Operations: their names, parameters, bodies, responses and errors.

use std::collections::HashMap;

use heck::ToLowerCamelCase;
use spec_model::{Method, Spec};
use spec_schema::pointer;

use crate::model::{Operation, ParameterStruct};
use crate::names;
use crate::plan::parameters::Parameters;
use crate::plan::problems::Problems;
use crate::plan::types::Types;
use crate::plan::{bodies, errors, extensions, responses, routes};
use crate::settings::Settings;

/// The methods that every generated client has, so that no operation can have their names; see progenitor's `Client`
/// and `ClientInfo`.
const CLIENT_METHODS: [&str; 6] = [
    "new",
    "new_with_client",
    "api_version",
    "baseurl",
    "client",
    "inner",
];

/// The operations of a document and the structs of their parameters.
pub(super) fn read_operations<'s>(
    spec: &'s Spec,
    settings: &'s Settings,
    problems: &'s Problems<'s>,
    types: &mut Types<'s>,
) -> (Vec<Operation>, Vec<ParameterStruct>) {
    routes::check_routes(spec, problems);
    let mut parameters = Parameters::new(spec, settings, problems);
    let mut operations = Vec::new();
    let mut method_names: HashMap<String, String> = HashMap::new();
    for operation in &spec.operations {
        check_expressible(problems, operation);
        let id = id_or_proposal(problems, operation);
        let Some(method_name) = names::field_name(&id) else {
            let message = format!("no Rust name can be made of the operationId `{id}`");
            problems.report(
                &operation.at,
                message,
                "name the operation in ASCII letters",
            );
            continue;
        };
        if let Some(other) = method_names.insert(method_name.clone(), id.clone()) {
            let message = format!("`{id}` and `{other}` would both be the method `{method_name}`");
            problems.report(&operation.at, message, "rename one of the two operations");
        }
        if CLIENT_METHODS.contains(&method_name.as_str()) {
            let message = format!("`{method_name}` is already a method of every client");
            problems.report(
                &operation.at,
                message,
                "give the operation another `operationId`",
            );
        }
        // An id that makes a method name makes a variant name too.
        let variant = names::variant_name(&id).unwrap_or_default();
        let structs = parameters.read_structs(types, operation, &variant);
        let body = bodies::read_body(problems, types, operation, &variant);
        let success =
            responses::read_success(problems, types, operation, &variant, &mut parameters);
        let error = errors::read_error(problems, types, settings, operation, &variant);
        operations.push(Operation {
            method_name,
            variant,
            method: operation.method.as_str(),
            path: operation.path.raw.clone(),
            summary: read_summary(operation, &id),
            description: read_description(operation),
            tags: operation.tags.iter().map(|tag| tag.value.clone()).collect(),
            deprecated: operation.deprecated,
            parameters: structs,
            body,
            success,
            error,
            extensions: extensions::read_extensions(spec, problems, operation),
            id,
        });
    }
    (operations, parameters.finish())
}

/// The `operationId`. A missing one is reported and replaced by a proposal, so that other errors are found too.
fn id_or_proposal(problems: &Problems<'_>, operation: &spec_model::Operation) -> String {
    if let Some(id) = &operation.id {
        return id.value.clone();
    }
    let text = format!("{} {}", operation.method.key(), operation.path.raw);
    let separated = |c: char| if c.is_ascii_alphanumeric() { c } else { ' ' };
    let words: String = text.chars().map(separated).collect();
    let proposed = words.to_lower_camel_case();
    problems.report(
        &operation.at,
        "the operation has no `operationId`, so that its method has no name",
        format!("add one, for example `operationId: {proposed}`"),
    );
    proposed
}

fn check_expressible(problems: &Problems<'_>, operation: &spec_model::Operation) {
    if operation.method == Method::Trace {
        problems.report(
            &operation.at,
            "dropshot does not serve TRACE",
            "remove the operation",
        );
    }
    if operation.method == Method::Head {
        problems.report(
            &operation.at,
            "HEAD is served by the operation under GET",
            "remove this operation, and describe the headers under `get`",
        );
    }
    if let Some((name, callback)) = operation.callbacks.first() {
        let at = spec_model::Place {
            pointer: pointer::join(&format!("{}/callbacks", operation.at.pointer), name),
            position: callback.key_position,
        };
        problems.report(
            &at,
            "callbacks are not generated",
            "describe them in the description instead",
        );
    }
    if let Some(server) = operation.servers.first() {
        problems.report(
            server,
            "operations with their own server are not generated",
            "describe the operation in the document of that server",
        );
    }
    if let Some(member) = operation.extensions.get("x-dropshot-websocket") {
        let at = spec_model::Place {
            pointer: format!("{}/x-dropshot-websocket", operation.at.pointer),
            position: member.key_position,
        };
        problems.report(
            &at,
            "a WebSocket takes over its connection, which `dispatch` does not support",
            "serve the channel beside the generated interface",
        );
    }
}

fn read_summary(operation: &spec_model::Operation, id: &str) -> String {
    let text = operation.summary.as_deref().unwrap_or_default().trim();
    match (text.is_empty(), operation.description.as_deref()) {
        (false, _) => text.lines().map(str::trim).collect::<Vec<_>>().join(" "),
        (true, Some(description)) if !description.trim().is_empty() => String::new(),
        _ => format!("`{id}`"),
    }
}

fn read_description(operation: &spec_model::Operation) -> String {
    operation
        .description
        .as_deref()
        .unwrap_or_default()
        .trim()
        .to_owned()
}
