//! Documents of several shapes, each of any size.

use serde_json::{Map, Value, json};

/// Makes a document with so many parts.
type Shape = fn(usize) -> Value;

pub(crate) const SHAPES: [(&str, Shape); 14] = [
    ("all-of", all_of),
    ("broken", broken),
    ("chain", chain),
    ("choices", choices),
    ("circle", circle),
    ("definitions", definitions),
    ("examples", examples),
    ("mapping", mapping),
    ("operations", operations),
    ("parameters", parameters),
    ("properties", properties),
    ("schemes", schemes),
    ("tags", tags),
    ("unions", unions),
];

/// Each schema extends the next one.
fn all_of(size: usize) -> Value {
    let extended = (1..size).map(|n| json!({ "allOf": [part(n)] }));
    document("3.0.3", extended.chain([object(size, [].into_iter())]), 10)
}

/// Each schema refers to one that does not exist.
fn broken(size: usize) -> Value {
    let schemas = (0..size).map(|n| object(n, [n + 10 * size].into_iter()));
    document("3.0.3", schemas, 10)
}

/// Each schema has a choice between an end and the next schema.
fn choices(size: usize) -> Value {
    let schemas = (0..size).map(|n| {
        let kind = |text| json!({ "type": "string", "enum": [text] });
        let member = |properties| json!({ "type": "object", "required": ["kind"], "properties": properties });
        let mut schema = object(n, [].into_iter());
        if n + 1 < size {
            let next = json!({ "kind": kind("next"), "next": part(n + 1) });
            let members = [member(json!({ "kind": kind("end") })), member(next)];
            schema["properties"]["choice"] = json!({ "oneOf": members });
        }
        schema
    });
    document("3.0.3", schemas, 1)
}

/// A discriminator selects each schema.
fn mapping(size: usize) -> Value {
    let targets =
        (1..=size).map(|n| (format!("v{n}"), json!(format!("#/components/schemas/S{n}"))));
    let discriminator = json!({ "propertyName": "name", "mapping": Map::from_iter(targets) });
    let members: Vec<Value> = (1..=size).map(part).collect();
    let union = json!({ "oneOf": members, "discriminator": discriminator });
    let members = (1..=size).map(|n| object(n, [].into_iter()));
    document("3.0.3", [union].into_iter().chain(members), 1)
}

/// An operation has parameters.
fn parameters(size: usize) -> Value {
    let mut document = document("3.0.3", connected(1), 1);
    let parameters = (0..size).map(
        |n| json!({ "name": format!("p{n}"), "in": "query", "schema": { "type": "integer" } }),
    );
    document["paths"]["/p0"]["post"]["parameters"] = parameters.collect();
    document
}

/// A schema has required properties.
fn properties(size: usize) -> Value {
    let mut schema = object(0, [].into_iter());
    let names = (0..size).map(|n| format!("p{n}"));
    schema["required"] = names.clone().collect();
    for name in names {
        schema["properties"][name] = json!({ "type": "string" });
    }
    document("3.0.3", [schema].into_iter(), 1)
}

/// Each operation has a security scheme of its own, and the document requires one of them.
fn schemes(size: usize) -> Value {
    let mut document = document("3.0.3", connected(1), size);
    let schemes = (0..size).map(|n| {
        let scheme = json!({ "type": "apiKey", "in": "header", "name": format!("X-Key-{n}") });
        (format!("k{n}"), scheme)
    });
    document["components"]["securitySchemes"] = Map::from_iter(schemes).into();
    let required = |n: usize| json!({ (format!("k{n}")): [] });
    document["security"] = (0..size).map(required).collect();
    for n in 0..size {
        document["paths"][format!("/p{n}")]["post"]["security"] = json!([required(n)]);
    }
    document
}

/// Each operation has a tag of its own, below that of the next one.
fn tags(size: usize) -> Value {
    let mut document = document("3.2.0", connected(1), size);
    let tags = (0..size).map(|n| {
        let parent = (n + 1 < size).then(|| format!("t{}", n + 1));
        let mut tag = json!({ "name": format!("t{n}") });
        tag.as_object_mut()
            .unwrap()
            .extend(parent.map(|it| ("parent".to_owned(), json!(it))));
        tag
    });
    document["tags"] = tags.collect();
    for n in 0..size {
        document["paths"][format!("/p{n}")]["post"]["tags"] = json!([format!("t{n}")]);
    }
    document
}

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

/// The same document with another length of the names in each schema that has names.
pub(crate) fn edited(document: &Value) -> Value {
    let mut edited = document.clone();
    for schema in edited["components"]["schemas"]
        .as_object_mut()
        .unwrap()
        .values_mut()
    {
        if let Some(name) = schema.pointer_mut("/properties/name") {
            name["maxLength"] = json!(10);
        }
    }
    edited
}
