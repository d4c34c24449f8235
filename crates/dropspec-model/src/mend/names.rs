//! Gives names to schemas that others refer to and that are no components: definitions within schemas, and those that
//! contain themselves. They become components.

use std::collections::{BTreeMap, HashMap, HashSet};

use dropspec_schema::pointer;
use serde_json::json;

use crate::document::Document;
use crate::node::{Member, Node, Object, Value};

/// The keywords whose members are schemas with a name of their own.
pub(super) const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// A reference in a schema: its `$ref`, or one in a mapping.
pub(super) struct Link {
    /// The pointer of the object with the reference.
    pub(super) holder: String,
    /// The key of the reference.
    pub(super) key: String,
    /// The pointer of the target.
    pub(super) target: String,
}

/// Makes these schemas components. `document` is as it is written.
pub(super) fn name_schemas(document: &Document, root: &mut Node, mut links: Vec<Link>) {
    links.sort_by(|a, b| a.holder.cmp(&b.holder));
    let mut targets: Vec<&str> = links.iter().map(|it| it.target.as_str()).collect();
    targets.sort_unstable();
    targets.dedup();
    targets.retain(|it| !is_component(it) && (is_definition(it) || leads_back(&links, it)));
    let components = document.pointer("/components/schemas");
    let components = components.and_then(Node::as_object).into_iter().flatten();
    let mut taken: HashSet<String> = components.map(|(name, _)| name.clone()).collect();
    // By the pointer of the schema.
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    // By the text of the schema, whatever the order of its keys.
    let mut known: HashMap<Option<String>, String> = HashMap::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for target in targets {
        // Its references are absolute by now: the same text can mean another schema elsewhere.
        let text = root.pointer(target).map(|node| {
            let mut json = node.to_json();
            json.sort_all_objects();
            json.to_string()
        });
        let name = known.entry(text).or_insert_with(|| {
            let base = name_of(target);
            let mut name = base.clone();
            let number = numbers.entry(base.clone()).or_insert(2);
            while taken.contains(&name) {
                name = format!("{base}{number}");
                *number += 1;
            }
            name
        });
        taken.insert(name.clone());
        names.insert(target.to_owned(), name.clone());
    }
    for Link {
        holder,
        key,
        target,
    } in &links
    {
        // Of the schemas around the target that get a name, the innermost is its base.
        let mut around = std::iter::successors(Some(target.as_str()), |it: &&str| {
            Some(it.rsplit_once('/')?.0)
        });
        let base = around.find_map(|it| names.get_key_value(it));
        if let (Some((base, name)), Some(holder)) = (base, root.pointer_mut(holder)) {
            let reference = format!("{}{}", reference_to(name), &target[base.len()..]);
            holder.set(key, Value::String(reference));
        }
    }
    // What is within another is moved first.
    for (target, name) in names.into_iter().rev() {
        move_to_component(root, &target, &name);
    }
}

fn move_to_component(root: &mut Node, pointer: &str, name: &str) {
    let Some(node) = root.pointer_mut(pointer) else {
        return;
    };
    let reference = Node::of_json(json!({ "$ref": reference_to(name) }), node.position);
    let schema = std::mem::replace(node, reference);
    for (parent, key) in [("", "components"), ("/components", "schemas")] {
        if let Some(parent) = root.pointer_mut(parent)
            && parent.get(key).is_none()
        {
            parent.set(key, Value::Object(Object::new()));
        }
    }
    if let Some(schemas) = root.pointer_mut("/components/schemas") {
        let key_position = schema.position;
        let node = schema;
        schemas.insert(name, Member { key_position, node });
    }
}

/// Whether a schema contains a reference that leads to the schema itself. `links` are in the order of their holders.
fn leads_back(links: &[Link], schema: &str) -> bool {
    let mut reached = HashSet::from([schema]);
    let mut open = vec![schema];
    while let Some(from) = open.pop() {
        let first = links.partition_point(|it| it.holder.as_str() < from);
        let inside = links[first..].iter();
        let inside = inside.take_while(|it| it.holder.starts_with(from));
        for link in inside.filter(|it| is_below(&it.holder, from)) {
            if link.target == schema {
                return true;
            }
            if reached.insert(&link.target) {
                open.push(&link.target);
            }
        }
    }
    false
}

fn reference_to(name: &str) -> String {
    format!("#{}", pointer::join("/components/schemas", name))
}

pub(super) fn is_below(pointer: &str, parent: &str) -> bool {
    let rest = pointer.strip_prefix(parent);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_component(pointer: &str) -> bool {
    let name = pointer.strip_prefix("/components/schemas/");
    name.is_some_and(|name| !name.contains('/'))
}

/// Whether a schema is in the definitions of another.
fn is_definition(pointer: &str) -> bool {
    let tokens: Vec<&str> = pointer.rsplitn(3, '/').collect();
    matches!(tokens[..], [_, parent, _] if DEFINITIONS.contains(&parent))
}

/// A name for the schema at a pointer: its own, in the characters that the name of a component has.
fn name_of(pointer: &str) -> String {
    let token = pointer.rsplit('/').next().unwrap_or_default();
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let name = pointer::unescape(token).replace(|c| !is_allowed(c), "_");
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("Item{name}")
    } else {
        name
    }
}
