//! Writes what OpenAPI 3.2 adds to paths, parameters and media types in the terms that the other code reads.

use dropspec_schema::{Method, pointer};

use crate::node::{Node, Object, Value};
use crate::objects::{Kind, ObjectType};

/// The field of a path item whose operations become members of the path item.
const ADDITIONAL: &str = "additionalOperations";
const FORM: &str = "application/x-www-form-urlencoded";
/// The keys that stand before those of what moved up, in the document as it is written.
pub(super) const MOVED_UP: [&[&str]; 2] = [&[ADDITIONAL], &["content", FORM]];

/// Makes each of the `additionalOperations` whose method is known a member of the path item.
pub(super) fn lift_operations(members: &mut Object) {
    let others = members.get_mut(ADDITIONAL).map(|it| &mut it.node.value);
    let Some(Value::Object(others)) = others else {
        return;
    };
    let is_known = |name: &str| Method::of_key(name).is_some_and(|method| !method.is_fixed_field());
    let known = others.extract_if(.., |name, _| is_known(name));
    let known: Vec<_> = known.collect();
    if others.is_empty() && !known.is_empty() {
        members.shift_remove(ADDITIONAL);
    }
    members.extend(known);
}

/// Writes a form that is the whole query string as a parameter whose properties are parameters of their own.
pub(super) fn rewrite_query(members: &mut Object) {
    let location = members.get("in").and_then(|it| it.node.as_str());
    let content = members.get("content").and_then(|it| it.node.as_object());
    let form = content.filter(|content| content.len() == 1 && location == Some("querystring"));
    let form = form.and_then(|content| content.get(FORM)?.node.as_object());
    let Some(schema) = form.filter(|form| !form.contains_key("encoding")) else {
        return;
    };
    let schema = schema.get("schema").cloned();
    if let Some(location) = members.get_mut("in") {
        location.node.value = Value::String("query".to_owned());
    }
    members.shift_remove("content");
    members.extend(schema.map(|schema| ("schema".to_owned(), schema)));
}

/// Puts a media type of `components/mediaTypes` into the place of a reference to it. A reference to none stays.
pub(super) fn follow_media_type(node: &mut Node, kind: Kind, all: Option<&Node>) {
    let Some(all) = all.filter(|_| kind == Kind::Object(ObjectType::MediaType)) else {
        return;
    };
    let mut target = &*node;
    // A longer way is a circle.
    for _ in 0..all.as_object().map_or(0, Object::len) + 1 {
        let reference = target.get("$ref").and_then(Node::as_str);
        let name = reference.and_then(|it| it.strip_prefix("#/components/mediaTypes/"));
        let Some(found) = name.and_then(|name| all.get(&pointer::unescape(name))) else {
            break;
        };
        target = found;
    }
    node.value = target.value.clone();
}
