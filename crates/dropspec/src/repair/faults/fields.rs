//! Fields of any object: values of another type that say the same or nothing, missing fields, and targets that are not there.

use dropspec_model::{Kind, Node, ObjectType, Value as Written, suggest};
use dropspec_schema::{pointer, pointer_of_reference};
use serde_json::{Number, Value, json};

use super::{Mend, Site};

/// What OpenAPI requires of an object, and what says no more than its absence.
const REQUIRED: [(ObjectType, &str, &str); 2] = [
    (ObjectType::RequestBody, "content", r#"{"*/*": {}}"#),
    (
        ObjectType::Operation,
        "responses",
        r#"{"default": {"description": "Any response."}}"#,
    ),
];

/// Values of a type that OpenAPI does not have in their place.
pub(super) fn list_wrong_values(site: &Site<'_>) -> Vec<Mend> {
    let members = site.node.as_object().into_iter().flatten();
    let found = members.filter_map(|(key, member)| find_wrong_value(site, key, &member.node));
    found.collect()
}

fn find_wrong_value(site: &Site<'_>, key: &str, node: &Node) -> Option<Mend> {
    let kind = site.kind.of_member(key);
    // The keys of a map are names, such as those of properties.
    let is_name = matches!(
        site.kind,
        Kind::Map(_) | Kind::Object(ObjectType::Responses)
    );
    let is_text = ["title", "summary", "description"].contains(&key);
    // Its other words are faults of schemas, and in later versions null is the type `null`.
    let is_type = site.kind == Kind::SCHEMA && key == "type";
    if is_type && (node.value != Written::Null || site.document.uses_json_schema()) {
        return None;
    }
    let value = match (&node.value, kind) {
        (Written::Null, Kind::Any | Kind::Other) => return None,
        (Written::Null, _) if is_name => Some(json!({})),
        (Written::Null, _) if is_text => return None,
        (Written::Null, _) => None,
        (Written::String(text), Kind::Boolean) => {
            Some(json!(text.trim().to_lowercase().parse::<bool>().ok()?))
        }
        (Written::String(text), Kind::Number) => Some(json!(text.trim().parse::<Number>().ok()?)),
        (Written::Number(number), Kind::String) => Some(json!(number.to_string())),
        _ => return None,
    };
    let at = site.member(key);
    let (found, expected) = (node.kind(), kind.description());
    let mend = site.mend(&at, format!("`{key}` must be {expected}, found {found}"));
    Some(match value {
        Some(value) => mend.by("This says the same.", site.replace(key, value)),
        None => mend.by("It says nothing.", vec![site.remove(&at)]),
    })
}

pub(super) fn find_missing(site: &Site<'_>) -> Option<Mend> {
    let is_kind = |(of, ..): &&(ObjectType, _, _)| site.kind == Kind::Object(*of);
    let (of, key, value) = REQUIRED.iter().find(is_kind)?;
    let members = site.node.as_object()?;
    let written = members.get(*key).map(|member| &member.node);
    let is_empty = written.is_none_or(|it| it.as_object().is_some_and(|it| it.is_empty()));
    let is_optional = *key == "responses" && site.document.uses_json_schema();
    let says_more = ["$ref", "schema"]
        .iter()
        .any(|key| members.contains_key(*key));
    if !is_empty || is_optional || says_more {
        return None;
    }
    let value: Value = serde_json::from_str(value).ok()?;
    let mend = site.mend(site.at, format!("{} needs `{key}`", of.name()));
    let update = site.update(site.at, json!({ *key: value }));
    Some(mend.by("This says no more than nothing.", vec![update]))
}

/// A `$ref` to a component that is not there.
pub(super) fn find_missing_target(site: &Site<'_>) -> Option<Mend> {
    let text = site.text("$ref").filter(|_| site.kind != Kind::Any)?;
    let target = pointer_of_reference(text)?;
    let (section, name) = target.strip_prefix("/components/")?.split_once('/')?;
    if name.contains('/') || site.document.pointer(&target).is_some() {
        return None;
    }
    let name = pointer::unescape(name);
    let message = format!("the target of the `$ref` to `{text}` does not exist");
    let mend = site.mend(&site.member("$ref"), message);
    let section_at = format!("/components/{section}");
    let refer_to = |name: &str| {
        let reference = format!("#{}", pointer::join(&section_at, name));
        vec![site.update(site.at, json!({ "$ref": reference }))]
    };
    let declared = site.keys(&section_at);
    if let Some(same) = same_letters(&name, &declared) {
        return Some(mend.by(format!("Only `{same}` has these letters."), refer_to(same)));
    }
    let mend = match suggest(&name, declared) {
        Some(other) => mend.or(format!("`{other}` is meant"), refer_to(other)),
        None => mend,
    };
    if section == "schemas" && site.kind == Kind::SCHEMA {
        let any = json!({ "components": { "schemas": { name: {} } } });
        return Some(mend.or("any value is valid", vec![site.update("", any)]));
    }
    Some(mend).filter(|mend| !mend.offered.is_empty())
}

/// The one name with the same letters and digits, whatever their case.
pub(super) fn same_letters<'n>(written: &str, names: &[&'n str]) -> Option<&'n str> {
    let letters = |text: &str| {
        text.to_lowercase()
            .replace(|c: char| !c.is_alphanumeric(), "")
    };
    let own = letters(written);
    let mut same = names
        .iter()
        .filter(|name| letters(name) == own && !own.is_empty());
    same.next().copied().filter(|_| same.next().is_none())
}
