//! A new resource: a template with its names and properties filled in, and where each part of it goes.

use anyhow::bail;
use serde_json::{Map, Value};
use spec_model::Document;

use super::field::Field;
use super::name::{Name, words};

/// The template of documents whose settings name none.
pub(super) const TEMPLATE: &str = include_str!("resource.yaml");

/// The property of a template that stands for those of `--field`.
const PLACEHOLDER: &str = "name";

/// A value that the document gets.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Addition {
    /// The object or array that gets it, as keys from the root.
    pub(super) container: Vec<String>,
    /// Its key; `None` in an array.
    pub(super) key: Option<String>,
    pub(super) value: Value,
}

/// The additions that make a resource of a document, as a template says.
///
/// # Errors
/// The template cannot be read, a field does not fit, or a part is in the document already.
pub(super) fn plan(
    document: &Value,
    template: &str,
    name: &Name,
    fields: &[Field],
) -> anyhow::Result<Vec<Addition>> {
    let template = Document::parse("template", &name.apply(template))
        .map_err(|errors| anyhow::anyhow!("the template of resources: {}", errors[0]))?;
    let mut template = template.root().to_json();
    if !fields.is_empty() {
        let properties = properties(name, fields)?;
        check_own_properties(&template, name, fields)?;
        fill_in(&mut template, fields, &properties);
    }
    let additions = additions(document, &template);
    check_clashes(document, &template, &additions)?;
    Ok(additions)
}

/// The schemas of the properties.
fn properties(name: &Name, fields: &[Field]) -> anyhow::Result<Map<String, Value>> {
    let mut properties = Map::new();
    for field in fields {
        let mut schema = field.schema.clone();
        let words = words(&field.name);
        schema["description"] = format!("The {words} of the {}.", name.item()).into();
        if properties.insert(field.name.clone(), schema).is_some() {
            bail!("--field has `{}` twice", field.name);
        }
    }
    Ok(properties)
}

/// Checks that no field has the name of a property that the template has itself, such as the id.
fn check_own_properties(template: &Value, name: &Name, fields: &[Field]) -> anyhow::Result<()> {
    let schemas = template.pointer("/components/schemas");
    let schemas = schemas.and_then(Value::as_object).into_iter().flatten();
    let own = schemas.filter_map(|(_, schema)| schema.get("properties")?.as_object());
    let own: Vec<&String> = own.flat_map(Map::keys).collect();
    let clash = |field: &&Field| field.name != PLACEHOLDER && own.contains(&&field.name);
    if let Some(field) = fields.iter().find(clash) {
        bail!(
            "every {} has `{}` already: leave this --field out",
            name.item(),
            field.name
        );
    }
    Ok(())
}

/// Puts the fields in the place of the template's placeholder: in `properties`, `required` and examples.
fn fill_in(value: &mut Value, fields: &[Field], properties: &Map<String, Value>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::Object(own)) = members.get_mut("properties")
                && own.contains_key(PLACEHOLDER)
            {
                replace_member(own, properties.clone());
                if let Some(Value::Array(required)) = members.get_mut("required") {
                    required.retain(|it| it != PLACEHOLDER);
                    let names = fields.iter().filter(|it| it.is_required);
                    required.extend(names.map(|it| it.name.clone().into()));
                    if required.is_empty() {
                        members.shift_remove("required");
                    }
                }
            }
            for (key, member) in members.iter_mut() {
                if key == "example" {
                    fill_in_example(member, fields);
                } else {
                    fill_in(member, fields, properties);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                fill_in(item, fields, properties);
            }
        }
        _ => {}
    }
}

fn fill_in_example(example: &mut Value, fields: &[Field]) {
    match example {
        Value::Object(members) if members.contains_key(PLACEHOLDER) => {
            let samples = fields.iter();
            let samples = samples.map(|field| (field.name.clone(), field.sample.clone()));
            replace_member(members, samples.collect());
        }
        Value::Array(items) => {
            for item in items {
                fill_in_example(item, fields);
            }
        }
        _ => {}
    }
}

/// Puts members in the place of the placeholder.
fn replace_member(members: &mut Map<String, Value>, new: Map<String, Value>) {
    let all = std::mem::take(members);
    for (key, value) in all {
        if key == PLACEHOLDER {
            members.extend(new.clone());
        } else {
            members.insert(key, value);
        }
    }
}

/// What the document gets of a template, and where. Tags and extensions are added only where it has such a section.
fn additions(document: &Value, template: &Value) -> Vec<Addition> {
    let mut additions = Vec::new();
    let mut add = |container: &[&str], key: Option<&String>, value: &Value| {
        additions.push(Addition {
            container: container.iter().map(|it| (*it).to_owned()).collect(),
            key: key.cloned(),
            value: value.clone(),
        });
    };
    for (name, section) in template.as_object().into_iter().flatten() {
        let has = document.get(name);
        match (name.as_str(), section) {
            ("openapi" | "info", _) => {}
            ("tags", Value::Array(tags)) if has.is_some_and(Value::is_array) => {
                tags.iter().for_each(|tag| add(&[name], None, tag));
            }
            ("components", Value::Object(kinds)) if has.is_some() => {
                for (kind, members) in kinds {
                    match has.and_then(|it| it.get(kind)) {
                        None => add(&[name], Some(kind), members),
                        Some(_) => {
                            for (key, value) in members.as_object().into_iter().flatten() {
                                add(&[name, kind], Some(key), value);
                            }
                        }
                    }
                }
            }
            ("components", _) => add(&[], Some(name), section),
            // A document without paths is refused by the editor.
            (key, Value::Object(members)) if has.is_some() || key == "paths" => {
                for (key, value) in members {
                    add(&[name], Some(key), value);
                }
            }
            _ => {}
        }
    }
    additions
}

/// Checks that nothing of a resource is in the document already.
fn check_clashes(document: &Value, template: &Value, additions: &[Addition]) -> anyhow::Result<()> {
    let mut clashes = Vec::new();
    for Addition { container, key, .. } in additions {
        let place = container.iter().try_fold(document, |at, key| at.get(key));
        let known = key
            .as_ref()
            .filter(|key| place.is_some_and(|it| it.get(key).is_some()));
        clashes.extend(known.map(|key| format!("`{key}` in {}", container.join("."))));
    }
    let known: Vec<&str> = operations(document).map(|(_, _, id)| id).collect();
    for (_, _, id) in operations(template) {
        if known.contains(&id) {
            clashes.push(format!("the operationId `{id}`"));
        }
    }
    if !clashes.is_empty() {
        bail!(
            "the document already has {}: choose another name, or another --singular",
            clashes.join(", ")
        );
    }
    Ok(())
}

/// Method, path and `operationId` of each operation that has one.
pub(super) fn operations(document: &Value) -> impl Iterator<Item = (&str, &str, &str)> {
    let paths = document.get("paths").and_then(Value::as_object);
    paths.into_iter().flatten().flat_map(|(path, item)| {
        let members = item.as_object().into_iter().flatten();
        members.filter_map(|(method, operation)| {
            let id = operation.get("operationId")?.as_str()?;
            Some((method.as_str(), path.as_str(), id))
        })
    })
}
