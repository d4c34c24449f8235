//! A new resource: a template with its names filled in, and where each part of it goes.

use anyhow::bail;
use dropspec_model::Document;
use serde_json::Value;

use super::name::Name;

/// The template of documents whose settings name none.
pub(super) const TEMPLATE: &str = include_str!("resource.yaml");

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
/// The template cannot be read, or a part is in the document already.
pub(super) fn plan(document: &Value, template: &str, name: &Name) -> anyhow::Result<Vec<Addition>> {
    let template = Document::parse("template", &name.apply(template))
        .map_err(|errors| anyhow::anyhow!("the template of resources: {}", errors[0]))?;
    let template = template.root().to_json();
    let additions = additions(document, &template);
    check_clashes(document, &template, &additions)?;
    Ok(additions)
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
    for tag in additions.iter().filter(|it| it.key.is_none()) {
        let mut known = document["tags"].as_array().into_iter().flatten();
        if known.any(|it| it["name"] == tag.value["name"]) {
            clashes.push(format!("the tag {}", tag.value["name"]));
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
