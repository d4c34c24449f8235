//! Parameters that say nothing of their value, that are nowhere in a request, or that are declared twice.

use dropspec_model::{Kind, Node, ObjectType};
use serde_json::{Map, Value, json};

use super::{Mend, Site};

/// A parameter or header without `schema` and `content`; as in Swagger 2.0, what is of a schema may be beside them.
pub(super) fn find_without_schema(site: &Site<'_>) -> Option<Mend> {
    let Kind::Object(of @ (ObjectType::Parameter | ObjectType::Header)) = site.kind else {
        return None;
    };
    let members = site.node.as_object()?;
    let is_complete = ["schema", "$ref"]
        .iter()
        .any(|key| members.contains_key(*key))
        || !site.keys(&site.member("content")).is_empty();
    // Their place is wrong, and says what they need.
    if is_complete || matches!(site.text("in"), Some("body" | "formData")) {
        return None;
    }
    let names = |of: ObjectType| of.fields(0).into_iter().map(|field| field.name);
    let is_own = |name: &str| names(of).any(|it| it == name);
    let is_of_schema = |name: &str| !is_own(name) && names(ObjectType::Schema).any(|it| it == name);
    let moved = members.iter().filter(|(key, _)| is_of_schema(key));
    let mut schema: Map<String, Value> = moved
        .map(|(key, member)| (key.clone(), member.node.to_json()))
        .collect();
    let content = members.contains_key("content").then_some("content");
    let removed = schema.keys().map(String::as_str).chain(content);
    let mut actions: Vec<Value> = removed.map(|key| site.remove(&site.member(key))).collect();
    let mut text = "What it says of its value is of the schema.";
    if schema.is_empty() {
        schema.insert("type".to_owned(), json!("string"));
        text = "On the wire it is a text.";
    }
    actions.push(site.update(site.at, json!({ "schema": schema })));
    let mend = site.mend(
        site.at,
        format!("{} needs `schema` or `content`", of.name()),
    );
    Some(mend.by(text, actions))
}

/// Formats of lists in Swagger 2.0 by the place of the parameter, and the style and `explode` that say the same.
const LIST_FORMATS: [(&str, &str, &str, bool); 6] = [
    ("query", "csv", "form", false),
    ("query", "multi", "form", true),
    ("query", "ssv", "spaceDelimited", false),
    ("query", "pipes", "pipeDelimited", false),
    ("path", "csv", "simple", false),
    ("header", "csv", "simple", false),
];

/// A parameter whose values are joined as Swagger 2.0 says.
pub(super) fn find_collection_format(site: &Site<'_>) -> Option<Mend> {
    let is_parameter = site.kind == Kind::Object(ObjectType::Parameter);
    let written = site
        .text("collectionFormat")
        .filter(|_| is_parameter && site.node.get("style").is_none())?;
    let place = site.text("in")?;
    let mut rows = LIST_FORMATS.iter();
    let (.., style, explodes) = rows.find(|(of, format, ..)| *of == place && *format == written)?;
    let at = site.member("collectionFormat");
    let mend = site.mend(
        &at,
        "`collectionFormat` is of Swagger 2.0 and has no effect",
    );
    let update = json!({ "style": style, "explode": explodes });
    let actions = vec![site.remove(&at), site.update(site.at, update)];
    Some(mend.by("The style says how values are joined.", actions))
}

/// Parameters of one path or operation with the same name and location.
pub(super) fn list_repeated(site: &Site<'_>) -> Vec<Mend> {
    let has_list = matches!(
        site.kind,
        Kind::Object(ObjectType::PathItem | ObjectType::Operation)
    );
    let list = if has_list {
        site.items("parameters")
    } else {
        Vec::new()
    };
    let id = |node: &Node| {
        let text = |key: &str| Some(node.get(key)?.as_str()?.to_owned());
        Some((text("in")?, text("name")?))
    };
    let found = list.iter().enumerate().filter_map(|(index, node)| {
        let (place, name) = id(node)?;
        let first = list[..index].iter().find(|it| id(it) == id(node))?;
        let at = format!("{}/{index}", site.member("parameters"));
        let message = format!("the {place} parameter `{name}` is declared twice");
        let (mend, remove) = (site.mend(&at, message).moving(), vec![site.remove(&at)]);
        Some(if first.to_json() == node.to_json() {
            mend.by("Both say the same.", remove)
        } else {
            mend.or("the first is meant", remove)
        })
    });
    found.collect()
}
