//! Documents of several shapes, each of any size.

use serde_json::{Map, Value, json};

/// Makes a document with so many parts.
type Shape = fn(usize) -> Value;

pub(crate) const SHAPES: [(&str, Shape); 6] = [
    ("chain", chain),
    ("circle", circle),
    ("definitions", definitions),
    ("examples", examples),
    ("operations", operations),
    ("unions", unions),
];

/// Each schema refers to the next one.
fn chain(size: usize) -> Value {
    let schemas = (0..size).map(|n| object(n, (n + 1..size).take(1)));
    document("3.0.3", schemas, 10)
}

/// All schemas lead to each other, and a tenth of them are bodies.
fn circle(size: usize) -> Value {
    document("3.0.3", connected(size), size / 10 + 1)
}

/// As [`circle`], and each schema has an example and a default.
fn examples(size: usize) -> Value {
    let schemas = connected(size).map(|mut schema| {
        schema["example"] = json!({ "id": 1, "name": "a" });
        schema["properties"]["size"] = json!({ "allOf": [part(0)], "default": { "id": 1 } });
        schema
    });
    document("3.0.3", schemas, 10)
}

/// Each schema has a definition of its own, which leads to the next schema.
fn definitions(size: usize) -> Value {
    let schemas = (0..size).map(|n| {
        let mut schema = object(n, (n + 1..size).take(1));
        schema["$defs"] = json!({ "Inner": object(n, [(n + 1) % size].into_iter()) });
        let reference = format!("#/components/schemas/S{n}/$defs/Inner");
        schema["properties"]["inner"] = json!({ "$ref": reference });
        schema
    });
    document("3.1.0", schemas, 10)
}

/// Each operation has a tag, parameters, responses and a link of its own.
fn operations(size: usize) -> Value {
    let mut document = document("3.0.3", connected(10), size);
    let tags = (0..size).map(|n| json!({ "name": format!("t{n}"), "description": "a tag" }));
    document["tags"] = tags.collect();
    let components = &mut document["components"];
    for n in 0..size {
        let schema = json!({ "type": "integer", "minimum": n });
        components["parameters"][format!("P{n}")] =
            json!({ "name": format!("p{n}"), "in": "query", "schema": schema });
        components["responses"][format!("R{n}")] = json!({ "description": "an error" });
    }
    for n in 0..size {
        let operation = &mut document["paths"][format!("/p{n}")]["post"];
        let parameters = (n..n + 3).map(|it| {
            let name = it % size;
            json!({ "$ref": format!("#/components/parameters/P{name}") })
        });
        operation["parameters"] = parameters.collect();
        operation["tags"] = json!([format!("t{n}")]);
        operation["responses"]["404"] = json!({ "$ref": format!("#/components/responses/R{n}") });
        operation["responses"]["200"]["links"] =
            json!({ "next": { "operationId": format!("op{}", (n + 1) % size) } });
    }
    document
}

/// Schemas in a circle, of which each tenth is a union of the next ones.
fn unions(size: usize) -> Value {
    let schemas = (0..size).map(|n| {
        let mut schema = object(n, [(n + 1) % size, (n + 7) % size].into_iter());
        if n % 10 == 0 {
            let members: Vec<Value> = (n + 1..n + 4).map(|it| part(it % size)).collect();
            schema["properties"]["choice"] = json!({ "oneOf": members });
        }
        schema
    });
    document("3.0.3", schemas, 10)
}

fn connected(size: usize) -> impl Iterator<Item = Value> {
    (0..size).map(move |n| {
        object(
            n,
            [1, 7, 31, 101]
                .into_iter()
                .map(move |step| (n + step) % size),
        )
    })
}

fn part(number: usize) -> Value {
    json!({ "$ref": format!("#/components/schemas/S{number}") })
}

/// An object with references to other schemas.
fn object(number: usize, parts: impl Iterator<Item = usize>) -> Value {
    let id = json!({ "type": "integer", "format": "int64" });
    let name = json!({ "type": "string", "maxLength": 20 + number % 7 });
    let mut properties = Map::from_iter([("id".to_owned(), id), ("name".to_owned(), name)]);
    properties.extend(
        parts
            .enumerate()
            .map(|(n, it)| (format!("part{n}"), part(it))),
    );
    json!({ "type": "object", "required": ["id"], "properties": properties })
}

/// A document with schemas, some of which are the bodies of operations.
fn document(version: &str, schemas: impl Iterator<Item = Value>, operations: usize) -> Value {
    let schemas = schemas.enumerate().map(|(n, it)| (format!("S{n}"), it));
    let schemas: Map<String, Value> = schemas.collect();
    let step = (schemas.len() / operations).max(1);
    let paths = (0..operations).map(|n| {
        let content = json!({ "application/json": { "schema": part(n * step % schemas.len()) } });
        let operation = json!({
            "operationId": format!("op{n}"),
            "requestBody": { "required": true, "content": content },
            "responses": { "200": { "description": "a response", "content": content } }
        });
        (format!("/p{n}"), json!({ "post": operation }))
    });
    let paths: Map<String, Value> = paths.collect();
    json!({
        "openapi": version,
        "info": { "title": "Growth", "version": "1.0.0" },
        "paths": paths,
        "components": { "schemas": schemas }
    })
}

/// The same document with another length of the names in each schema.
pub(crate) fn edited(document: &Value) -> Value {
    let mut edited = document.clone();
    for schema in edited["components"]["schemas"]
        .as_object_mut()
        .unwrap()
        .values_mut()
    {
        schema["properties"]["name"]["maxLength"] = json!(10);
    }
    edited
}
