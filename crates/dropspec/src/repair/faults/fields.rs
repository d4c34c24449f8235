//! Fields of any object: values of another type that say the same or nothing, missing fields, and targets that are not there.

use dropspec_model::{
    ApiKeyLocation, Kind, Node, ObjectType, ParameterLocation, ParameterStyle, Value as Written,
};
use dropspec_schema::{pointer, pointer_of_reference};
use serde_json::{Number, Value, json};

use super::{Mend, Site};
use crate::letters::letters;

/// What OpenAPI requires of an object, and what says no more than its absence.
const REQUIRED: [(ObjectType, &str, &str); 3] = [
    (ObjectType::Document, "paths", "{}"),
    (ObjectType::RequestBody, "content", r#"{"*/*": {}}"#),
    (
        ObjectType::Operation,
        "responses",
        r#"{"default": {"description": "Any response."}}"#,
    ),
];

/// Fields with a few words, and these.
const WORDS: [(ObjectType, &str, &[&str]); 6] = [
    (ObjectType::Parameter, "in", &ParameterLocation::NAMES),
    (ObjectType::Parameter, "style", &ParameterStyle::NAMES),
    (ObjectType::Header, "style", &ParameterStyle::NAMES),
    (ObjectType::Encoding, "style", &ParameterStyle::NAMES),
    (ObjectType::SecurityScheme, "in", ApiKeyLocation::NAMES),
    (
        ObjectType::SecurityScheme,
        "type",
        &["apiKey", "http", "oauth2", "openIdConnect"],
    ),
];

/// Words of OpenAPI in other letters.
pub(super) fn list_other_words(site: &Site<'_>) -> Vec<Mend> {
    let rows = WORDS
        .iter()
        .filter(|(of, ..)| site.kind == Kind::Object(*of));
    let found = rows.filter_map(|(_, key, words)| {
        let written = site.text(key).filter(|it| !words.contains(it))?;
        let meant = same_letters(written, words)?;
        let mend = site.mend(
            &site.member(key),
            format!("`{key}` cannot be `{written}`: its words are in other letters"),
        );
        let update = site.update(site.at, json!({ *key: meant }));
        Some(mend.by(format!("It can only mean `{meant}`."), vec![update]))
    });
    found.collect()
}

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
        // Of a schema it is another fault.
        (_, Kind::Strings) if site.kind == Kind::SCHEMA => return None,
        (Written::String(text), Kind::Strings) => Some(json!([text])),
        (Written::Array(items), Kind::Strings) if items.iter().any(|it| it.as_str().is_none()) => {
            Some(json!(texts_of(items)?))
        }
        (Written::String(text), Kind::Boolean) => Some(json!(read_flag(text)?)),
        (Written::String(text), Kind::Number) => Some(json!(text.trim().parse::<Number>().ok()?)),
        (Written::Number(number), Kind::String) => Some(json!(number.to_string())),
        // An empty map of PHP.
        (Written::Array(items), Kind::Map(_) | Kind::Object(_) | Kind::SchemaOrBoolean)
            if items.is_empty() =>
        {
            Some(json!({}))
        }
        (Written::Array(items), Kind::Map(ObjectType::Example)) => {
            let examples = items.iter().enumerate();
            let examples = examples.map(|(index, it)| {
                let value = json!({ "value": it.to_json() });
                ((index + 1).to_string(), value)
            });
            Some(Value::Object(examples.collect()))
        }
        (Written::Array(items), Kind::List(ObjectType::Tag))
            if items.iter().any(|it| it.as_str().is_some()) =>
        {
            let tags = items.iter().map(|it| match it.as_str() {
                Some(name) => json!({ "name": name }),
                None => it.to_json(),
            });
            Some(tags.collect())
        }
        _ => return None,
    };
    let at = site.member(key);
    let found = node.kind();
    let expected = match (&node.value, kind) {
        (Written::Array(_), Kind::List(_)) => "a list of objects",
        _ => kind.description(),
    };
    let mend = site.mend(&at, format!("`{key}` must be {expected}, found {found}"));
    Some(match value {
        Some(value) => mend.by("This says the same.", site.replace(key, value)),
        None => mend.by("It says nothing.", vec![site.remove(&at)]),
    })
}

/// A class of statuses in other letters, such as `2xx`.
pub(super) fn list_miswritten_status_classes(site: &Site<'_>) -> Vec<Mend> {
    let is_responses = site.kind == Kind::Object(ObjectType::Responses);
    let keys = site.keys(site.at).into_iter().filter(|_| is_responses);
    let found = keys.filter_map(|key| {
        let status = key.to_uppercase();
        let class = status.strip_suffix("XX")?;
        let is_class = ["1", "2", "3", "4", "5"].contains(&class);
        if !is_class || status == key || site.node.get(&status).is_some() {
            return None;
        }
        let at = site.member(key);
        let mend = site.mend(&at, format!("`{key}` is not a status")).moving();
        let [create, copy] = site.copy(&at, site.at, &pointer::join("", &status));
        let text = format!("It can only mean `{status}`.");
        Some(mend.by(text, vec![create, copy, site.remove(&at)]))
    });
    found.collect()
}

pub(super) fn find_missing(site: &Site<'_>) -> Option<Mend> {
    let is_kind = |(of, ..): &&(ObjectType, _, _)| site.kind == Kind::Object(*of);
    let (of, key, value) = REQUIRED.iter().find(is_kind)?;
    let members = site.node.as_object()?;
    let written = members.get(*key).map(|member| &member.node);
    let value: Value = serde_json::from_str(value).ok()?;
    let is_empty = written
        .is_none_or(|it| value != json!({}) && it.as_object().is_some_and(|it| it.is_empty()));
    let is_optional = *key != "content" && site.document.uses_json_schema();
    let says_more = ["$ref", "schema"]
        .iter()
        .any(|key| members.contains_key(*key));
    if !is_empty || is_optional || says_more {
        return None;
    }
    let mend = site.mend(site.at, format!("{} needs `{key}`", of.name()));
    let update = site.update(site.at, json!({ *key: value }));
    Some(mend.by("This says no more than nothing.", vec![update]))
}

/// Where OpenAPI 2.0 has components, and the section of OpenAPI 3.
const SECTIONS_OF_2_0: [(&str, &str); 3] = [
    ("/definitions/", "schemas"),
    ("/parameters/", "parameters"),
    ("/responses/", "responses"),
];

/// A `$ref` to a component that is not there.
pub(super) fn find_missing_target(site: &Site<'_>) -> Option<Mend> {
    let text = site.text("$ref").filter(|_| site.kind != Kind::Any)?;
    let target = pointer_of_reference(text)?;
    let (section, name) = match target.strip_prefix("/components/") {
        Some(component) => component.split_once('/')?,
        None => SECTIONS_OF_2_0
            .iter()
            .find_map(|(old, section)| Some((*section, target.strip_prefix(old)?)))?,
    };
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
    if site
        .document
        .pointer(&pointer::join(&section_at, &name))
        .is_some()
    {
        let reason = format!("Since OpenAPI 3.0, these are in `#/components/{section}`.");
        return Some(mend.by(reason, refer_to(&name)));
    }
    if let Some(same) = site.find_same_letters(&section_at, &name) {
        return Some(mend.by(format!("Only `{same}` has these letters."), refer_to(&same)));
    }
    let mend = match site.find_similar(&section_at, &name) {
        Some(other) => mend.or(format!("`{other}` is meant"), refer_to(&other)),
        None => mend,
    };
    if section == "schemas" && site.kind == Kind::SCHEMA {
        let any = json!({ "components": { "schemas": { name: {} } } });
        return Some(mend.or("any value is valid", vec![site.update("", any)]));
    }
    Some(mend).filter(|mend| !mend.offered.is_empty())
}

/// A flag as a text. YAML 1.1 reads more words as flags than JSON.
pub(super) fn read_flag(text: &str) -> Option<bool> {
    match text.trim().to_lowercase().as_str() {
        "true" | "yes" | "y" | "on" => Some(true),
        "false" | "no" | "n" | "off" => Some(false),
        _ => None,
    }
}

/// The texts of a list, in which a number stands for its digits, and null for nothing.
pub(super) fn texts_of(items: &[Node]) -> Option<Vec<String>> {
    let items = items.iter().filter(|it| it.value != Written::Null);
    let texts = items.map(|it| match &it.value {
        Written::String(text) => Some(text.clone()),
        Written::Number(number) => Some(number.to_string()),
        _ => None,
    });
    texts.collect()
}

/// The one name with the same letters and digits, whatever their case.
fn same_letters<'n>(written: &str, names: &[&'n str]) -> Option<&'n str> {
    let own = letters(written);
    let mut same = names
        .iter()
        .filter(|name| letters(name) == own && !own.is_empty());
    same.next().copied().filter(|_| same.next().is_none())
}
