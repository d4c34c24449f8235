//! Values that OpenAPI forbids although they can mean only one thing, wherever they are, and schemas that need a name.

use std::collections::{BTreeMap, HashSet};

use spec_schema::{pointer, pointer_of_reference};

use super::{Change, Violations, object};
use crate::kind::Kind;
use crate::node::{Node, Value};

/// The rule of an empty `enum`.
pub const ENUM_EMPTY: &str = "enum-empty";
/// The rule of a `$ref` that is written as if its schema were the document.
pub const REF_BASE: &str = "ref-base";

/// Fields for people.
const TEXTS: [&str; 3] = ["title", "summary", "description"];
/// The keywords whose members are schemas with a name of their own.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The references in the schemas of a document: their `$ref`s, and those of mappings.
#[derive(Default)]
pub(super) struct Links {
    found: Vec<Link>,
}

struct Link {
    /// The pointer of the object with the reference.
    holder: String,
    /// The key of the reference.
    key: String,
    /// The pointer of the target.
    target: String,
}

impl<'d> Violations<'d> {
    /// Finds the values below a node. `around`: the pointers of the schemas around it, the outermost first.
    pub(super) fn find_in_values(
        &mut self,
        node: &'d Node,
        kind: Kind,
        at: &str,
        around: &mut Vec<String>,
        links: &mut Links,
    ) {
        let is_schema = kind == Kind::Schema;
        if is_schema {
            around.push(at.to_owned());
            self.find_in_schema(node, at);
        }
        let is_unanswered = kind == Kind::Operation && node.get("responses").is_none();
        if is_unanswered && self.document.uses_json_schema() {
            let text = Value::String("Any response.".to_owned());
            let any = object(node.position, [("description", text)]);
            let responses = object(node.position, [("default", any)]);
            self.change(at, Change::Set("responses".to_owned(), responses));
        }
        match &node.value {
            _ if kind == Kind::Literal => {}
            Value::Object(members) => {
                for (key, member) in members.iter().filter(|(key, _)| !key.starts_with("x-")) {
                    let child = &member.node;
                    if child.value == Value::Null && TEXTS.contains(&key.as_str()) {
                        self.change(at, Change::Remove(key.clone()));
                    } else if let (true, Some(text)) =
                        (key == "$ref" || kind == MAPPING, child.as_str())
                        && !around.is_empty()
                    {
                        self.find_link(text, at, key, around, links);
                    }
                    let kind = match (kind, key.as_str()) {
                        (Kind::Discriminator, "mapping") => MAPPING,
                        _ => kind.of_member(key),
                    };
                    self.find_in_values(child, kind, &pointer::join(at, key), around, links);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let at = format!("{at}/{index}");
                    self.find_in_values(item, kind.of_item(), &at, around, links);
                }
            }
            _ => {}
        }
        if is_schema {
            around.pop();
        }
    }

    fn find_in_schema(&mut self, node: &Node, at: &str) {
        if node
            .get("enum")
            .and_then(Node::as_array)
            .is_some_and(<[Node]>::is_empty)
        {
            let place = pointer::join(at, "enum");
            let message = "`enum` is empty, so that it is left out";
            self.report(
                ENUM_EMPTY,
                &place,
                message,
                "list a value, or remove `enum`",
            );
            self.change(at, Change::Remove("enum".to_owned()));
        }
        if !self.document.uses_json_schema() {
            return;
        }
        // YAML reads the word as no value.
        let null = || Value::String("null".to_owned());
        match node.get("type").map(|types| &types.value) {
            Some(Value::Null) => self.change(at, Change::Set("type".to_owned(), null())),
            Some(Value::Array(types)) if types.iter().any(|it| it.value == Value::Null) => {
                let mut types = types.clone();
                let nulls = types.iter_mut().filter(|it| it.value == Value::Null);
                nulls.for_each(|it| it.value = null());
                self.change(at, Change::Set("type".to_owned(), Value::Array(types)));
            }
            _ => {}
        }
        let is_list = node
            .get("items")
            .is_some_and(|items| items.as_array().is_some());
        if is_list && node.get("prefixItems").is_none() {
            self.change(at, Change::RenameKey("items", "prefixItems"));
        }
    }

    /// Notes where a reference leads. A pointer into the schema around it, as if that were the document, is mended.
    fn find_link(&mut self, text: &str, at: &str, key: &str, around: &[String], links: &mut Links) {
        let Some(written) = pointer_of_reference(text) else {
            return;
        };
        let exists = |pointer: &str| self.document.pointer(pointer).is_some();
        let mut target = written.clone();
        if !exists(&written) {
            let is_local = DEFINITIONS
                .iter()
                .any(|it| written.starts_with(&format!("/{it}/")));
            let mut bases = around.iter().rev().map(|base| format!("{base}{written}"));
            let Some(found) = bases.find(|it| is_local && exists(it)) else {
                return;
            };
            let message = format!(
                "the `$ref` to `{text}` begins at the schema around it, not at the document"
            );
            let help = format!("write `#{found}`");
            self.report(REF_BASE, &pointer::join(at, key), &message, help);
            self.change(
                at,
                Change::Set(key.to_owned(), Value::String(format!("#{found}"))),
            );
            target = found;
        }
        links.found.push(Link {
            holder: at.to_owned(),
            key: key.to_owned(),
            target,
        });
    }

    /// Gives names to schemas that others refer to and that are no components: definitions within schemas, and those that
    /// contain themselves. They become components.
    pub(super) fn name_schemas(&mut self, mut links: Links) {
        links.found.sort_by(|a, b| a.holder.cmp(&b.holder));
        let mut targets: Vec<&str> = links.found.iter().map(|it| it.target.as_str()).collect();
        targets.sort_unstable();
        targets.dedup();
        targets.retain(|it| !is_component(it) && (is_definition(it) || links.leads_back(it)));
        let mut names = BTreeMap::new();
        let components = self
            .document
            .pointer("/components/schemas")
            .and_then(Node::as_object);
        let mut taken: Vec<String> = components
            .into_iter()
            .flatten()
            .map(|it| it.0.clone())
            .collect();
        for target in targets {
            let json = self.document.pointer(target).map(Node::to_json);
            let base = name_of(target);
            let numbered = (2..).map(|number| format!("{base}{number}"));
            let mut candidates = [base.clone()].into_iter().chain(numbered);
            let known = names.iter().find(|(_, (_, other))| *other == json);
            let name = match known {
                Some((_, (name, _))) => Some(String::clone(name)),
                None => candidates.find(|it| !taken.contains(it)),
            };
            let Some(name) = name else { continue };
            taken.push(name.clone());
            names.insert(target.to_owned(), (name, json));
        }
        for Link {
            holder,
            key,
            target,
        } in &links.found
        {
            // Of the schemas around the target that get a name, the innermost is its base.
            let mut bases = names.iter().filter(|(base, _)| is_below(target, base));
            if let Some((base, (name, _))) = bases.next_back() {
                let reference = format!("{}{}", reference_to(name), &target[base.len()..]);
                self.change(holder, Change::Set(key.clone(), Value::String(reference)));
            }
        }
        // What is within another is moved first.
        for (target, (name, _)) in names.into_iter().rev() {
            self.change(&target, Change::MoveToComponent(name));
        }
    }

    fn change(&mut self, at: &str, change: Change) {
        self.changes.push((at.to_owned(), change));
    }
}

/// Stands for the mapping of a discriminator, whose values can be references.
const MAPPING: Kind = Kind::Map(&Kind::Discriminator);

impl Links {
    /// Whether a schema contains a reference that leads to the schema itself.
    fn leads_back(&self, schema: &str) -> bool {
        let mut reached = HashSet::from([schema]);
        let mut open = vec![schema];
        while let Some(from) = open.pop() {
            let first = self.found.partition_point(|it| it.holder.as_str() < from);
            let inside = self.found[first..].iter();
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
}

/// The reference to a component.
pub(super) fn reference_to(name: &str) -> String {
    format!("#{}", pointer::join("/components/schemas", name))
}

fn is_below(pointer: &str, parent: &str) -> bool {
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
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '_'
        }
    };
    let name: String = pointer::unescape(token).chars().map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("Item{name}")
    } else {
        name
    }
}
