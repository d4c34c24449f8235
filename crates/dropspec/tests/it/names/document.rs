//! Documents that call everything by some names, each by several.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// A document that calls its schemas, properties, values, operations, parameters, headers, tags, parts, security schemes, codes,
/// plans and webhooks by these names.
pub fn document(names: &[String]) -> Value {
    let drawer = Drawer::new(names);
    let mut paths = Map::new();
    for (index, name) in names.iter().enumerate() {
        let (path, operation) = drawer.operation(index, name);
        let method = if operation.get("requestBody").is_some() {
            "post"
        } else {
            "get"
        };
        paths.insert(path, json!({ method: operation }));
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": names[0], "version": "1" },
        "tags": names.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
        "paths": paths,
        "webhooks": drawer.members(0, 20, |it| json!({ "post": {
            "requestBody": drawer.json_body(it),
            "responses": { "204": { "description": "It." } },
        } })),
        "components": {
            "schemas": drawer.components(),
            "securitySchemes": drawer.keys.iter().enumerate().map(|(index, key)| (key.clone(), match index % 3 {
                0 => json!({ "type": "http", "scheme": "basic" }),
                1 => json!({ "type": "http", "scheme": "bearer" }),
                _ => json!({ "type": "apiKey", "in": "query", "name": key }),
            })).collect::<Map<_, _>>(),
        },
        "x-error-codes": drawer.members(0, names.len(), |_| json!(404)),
        "x-rate-limits": drawer.members(0, names.len(), |_| json!({ "per-minute": 1, "per-day": 2 })),
    })
}

struct Drawer<'n> {
    names: &'n [String],
    /// The names as keys of components.
    keys: Vec<String>,
}

impl Drawer<'_> {
    fn new(names: &[String]) -> Drawer<'_> {
        let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "._-".contains(sign);
        let keys = names.iter().map(|name| match name.as_str() {
            "" => "_".to_owned(),
            name => name.replace(|sign| !is_plain(sign), "_"),
        });
        let keys: BTreeSet<String> = keys.collect();
        Drawer {
            names,
            keys: keys.into_iter().collect(),
        }
    }

    /// Some of the names, which are others for each index.
    fn some(&self, index: usize, count: usize) -> impl Iterator<Item = (usize, &String)> {
        let places = (0..count.min(self.names.len())).map(move |it| index * 7 + it);
        places.map(|place| (place, &self.names[place % self.names.len()]))
    }

    fn members(&self, index: usize, count: usize, value: impl Fn(usize) -> Value) -> Value {
        let some = self.some(index, count);
        Value::Object(some.map(|(it, name)| (name.clone(), value(it))).collect())
    }

    fn values(&self, index: usize, count: usize) -> Value {
        json!({ "type": "string", "enum": self.some(index, count).map(|it| it.1).collect::<BTreeSet<_>>() })
    }

    fn component(&self, index: usize) -> Value {
        json!({ "$ref": format!("#/components/schemas/{}", self.keys[index % self.keys.len()]) })
    }

    /// A component that holds no others: rustc follows types into each other only so far.
    fn leaf(&self, index: usize) -> Value {
        self.component(index / 8 * 8 + 4)
    }

    fn scalar(&self, index: usize) -> Value {
        match index % 5 {
            0 => json!({ "type": "string" }),
            1 => json!({ "type": "integer" }),
            2 => json!({ "type": "string", "format": "uuid" }),
            3 => json!({ "type": "string", "format": "date-time" }),
            _ => self.values(index, 3),
        }
    }

    fn property(&self, index: usize) -> Value {
        match index % 7 {
            0 => self.leaf(index),
            1 => json!({ "type": "array", "items": self.leaf(index) }),
            2 => json!({ "type": "object", "additionalProperties": self.leaf(index) }),
            3 => json!({ "type": "integer", "default": 3 }),
            4 => json!({}),
            5 => {
                json!({ "type": "object", "properties": self.members(index, 3, |it| self.scalar(it)) })
            }
            _ => self.scalar(index),
        }
    }

    fn object(&self, index: usize) -> Value {
        let some = self.some(index, 4);
        let required: BTreeSet<_> = some.take(index % 4).map(|it| it.1).collect();
        json!({ "type": "object", "properties": self.members(index, 4, |it| self.property(it)), "required": required })
    }

    fn components(&self) -> Map<String, Value> {
        let keys = self.keys.iter().enumerate();
        let schemas = keys.map(|(index, key)| {
            // A type parameter has one letter, and hides a type within the code that reads a union.
            let kind = if key.len() == 1 { 0 } else { index % 8 };
            let schema = match kind {
                0 => json!({ "oneOf": [{ "type": "integer" }, { "type": "boolean" }, self.object(index)] }),
                1 | 2 => self.object(index),
                3 => self.values(index, 20),
                4 => json!({ "type": "string" }),
                5 => json!({ "type": "array", "items": self.component(index + 1) }),
                6 => json!({
                    "type": "object",
                    "properties": { "status": { "type": "integer" }, "message": { "type": "string" } },
                    "required": ["status", "message"],
                }),
                _ => json!({
                    "oneOf": self.some(index, 3).map(|(it, name)| json!({
                        "type": "object",
                        "properties": { "kind": { "type": "string", "enum": [name] }, "of": self.property(it) },
                        "required": ["kind"],
                    })).collect::<Vec<_>>(),
                    "discriminator": { "propertyName": "kind" },
                }),
            };
            (key.clone(), schema)
        });
        schemas.collect()
    }

    fn json_body(&self, index: usize) -> Value {
        json!({ "required": index.is_multiple_of(2), "content": { "application/json": { "schema": self.component(index) } } })
    }

    fn body(&self, index: usize) -> Option<Value> {
        let content = match index % 6 {
            0 | 1 => return Some(self.json_body(index)),
            2 => json!({
                "application/json": { "schema": self.component(index) },
                "text/plain": { "schema": { "type": "string" } },
                format!("application/{}", header(&self.keys[index % self.keys.len()])): {},
            }),
            3 => {
                let parts = self.members(index, 4, |it| match it % 3 {
                    0 => json!({ "type": "string", "format": "binary" }),
                    _ => self.scalar(it),
                });
                json!({ "multipart/form-data": { "schema": { "type": "object", "properties": parts } } })
            }
            4 => {
                let fields = self.members(index, 3, |_| json!({ "type": "string" }));
                json!({ "application/x-www-form-urlencoded": { "schema": { "type": "object", "properties": fields } } })
            }
            _ => return None,
        };
        Some(json!({ "required": index.is_multiple_of(2), "content": content }))
    }

    fn responses(&self, index: usize) -> Value {
        let content = json!({ "application/json": { "schema": self.component(index) } });
        let headers = self.some(index, 2);
        let headers =
            headers.map(|(_, name)| (header(name), json!({ "schema": { "type": "string" } })));
        let headers: Map<_, _> = headers.collect();
        let one = json!({ "description": "It.", "content": content });
        match index % 4 {
            0 => json!({ "200": one }),
            1 => json!({ "200": one, "default": one }),
            2 => json!({ "204": { "description": "It.", "headers": headers }, "404": one }),
            _ => {
                json!({ "200": { "description": "It.", "headers": headers, "content": content }, "201": one, "404": one, "409": {
                    "description": "It.", "content": { "text/plain": { "schema": { "type": "string" } } },
                } })
            }
        }
    }

    /// The path and the rest of an operation.
    fn operation(&self, index: usize, name: &str) -> (String, Value) {
        let mut path = format!("/{index}");
        let mut parameters = Vec::new();
        for (place, of) in ["query", "header", "cookie", "path"].iter().enumerate() {
            let mut known = BTreeSet::new();
            for (it, name) in self.some(index * 4 + place, 1 + index % 2) {
                let name = match *of {
                    "query" if !name.is_empty() => name.clone(),
                    _ => header(name),
                };
                let is_ignored =
                    ["accept", "authorization", "content-type"].contains(&&*name.to_lowercase());
                if is_ignored || !known.insert(name.to_lowercase()) {
                    continue;
                }
                if *of == "path" {
                    path.push_str(&format!("/{{{name}}}"));
                }
                let required = *of == "path" || it % 3 == 0;
                let schema = self.scalar(it);
                parameters.push(
                    json!({ "name": name, "in": of, "required": required, "schema": schema }),
                );
            }
        }
        let mut operation = json!({
            "operationId": name,
            "tags": [name],
            "parameters": parameters,
            "security": [{ &self.keys[index % self.keys.len()]: [] }],
            "responses": self.responses(index),
        });
        if let Some(body) = self.body(index) {
            operation["requestBody"] = body;
        }
        (path, operation)
    }
}

/// A name in signs that headers, paths and media types have.
fn header(name: &str) -> String {
    let plain = |sign: &char| sign.is_ascii_alphanumeric() || *sign == '-';
    let plain: String = name.chars().filter(plain).collect();
    if plain.is_empty() {
        "x".to_owned()
    } else {
        plain
    }
}
