//! A document whose nodes have ids. It follows `$ref`s and knows nothing else of OpenAPI.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use dropspec_model::{Document, Node, Position, Value};
use dropspec_schema::{pointer, pointer_of_reference};
use indexmap::IndexSet;

/// The id of a node of one document; ids are ordered as the nodes are in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

impl Id {
    /// The outermost node.
    pub(crate) const ROOT: Id = Id(0);
}

/// A node of the base and one of the revision.
pub(crate) type Pair = (Id, Id);

/// The outermost nodes.
pub(crate) const ROOTS: Pair = (Id::ROOT, Id::ROOT);

struct Entry<'d> {
    node: &'d Node,
    key_position: Option<Position>,
    parent: Option<Id>,
    /// The key of a member; empty for other nodes.
    key: &'d str,
    /// Its place among the members or items of its parent.
    index: usize,
    children: Vec<Id>,
}

/// A document with an id for every node.
pub(crate) struct Tree<'d> {
    document: &'d Document,
    /// The document as it is written.
    source: &'d Document,
    entries: Vec<Entry<'d>>,
    /// The target of each node with a `$ref`, and of each node on the way.
    resolved: HashMap<Id, Id>,
    /// Whether schemas allow `null`, as far as it was asked.
    pub(crate) null_allowed: RefCell<HashMap<Id, bool>>,
}

impl<'d> Tree<'d> {
    /// The tree of a document in the terms of OpenAPI 3.0, given the document as it is written.
    pub(crate) fn new(document: &'d Document, source: &'d Document) -> Tree<'d> {
        let mut tree = Tree {
            document,
            source,
            entries: Vec::new(),
            resolved: HashMap::new(),
            null_allowed: RefCell::default(),
        };
        tree.add(document.root(), None, None, ("", 0));
        tree.resolved = tree.resolve_all();
        tree
    }

    fn add(
        &mut self,
        node: &'d Node,
        key_position: Option<Position>,
        parent: Option<Id>,
        (key, index): (&'d str, usize),
    ) -> Id {
        let id = Id(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        self.entries.push(Entry {
            node,
            key_position,
            parent,
            key,
            index,
            children: Vec::new(),
        });
        let children: Vec<Id> = match &node.value {
            Value::Array(items) => {
                let items = items.iter().enumerate();
                let items = items.map(|(at, item)| self.add(item, None, Some(id), ("", at)));
                items.collect()
            }
            Value::Object(members) => {
                let members = members.iter().enumerate().map(|(at, (key, member))| {
                    self.add(&member.node, Some(member.key_position), Some(id), (key, at))
                });
                members.collect()
            }
            _ => Vec::new(),
        };
        self.entries[id.0 as usize].children = children;
        id
    }

    fn entry(&self, id: Id) -> &Entry<'d> {
        &self.entries[id.0 as usize]
    }

    pub(crate) fn document(&self) -> &'d Document {
        self.document
    }

    pub(crate) fn node(&self, id: Id) -> &'d Node {
        self.entry(id).node
    }

    pub(crate) fn parent(&self, id: Id) -> Option<Id> {
        self.entry(id).parent
    }

    /// The position of the key, or of the value if it has no key.
    pub(crate) fn position(&self, id: Id) -> Position {
        let entry = self.entry(id);
        entry.key_position.unwrap_or(entry.node.position)
    }

    /// The member `key`; a `$ref` is not followed.
    pub(crate) fn get(&self, id: Id, key: &str) -> Option<Id> {
        let entry = self.entry(id);
        let index = entry.node.as_object()?.get_index_of(key)?;
        Some(entry.children[index])
    }

    /// The member at the end of a path of keys; `$ref`s are followed before each step.
    pub(crate) fn path(&self, id: Id, keys: &[&str]) -> Option<Id> {
        let mut id = id;
        for key in keys {
            id = self.get(self.resolve(id), key)?;
        }
        Some(id)
    }

    /// The members of an object in the order of the document; none for other values.
    pub(crate) fn members(&self, id: Id) -> impl Iterator<Item = (&'d str, Id)> + '_ {
        let entry = self.entry(id);
        let keys = entry.node.as_object().into_iter().flat_map(|o| o.keys());
        keys.map(String::as_str).zip(entry.children.iter().copied())
    }

    /// The members of the object `key`, in the order of the document; none for other values.
    pub(crate) fn members_of(&self, id: Id, key: &str) -> impl Iterator<Item = (&'d str, Id)> + '_ {
        let object = self.get(id, key).into_iter();
        object.flat_map(|object| self.members(object))
    }

    /// The members of an object, or the items of an array.
    pub(crate) fn children(&self, id: Id) -> &[Id] {
        &self.entry(id).children
    }

    /// The place of a node among the members or items of its parent.
    pub(crate) fn index(&self, id: Id) -> usize {
        self.entry(id).index
    }

    /// The items of an array; none for other values.
    pub(crate) fn items(&self, id: Id) -> &[Id] {
        let entry = self.entry(id);
        match entry.node.value {
            Value::Array(_) => &entry.children,
            _ => &[],
        }
    }

    /// The items of the array `key`; none for other values.
    pub(crate) fn list(&self, id: Id, key: &str) -> &[Id] {
        self.get(id, key).map_or(&[], |list| self.items(list))
    }

    /// The member `key`, or the node itself if it has no such member.
    pub(crate) fn container(&self, id: Id, key: &str) -> Id {
        self.get(id, key).unwrap_or(id)
    }

    pub(crate) fn text(&self, id: Id, key: &str) -> Option<&'d str> {
        self.node(self.get(id, key)?).as_str()
    }

    /// Whether the member `key` is `true`.
    pub(crate) fn flag(&self, id: Id, key: &str) -> bool {
        self.get(id, key)
            .and_then(|id| self.node(id).as_bool())
            .unwrap_or_default()
    }

    /// The target of a `$ref`, or the node itself. A `$ref` that leads nowhere, in a cycle or out of the document is its
    /// own target.
    pub(crate) fn resolve(&self, id: Id) -> Id {
        self.resolved.get(&id).copied().unwrap_or(id)
    }

    /// Follows all `$ref`s, without recursion: a chain of them can be as long as the document.
    fn resolve_all(&self) -> HashMap<Id, Id> {
        let mut resolved: HashMap<Id, Id> = HashMap::new();
        for index in 0..self.entries.len() {
            let mut chain = IndexSet::new();
            let mut current = Id(u32::try_from(index).unwrap_or(u32::MAX));
            let end = loop {
                if let Some(end) = resolved.get(&current) {
                    // A reference that is its own target leads nowhere.
                    break (*end != current).then_some(*end);
                }
                let Some(reference) = self.text(current, "$ref") else {
                    break Some(current);
                };
                match self.target(reference) {
                    Some(next) if chain.insert(current) => current = next,
                    _ => {
                        chain.insert(current);
                        break None;
                    }
                }
            };
            resolved.extend(chain.into_iter().map(|id| (id, end.unwrap_or(id))));
        }
        resolved
    }

    /// The target of a reference into this document; a `$ref` there is not followed.
    pub(crate) fn target(&self, reference: &str) -> Option<Id> {
        self.lookup(&pointer_of_reference(reference)?)
    }

    /// The node at a JSON pointer (RFC 6901).
    pub(crate) fn lookup(&self, pointer: &str) -> Option<Id> {
        let mut id = Id::ROOT;
        for token in pointer::tokens(pointer)? {
            id = match &self.node(id).value {
                Value::Array(_) => *self.items(id).get(pointer::parse_index(&token)?)?,
                _ => self.get(id, &token)?,
            };
        }
        Some(id)
    }

    /// The JSON pointer of a node.
    pub(crate) fn pointer(&self, id: Id) -> String {
        let mut tokens = Vec::new();
        let mut current = id;
        while let Some(parent) = self.parent(current) {
            tokens.push(match self.node(parent).value {
                Value::Array(_) => self.index(current).to_string(),
                _ => pointer::escape(self.key(current)),
            });
            current = parent;
        }
        let tokens = tokens.iter().rev();
        tokens.map(|token| format!("/{token}")).collect()
    }

    /// The JSON pointer of a node in the document as it is written.
    pub(crate) fn written_pointer(&self, id: Id) -> String {
        self.source.written_pointer(&self.pointer(id))
    }

    /// The key of a member; empty for other nodes.
    pub(crate) fn key(&self, id: Id) -> &'d str {
        self.entry(id).key
    }

    /// A section of the components, or the root if it is absent: what a component is added to or removed from.
    pub(crate) fn component_list(&self, section: &str) -> Id {
        self.components(section).unwrap_or(Id::ROOT)
    }

    /// A section of the components, such as `schemas`.
    pub(crate) fn components(&self, section: &str) -> Option<Id> {
        self.path(Id::ROOT, &["components", section])
    }

    /// The components of a section by name.
    pub(crate) fn components_of(&self, section: &str) -> BTreeMap<String, Id> {
        let section = self.components(section).into_iter();
        let members = section.flat_map(|section| self.members(section));
        members.map(|(name, id)| (name.to_owned(), id)).collect()
    }

    /// The section and the name, if the node is a component.
    pub(crate) fn component(&self, id: Id) -> Option<(&'d str, &'d str)> {
        let section = self.parent(id)?;
        let components = self.parent(section)?;
        let is_section =
            self.key(components) == "components" && self.parent(components) == Some(Id::ROOT);
        is_section.then(|| (self.key(section), self.key(id)))
    }
}
