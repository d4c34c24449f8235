//! Rewrites the keywords of one schema.

use spec_schema::BodyKind;

use crate::node::{Member, Node, Object, Position, Value};

/// Keywords with schemas for the same value. What these evaluate, `unevaluatedProperties` does not see alone.
const IN_PLACE: [&str; 9] = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "then",
    "else",
    "dependentSchemas",
];

pub(super) fn member(key_position: Position, position: Position, value: Value) -> Member {
    Member {
        key_position,
        node: Node { position, value },
    }
}

/// Writes the type `null` as `nullable` or, if it is the only one, as a value.
pub(super) fn rewrite_types(members: &mut Object) {
    let Some(types) = members.get("type").cloned() else {
        return;
    };
    let at = types.node.position;
    let mut others: Vec<Node> = match types.node.value {
        Value::Array(types) => types,
        value => vec![Node {
            value,
            ..types.node
        }],
    };
    let all = others.len();
    others.retain(|name| name.as_str() != Some("null"));
    let with_null = others.len() < all;
    let lists_null = |key: &str, member: &Member| match &member.node.value {
        Value::Array(values) => values.iter().any(|value| value.value == Value::Null),
        value => key == "const" && *value == Value::Null,
    };
    let mut values = ["enum", "const"]
        .into_iter()
        .filter_map(|key| Some((key, members.get(key)?)));
    let is_valid = values.all(|(key, member)| lists_null(key, member));
    let flag = member(types.key_position, at, Value::Bool(true));
    if with_null && others.is_empty() {
        members.shift_remove("type");
        let null = Node {
            position: at,
            value: Value::Null,
        };
        let values = Value::Array(if is_valid { vec![null] } else { Vec::new() });
        members.shift_remove("const");
        members.insert("enum".to_owned(), member(types.key_position, at, values));
        members.insert("nullable".to_owned(), flag);
        return;
    }
    let value = match &mut others[..] {
        [one] => std::mem::replace(&mut one.value, Value::Null),
        _ => Value::Array(others),
    };
    if let Some(types) = members.get_mut("type") {
        types.node.value = value;
    }
    if with_null && is_valid {
        members.insert("nullable".to_owned(), flag);
    }
}

pub(super) fn rewrite_const(members: &mut Object) {
    let Some(constant) = members.shift_remove("const") else {
        return;
    };
    let at = constant.node.position;
    let key_position = constant.key_position;
    let values = member(key_position, at, Value::Array(vec![constant.node]));
    if let Some(others) = members.insert("enum".to_owned(), values) {
        let object = [("enum".to_owned(), others)].into_iter().collect();
        push_all_of(members, key_position, at, object);
    }
}

pub(super) fn push_all_of(
    members: &mut Object,
    key_position: Position,
    at: Position,
    object: Object,
) {
    let entry = members.entry("allOf".to_owned());
    let list = entry.or_insert_with(|| member(key_position, at, Value::Array(Vec::new())));
    if let Value::Array(items) = &mut list.node.value {
        items.push(Node {
            position: at,
            value: Value::Object(object),
        });
    }
}

/// Writes an exclusive bound as a bound with a flag. Of two bounds, the tighter one stays.
pub(super) fn rewrite_bound(members: &mut Object, inclusive: &str, exclusive: &str) {
    let number = |key: &str| members.get(key)?.node.as_number()?.as_f64();
    let Some(bound) = number(exclusive) else {
        return;
    };
    let applies = match number(inclusive) {
        Some(other) if inclusive == "minimum" => bound >= other,
        Some(other) => bound <= other,
        None => true,
    };
    let Some(found) = members.shift_remove(exclusive).filter(|_| applies) else {
        return;
    };
    let flag = member(found.key_position, found.node.position, Value::Bool(true));
    members.insert(inclusive.to_owned(), found);
    members.insert(exclusive.to_owned(), flag);
}

pub(super) fn rewrite_examples(members: &mut Object) {
    let is_one =
        |member: &Member| matches!(&member.node.value, Value::Array(items) if items.len() == 1);
    if members.contains_key("example") || !members.get("examples").is_some_and(is_one) {
        return;
    }
    if let Some(examples) = members.shift_remove("examples")
        && let Value::Array(mut items) = examples.node.value
        && let Some(node) = items.pop()
    {
        let key_position = examples.key_position;
        members.insert("example".to_owned(), Member { key_position, node });
    }
}

/// Writes the encodings that 3.0 has a format for as that format.
pub(super) fn rewrite_content(members: &mut Object) {
    let text = |key: &str| members.get(key).and_then(|member| member.node.as_str());
    if members.contains_key("format") || !matches!(text("type"), None | Some("string")) {
        return;
    }
    let (keyword, format) = match (text("contentEncoding"), text("contentMediaType")) {
        (Some("base64"), None) => ("contentEncoding", "byte"),
        (Some("binary"), None) => ("contentEncoding", "binary"),
        (None, Some(media_type)) if BodyKind::of(media_type) == BodyKind::Bytes => {
            ("contentMediaType", "binary")
        }
        _ => return,
    };
    let Some(mut found) = members.shift_remove(keyword) else {
        return;
    };
    let (key_position, position) = (found.key_position, found.node.position);
    found.node.value = Value::String(format.to_owned());
    members.insert("format".to_owned(), found);
    members
        .entry("type".to_owned())
        .or_insert_with(|| member(key_position, position, Value::String("string".to_owned())));
}

/// Where no other schema applies to the value, `unevaluated…` is the same as the keyword that 3.0 has.
pub(super) fn rewrite_unevaluated(members: &mut Object, unevaluated: &str, keyword: &str) {
    let sees_others = ["contains"]
        .iter()
        .chain(&IN_PLACE)
        .any(|key| members.contains_key(*key));
    if sees_others || members.contains_key(keyword) {
        return;
    }
    if let Some(found) = members.shift_remove(unevaluated) {
        members.insert(keyword.to_owned(), found);
    }
}

/// In 3.0 a `$ref` stands alone.
pub(super) fn rewrite_siblings(members: &mut Object, at: Position) {
    if members.len() > 1
        && let Some(reference) = members.shift_remove("$ref")
    {
        let key_position = reference.key_position;
        let object = [("$ref".to_owned(), reference)].into_iter().collect();
        push_all_of(members, key_position, at, object);
    }
}
