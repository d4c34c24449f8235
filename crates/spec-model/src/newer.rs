//! Writes the schemas of OpenAPI 3.1 (JSON Schema 2020-12) in the terms of OpenAPI 3.0, as far as 3.0 has them.
//! Keywords that 3.0 lacks stay; the schemas in them are rewritten, too.

mod alternatives;
mod keywords;

use std::collections::HashMap;

use spec_schema::pointer;

use self::keywords::{
    member, rewrite_bound, rewrite_const, rewrite_content, rewrite_examples, rewrite_siblings,
    rewrite_types, rewrite_unevaluated,
};
use crate::kind::Kind;
use crate::node::{Member, Node, Object, Value};

/// The keywords of 3.0, each with those of 3.1 that it can stand for.
const WRITTEN_AS: [(&str, &[&str]); 8] = [
    ("nullable", &["type"]),
    ("enum", &["const", "type"]),
    ("minimum", &["exclusiveMinimum"]),
    ("maximum", &["exclusiveMaximum"]),
    ("example", &["examples"]),
    ("format", &["contentEncoding", "contentMediaType"]),
    ("additionalProperties", &["unevaluatedProperties"]),
    ("items", &["unevaluatedItems"]),
];

/// Rewrites a document.
pub(crate) fn rewrite(root: &Node) -> Node {
    let mut names = Names::default();
    names.collect(root, Kind::Document, "");
    let mut root = root.clone();
    names.visit(&mut root, Kind::Document);
    root
}

/// Rewrites a document as [`rewrite`] does, and lists of types as alternatives of one type each: to generate code from it.
pub(crate) fn rewrite_for_code(root: &Node) -> Node {
    let mut root = rewrite(root);
    alternatives::split_types(&mut root, Kind::Document);
    root
}

/// The pointer in the document as it is written, of a pointer in the rewritten document. What is not written has the pointer
/// of what contains it.
pub(crate) fn written_pointer(root: &Node, pointer: &str) -> String {
    let mut node = root;
    let mut written = String::new();
    let tokens: Vec<String> = pointer::tokens(pointer).into_iter().flatten().collect();
    let mut tokens = tokens.iter().peekable();
    while let Some(token) = tokens.next() {
        let mut aliases = WRITTEN_AS.iter().filter(|(name, _)| name == token);
        let aliases = aliases.next().map_or(&[][..], |(_, aliases)| aliases);
        let aliases = aliases.iter().copied();
        let found = [token.as_str()].into_iter().chain(aliases).find_map(|key| {
            let (_, child) = node.child(key)?;
            Some((key, child))
        });
        let is_added = token == "allOf"
            && tokens.peek().is_some_and(|index| {
                let list = node.get("allOf");
                list.is_none_or(|list| list.child(index).is_none())
            });
        if is_added && node.get("$ref").is_some() {
            tokens.next();
            continue;
        }
        let Some((key, child)) = found else {
            break;
        };
        written = pointer::join(&written, key);
        node = child;
    }
    written
}

/// The pointers of the schemas with a name of their own (`$id`, `$anchor`, `$dynamicAnchor`), by the reference to it. None
/// where several have the same.
#[derive(Default)]
struct Names(HashMap<String, Option<String>>);

impl Names {
    fn collect(&mut self, node: &Node, kind: Kind, at: &str) {
        if kind == Kind::Schema {
            for (keyword, prefix) in [("$id", ""), ("$anchor", "#"), ("$dynamicAnchor", "#")] {
                if let Some(name) = node.get(keyword).and_then(Node::as_str) {
                    let entry = self.0.entry(format!("{prefix}{name}"));
                    entry
                        .and_modify(|known| *known = None)
                        .or_insert_with(|| Some(at.to_owned()));
                }
            }
        }
        match &node.value {
            _ if kind == Kind::Literal => {}
            Value::Object(members) => {
                for (key, member) in members {
                    self.collect(&member.node, kind.of_member(key), &pointer::join(at, key));
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.collect(item, kind.of_item(), &format!("{at}/{index}"));
                }
            }
            _ => {}
        }
    }

    fn visit(&self, node: &mut Node, kind: Kind) {
        if kind == Kind::Schema {
            self.rewrite_schema(node);
        }
        match &mut node.value {
            _ if matches!(kind, Kind::Literal | Kind::Other) => {}
            Value::Object(members) => {
                for (key, member) in members.iter_mut() {
                    let is_flag = matches!(member.node.value, Value::Bool(_));
                    if !(is_flag && key == "additionalProperties") {
                        self.visit(&mut member.node, kind.of_member(key));
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.visit(item, kind.of_item());
                }
            }
            _ => {}
        }
    }

    fn rewrite_schema(&self, node: &mut Node) {
        let at = node.position;
        match &mut node.value {
            Value::Bool(true) => node.value = Value::Object(Object::new()),
            Value::Bool(false) => {
                let nothing = member(at, at, Value::Object(Object::new()));
                node.value = Value::Object([("not".to_owned(), nothing)].into_iter().collect());
            }
            Value::Object(members) => {
                // It has no meaning in 3.1.
                members.shift_remove("nullable");
                self.rewrite_references(members);
                rewrite_types(members);
                rewrite_const(members);
                rewrite_bound(members, "minimum", "exclusiveMinimum");
                rewrite_bound(members, "maximum", "exclusiveMaximum");
                rewrite_examples(members);
                rewrite_content(members);
                rewrite_unevaluated(members, "unevaluatedProperties", "additionalProperties");
                rewrite_unevaluated(members, "unevaluatedItems", "items");
                rewrite_siblings(members, at);
            }
            _ => {}
        }
    }

    /// Replaces the name of a schema by its pointer. A dynamic reference to a name that only one schema has is a reference.
    fn rewrite_references(&self, members: &mut Object) {
        let pointer_of = |member: &Member| {
            let known = self.0.get(member.node.as_str()?)?.as_ref()?;
            Some(Value::String(format!("#{known}")))
        };
        if let Some(reference) = members.get_mut("$ref")
            && let Some(pointer) = pointer_of(reference)
        {
            reference.node.value = pointer;
        }
        if members.contains_key("$ref") {
            return;
        }
        if let Some(pointer) = members.get("$dynamicRef").and_then(pointer_of)
            && let Some(mut reference) = members.shift_remove("$dynamicRef")
        {
            reference.node.value = pointer;
            members.insert("$ref".to_owned(), reference);
        }
    }
}

#[cfg(test)]
mod tests;
