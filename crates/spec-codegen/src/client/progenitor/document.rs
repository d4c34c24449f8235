//! Writes the document that progenitor gets: the same interface in the subset that progenitor and typify understand.
//!
//! The server checks bounds, patterns and defaults, so they are left out: ids become `i64` and names `String`, not types
//! of their own. `allOf`s are written out, a `default` error becomes the classes of errors that it covers, and examples,
//! extensions and headers of responses, which progenitor ignores, are left out.

use heck::ToUpperCamelCase;
use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};
use spec_model::{Operation, Parameter, Response, Spec};

use crate::client::progenitor::schema::{convert_schema, describe, reference};
use crate::markdown::escape;
use crate::plan::is_sent;

/// Writes progenitor's document with all operations and schemas.
pub(super) fn write_document(spec: &Spec) -> Json {
    let mut info = json!({ "title": spec.info.title, "version": spec.info.version });
    describe(&mut info, spec.info.description.as_deref());
    let mut schemas: Map<String, Json> = spec
        .schemas
        .iter()
        .map(|(name, of)| (name.clone(), convert_schema(spec, of)))
        .collect();
    let mut paths = write_paths(spec);
    name_error_bodies(&mut paths, &mut schemas);
    json!({
        "openapi": "3.0.3",
        "info": info,
        "paths": paths,
        "components": { "schemas": schemas },
    })
}

/// Moves the error bodies that are written in place to components, one for each operation: typify would make a type for
/// each status, and progenitor takes one type of error.
fn name_error_bodies(paths: &mut Json, schemas: &mut Map<String, Json>) {
    let items = paths.as_object_mut().into_iter().flat_map(Map::values_mut);
    let operations = items
        .filter_map(Json::as_object_mut)
        .flat_map(Map::values_mut);
    for operation in operations {
        let id = operation["operationId"]
            .as_str()
            .unwrap_or_default()
            .to_upper_camel_case();
        let mut name = format!("{id}Error");
        while schemas.contains_key(&name) {
            name.push_str("Body");
        }
        let responses = operation["responses"].as_object_mut().into_iter().flatten();
        let errors = responses.filter(|(status, _)| status.starts_with(['4', '5']));
        for (_, response) in errors {
            let content = response.get_mut("content").and_then(Json::as_object_mut);
            for media_type in content.into_iter().flat_map(Map::values_mut) {
                if media_type["schema"].get("$ref").is_none() {
                    let body = media_type["schema"].take();
                    media_type["schema"] = json!({ "$ref": reference(&name) });
                    schemas.insert(name.clone(), body);
                }
            }
        }
    }
}

fn write_paths(spec: &Spec) -> Json {
    let mut paths: IndexMap<String, Map<String, Json>> = IndexMap::new();
    for operation in &spec.operations {
        let item = paths.entry(operation.path.raw.clone()).or_default();
        item.insert(
            operation.method.key().to_owned(),
            write_operation_object(spec, operation),
        );
    }
    json!(paths)
}

fn write_operation_object(spec: &Spec, operation: &Operation) -> Json {
    let parameters: Vec<Json> = operation
        .parameters
        .iter()
        .filter(|p| is_sent(p))
        .map(|p| write_parameter(spec, p))
        .collect();
    let mut result =
        json!({ "parameters": parameters, "responses": write_responses(spec, operation) });
    if let Some(id) = &operation.id {
        result["operationId"] = json!(id.value);
    }
    if let Some(summary) = &operation.summary {
        result["summary"] = json!(escape(summary).trim());
    }
    describe(&mut result, operation.description.as_deref());
    if let Some(body) = &operation.request_body {
        let content: Map<String, Json> = body
            .content
            .iter()
            .filter_map(|(name, media)| {
                let of = media.schema.as_ref()?;
                Some((name.clone(), json!({ "schema": convert_schema(spec, of) })))
            })
            .collect();
        result["requestBody"] = json!({ "required": true, "content": content });
    }
    if let Some(pagination) = operation.extensions.get("x-dropshot-pagination") {
        result["x-dropshot-pagination"] = pagination.node.to_json();
    }
    result
}

fn write_parameter(spec: &Spec, parameter: &Parameter) -> Json {
    let mut result = json!({
        "name": parameter.name,
        "in": parameter.location.as_str(),
        "required": parameter.required,
        "schema": parameter.schema.as_ref().map_or(json!({}), |of| convert_schema(spec, of)),
    });
    // progenitor puts it into a list, where every line would need its indentation.
    let description = parameter.description.as_deref().unwrap_or_default();
    let words: Vec<&str> = description.split_whitespace().collect();
    describe(&mut result, Some(&words.join(" ")));
    result
}

fn write_responses(spec: &Spec, operation: &Operation) -> Map<String, Json> {
    let is_error = |status: &str| status.starts_with(['4', '5']);
    let has_success = operation
        .responses
        .keys()
        .any(|status| !is_error(status) && status != "default");
    let classes = operation.responses.get("default").filter(|_| has_success);
    let mut result = Map::new();
    for (status, of) in &operation.responses {
        // All errors of an operation have the same body, so that nothing is lost where the classes stand for all.
        let covered = classes.is_some() && (is_error(status) || status == "default");
        if !covered {
            result.insert(status.clone(), write_response(spec, of));
        }
    }
    if let Some(default) = classes {
        for class in ["4XX", "5XX"] {
            result.insert(class.to_owned(), write_response(spec, default));
        }
    }
    result
}

fn write_response(spec: &Spec, response: &Response) -> Json {
    let mut result = json!({ "description": "" });
    let content: Map<String, Json> = response
        .content
        .iter()
        .map(|(name, media)| {
            let schema = media
                .schema
                .as_ref()
                .map_or(json!({}), |of| convert_schema(spec, of));
            (name.clone(), json!({ "schema": schema }))
        })
        .collect();
    if !content.is_empty() {
        result["content"] = json!(content);
    }
    result
}
