//! Says by keywords of JSON Schema what discriminators say, which it does not have.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

/// Adds to each union with a discriminator that its property has a value which selects a schema that accepts the whole.
pub(super) fn describe_discriminators(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            if let Some(rule) = describe_tags(members) {
                let all = members.entry("allOf").or_insert_with(|| json!([]));
                all.as_array_mut()
                    .into_iter()
                    .for_each(|all| all.push(rule.clone()));
            }
            for member in members.values_mut() {
                *member = describe_discriminators(member.take());
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = describe_discriminators(item.take());
            }
        }
        _ => {}
    }
    value
}

/// The schema of what the values of a discriminator select. None if the schema has none, or a member without a name.
fn describe_tags(schema: &Map<String, Value>) -> Option<Value> {
    let discriminator = schema.get("discriminator")?;
    let property = discriminator["propertyName"].as_str()?;
    let members = schema.get("oneOf").or(schema.get("anyOf"))?.as_array()?;
    let members: Option<Vec<&str>> = members.iter().map(|it| it["$ref"].as_str()).collect();
    let members = members?;
    let known: HashSet<&str> = members.iter().copied().collect();
    let find_member = |target: &Value| {
        let target = target.as_str()?;
        let by_name = format!("#/components/schemas/{target}");
        let mut found = [target, &by_name].into_iter();
        found.find_map(|it| known.get(it).copied())
    };
    let mut selected: Vec<(&str, &str)> = Vec::new();
    for (tag, target) in discriminator["mapping"].as_object().into_iter().flatten() {
        selected.push((tag, find_member(target)?));
    }
    let mut tags: HashSet<&str> = selected.iter().map(|(tag, _)| *tag).collect();
    for member in &members {
        let name = member.rsplit('/').next()?;
        if tags.insert(name) {
            selected.push((name, member));
        }
    }
    let tags: Vec<&str> = selected.iter().map(|(tag, _)| *tag).collect();
    let schemas = selected.iter().map(|(tag, schema)| {
        json!({ "allOf": [{ "$ref": schema }, { "properties": { property: { "enum": [tag] } }, "required": [property] }] })
    });
    let mut schemas: Vec<Value> = schemas.collect();
    let mut is_tagged =
        json!({ "properties": { property: { "enum": tags } }, "required": [property] });
    let Some(default) = discriminator.get("defaultMapping") else {
        is_tagged["anyOf"] = Value::Array(schemas);
        return Some(is_tagged);
    };
    let default = find_member(default)?;
    schemas.push(json!({ "allOf": [{ "$ref": default }, { "not": is_tagged }] }));
    Some(json!({ "anyOf": schemas }))
}
