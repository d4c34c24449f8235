//! Edits of nodes.

use dropspec_model::{Member, Node, Object, Position, Value};

/// Puts `content` in the place of a `$ref`. The members beside the `$ref` stay, and win.
pub(crate) fn replace_keeping_siblings(node: &mut Node, content: Node) {
    let reference = std::mem::replace(node, content);
    let Value::Object(siblings) = reference.value else {
        return;
    };
    if let Value::Object(members) = &mut node.value {
        for (key, member) in siblings.into_iter().filter(|(key, _)| key != "$ref") {
            members.insert(key, member);
        }
    }
}

/// The member `key` of an object; an empty object if it has none.
pub(crate) fn member_or_insert<'n>(node: &'n mut Node, key: &str, at: Position) -> &'n mut Node {
    if !matches!(node.value, Value::Object(_)) {
        node.value = Value::Object(Object::new());
    }
    match node.value {
        Value::Object(ref mut members) => {
            let member = members.entry(key.to_owned()).or_insert_with(|| Member {
                key_position: at,
                node: Node {
                    position: at,
                    value: Value::Object(Object::new()),
                },
            });
            &mut member.node
        }
        _ => node,
    }
}
