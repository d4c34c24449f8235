//! Converts one OpenAPI 3.0 schema to a schemars schema, rewritten where schemars or dropshot would lose a part of it.

use schemars::schema::Schema;
use serde_json::{Map, Value, json};

/// Converts the schema at a JSON pointer of the document. Panics if schemars cannot represent it.
pub(super) fn to_schemars(schema: &Value, pointer: &str) -> Schema {
    match serde_json::from_value(adapt_schema(schema)) {
        Ok(schema) => schema,
        Err(error) => panic!("schemars cannot represent the schema at {pointer}: {error}"),
    }
}

/// Keywords for lengths and numbers of items, which schemars stores in 32 bits.
const COUNT_KEYWORDS: &str = "maxLength minLength maxItems minItems maxProperties minProperties";

/// Keywords of a schema that combine other schemas, such as `allOf`.
const COMBINATIONS: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];

/// For each type, the keywords of a schema that constrain values of this type only.
const KEYWORDS_BY_TYPE: [(&str, &str); 4] = [
    (
        "object",
        "properties required additionalProperties minProperties maxProperties",
    ),
    ("array", "items minItems maxItems uniqueItems"),
    ("string", "minLength maxLength pattern"),
    (
        "number",
        "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
    ),
];

/// The keywords of JSON Schema 2020-12 that OpenAPI 3.0 lacks, which dropshot cannot describe. Messages are checked by them
/// all the same.
const UNDESCRIBED_KEYWORDS: &str = "$anchor $comment $defs $dynamicAnchor $dynamicRef $id $schema contains contentEncoding contentMediaType \
     contentSchema dependentRequired dependentSchemas else examples if maxContains minContains patternProperties prefixItems propertyNames \
     then unevaluatedItems unevaluatedProperties";

fn contains(keywords: &str, keyword: &str) -> bool {
    keywords.split_ascii_whitespace().any(|it| it == keyword)
}

fn adapt_schema(value: &Value) -> Value {
    let Value::Object(schema) = value else {
        return value.clone();
    };
    if let Some(reference) = schema.get("$ref") {
        // OpenAPI 3.0 ignores the siblings of a reference.
        return json!({ "$ref": reference });
    }
    let described = schema.iter();
    let described = described.filter(|(keyword, _)| !contains(UNDESCRIBED_KEYWORDS, keyword));
    let mut adapted: Map<String, Value> = described
        .map(|(keyword, value)| (keyword.clone(), adapt_keyword(keyword, value)))
        .collect();
    for (bound, exclusive) in [
        ("minimum", "exclusiveMinimum"),
        ("maximum", "exclusiveMaximum"),
    ] {
        // In OpenAPI 3.0 the exclusive bound is a flag; in schemars it is the bound itself.
        if adapted.shift_remove(exclusive) == Some(Value::Bool(true))
            && let Some(limit) = adapted.shift_remove(bound)
        {
            adapted.insert(exclusive.to_owned(), limit);
        }
    }
    // A count of more than 32 bits has no effect: no message is that large.
    adapted.retain(|keyword, value| {
        let fits = value.as_u64().is_some_and(|it| u32::try_from(it).is_ok());
        fits || !contains(COUNT_KEYWORDS, keyword)
    });
    if !adapted.contains_key("type") {
        match infer_type(&adapted) {
            Some(name) => drop(adapted.insert("type".to_owned(), Value::from(name))),
            None => wrap_combinations(&mut adapted),
        }
    }
    Value::Object(adapted)
}

fn adapt_keyword(keyword: &str, value: &Value) -> Value {
    match (keyword, value) {
        ("items" | "not" | "additionalProperties", Value::Object(_)) => adapt_schema(value),
        ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
            schemas.iter().map(adapt_schema).collect()
        }
        ("properties", Value::Object(properties)) => {
            let properties = properties.iter();
            let adapted = properties.map(|(name, schema)| (name.clone(), adapt_schema(schema)));
            Value::Object(adapted.collect())
        }
        _ => value.clone(),
    }
}

/// The type that the other keywords imply.
fn infer_type(schema: &Map<String, Value>) -> Option<&'static str> {
    let by_keyword = KEYWORDS_BY_TYPE.iter().find_map(|(name, keywords)| {
        let is_present = schema.keys().any(|keyword| contains(keywords, keyword));
        is_present.then_some(*name)
    });
    by_keyword.or_else(|| common_type(schema.get("enum")?.as_array()?))
}

/// Wraps several combinations in one `allOf`: dropshot drops a schema without a type unless it is exactly one combination.
fn wrap_combinations(schema: &mut Map<String, Value>) {
    let combinations = COMBINATIONS.iter();
    let combinations = combinations.filter_map(|keyword| schema.shift_remove_entry(*keyword));
    let mut combinations: Vec<(String, Value)> = combinations.collect();
    if combinations.len() > 1 {
        let schemas = combinations.drain(..);
        let schemas = schemas.map(|(keyword, value)| json!({ keyword: value }));
        combinations = vec![("allOf".to_owned(), schemas.collect())];
    }
    schema.extend(combinations);
}

/// The JSON type that all values except null have. None if there are several.
fn common_type(values: &[Value]) -> Option<&'static str> {
    let type_of = |value: &Value| match value {
        Value::String(_) => Some("string"),
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_i64() => Some("integer"),
        Value::Number(_) => Some("number"),
        _ => None,
    };
    let mut types = values.iter().filter(|value| !value.is_null()).map(type_of);
    let first = types.next()??;
    types.all(|other| other == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapts_what_dropshot_or_schemars_would_lose() {
        let rows = json!([
            [{ "properties": {} }, { "properties": {}, "type": "object" }, "type by keyword"],
            [
                { "allOf": [{ "type": "object" }], "required": ["a"] },
                { "allOf": [{ "type": "object" }], "required": ["a"], "type": "object" },
                "type beside a combination"
            ],
            [{ "enum": ["a", null] }, { "enum": ["a", null], "type": "string" }, "type by values"],
            [{ "enum": ["a", 1] }, { "enum": ["a", 1] }, "values of two types"],
            [{ "allOf": [{}] }, { "allOf": [{}] }, "one combination stays as it is"],
            [
                { "allOf": [{}], "not": {} },
                { "allOf": [{ "allOf": [{}] }, { "not": {} }] },
                "dropshot panics on two combinations"
            ],
            [{ "$ref": "#/a", "type": "object" }, { "$ref": "#/a" }, "siblings of a reference"],
            [
                { "type": "string", "maxLength": 5_000_000_000_u64 },
                { "type": "string" },
                "a count of more than 32 bits"
            ],
            [
                { "properties": { "required": { "maximum": 1, "exclusiveMaximum": true } } },
                { "properties": { "required": { "exclusiveMaximum": 1, "type": "number" } }, "type": "object" },
                "a property named like a keyword"
            ]
        ]);
        for row in rows.as_array().into_iter().flatten() {
            assert_eq!(adapt_schema(&row[0]), row[1], "{}", row[2]);
        }
    }
}
