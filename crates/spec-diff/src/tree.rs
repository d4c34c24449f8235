//! A document with a number for every node, so that the comparison can name, remember and locate nodes cheaply.
//! It follows `$ref`s and knows nothing else of OpenAPI.

use std::collections::{BTreeMap, HashMap};

use indexmap::IndexSet;
use spec_model::{Document, Node, Position, Value};
use spec_schema::{pointer, pointer_of_reference};

/// A node of one document, in the order of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

impl Id {
    /// The outermost value.
    pub(crate) const ROOT: Id = Id(0);
}

struct Entry<'d> {
    node: &'d Node,
    key_position: Option<Position>,
    parent: Option<Id>,
    token: Token<'d>,
    children: Vec<Id>,
}

enum Token<'d> {
    Root,
    Key(&'d str),
    Index(usize),
}

/// The numbered document.
pub(crate) struct Tree<'d> {
    document: &'d Document,
    entries: Vec<Entry<'d>>,
    /// What each node with a `$ref` leads to.
    resolved: HashMap<Id, Id>,
}

impl<'d> Tree<'d> {
    pub(crate) fn new(document: &'d Document) -> Tree<'d> {
        let mut tree = Tree {
            document,
            entries: Vec::new(),
            resolved: HashMap::new(),
        };
        tree.add(document.root(), None, None, Token::Root);
        tree.resolved = tree.resolve_all();
        tree
    }

    fn add(
        &mut self,
        node: &'d Node,
        key_position: Option<Position>,
        parent: Option<Id>,
        token: Token<'d>,
    ) -> Id {
        let id = Id(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        self.entries.push(Entry {
            node,
            key_position,
            parent,
            token,
            children: Vec::new(),
        });
        let children: Vec<Id> = match &node.value {
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(index, item)| self.add(item, None, Some(id), Token::Index(index)))
                .collect(),
            Value::Object(members) => members
                .iter()
                .map(|(key, member)| {
                    let token = Token::Key(key);
                    self.add(&member.node, Some(member.key_position), Some(id), token)
                })
                .collect(),
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

    /// Where a person should look: at the key, if there is one.
    pub(crate) fn position(&self, id: Id) -> Position {
        let entry = self.entry(id);
        entry.key_position.unwrap_or(entry.node.position)
    }

    /// The member `key`, as it stands.
    pub(crate) fn get(&self, id: Id, key: &str) -> Option<Id> {
        let entry = self.entry(id);
        let index = entry.node.as_object()?.get_index_of(key)?;
        Some(entry.children[index])
    }

    /// The member at the end of a way through objects, `$ref`s followed before each step.
    pub(crate) fn path(&self, id: Id, keys: &[&str]) -> Option<Id> {
        let mut id = id;
        for key in keys {
            id = self.get(self.resolve(id), key)?;
        }
        Some(id)
    }

    /// The members of an object, as they stand; none for anything else.
    pub(crate) fn members(&self, id: Id) -> impl Iterator<Item = (&'d str, Id)> + '_ {
        let entry = self.entry(id);
        let keys = entry.node.as_object().into_iter().flat_map(|o| o.keys());
        keys.map(String::as_str).zip(entry.children.iter().copied())
    }

    /// The items of an array; none for anything else.
    pub(crate) fn items(&self, id: Id) -> &[Id] {
        let entry = self.entry(id);
        match entry.node.value {
            Value::Array(_) => &entry.children,
            _ => &[],
        }
    }

    /// The items of the array under `key`; none for anything else.
    pub(crate) fn list(&self, id: Id, key: &str) -> &[Id] {
        self.get(id, key).map_or(&[], |list| self.items(list))
    }

    /// The members of an object by their names; none for anything else.
    pub(crate) fn entries(&self, id: Option<Id>) -> BTreeMap<&'d str, Id> {
        id.map(|id| self.members(id).collect()).unwrap_or_default()
    }

    /// The member `key`, or the node that would hold it: where something under `key` comes or goes.
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

    /// The node itself, or what its `$ref` leads to. A `$ref` that leads nowhere, in a circle or out of the document
    /// stands for itself.
    pub(crate) fn resolve(&self, id: Id) -> Id {
        self.resolved.get(&id).copied().unwrap_or(id)
    }

    /// Follows all `$ref`s once; a chain of them can be as long as the document.
    fn resolve_all(&self) -> HashMap<Id, Id> {
        let mut resolved: HashMap<Id, Id> = HashMap::new();
        for index in 0..self.entries.len() {
            let mut chain = IndexSet::new();
            let mut current = Id(u32::try_from(index).unwrap_or(u32::MAX));
            let end = loop {
                if let Some(end) = resolved.get(&current) {
                    // What stands for itself here leads nowhere.
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

    /// What a reference into this document leads to, one step.
    pub(crate) fn target(&self, reference: &str) -> Option<Id> {
        self.lookup(&pointer_of_reference(reference)?)
    }

    /// The node that a JSON pointer (RFC 6901) leads to.
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
        let mut current = Some(id);
        while let Some(id) = current {
            let entry = self.entry(id);
            match entry.token {
                Token::Root => {}
                Token::Key(key) => tokens.push(pointer::escape(key)),
                Token::Index(index) => tokens.push(index.to_string()),
            }
            current = entry.parent;
        }
        let mut pointer = String::new();
        for token in tokens.iter().rev() {
            pointer.push('/');
            pointer.push_str(token);
        }
        pointer
    }

    /// The key that a node stands under, or the empty text.
    pub(crate) fn key(&self, id: Id) -> &'d str {
        match self.entry(id).token {
            Token::Key(key) => key,
            _ => "",
        }
    }

    /// The components of a section, such as `schemas`.
    pub(crate) fn components(&self, section: &str) -> Option<Id> {
        self.path(Id::ROOT, &["components", section])
    }

    /// The section and the name of the component that a node is.
    pub(crate) fn component(&self, id: Id) -> Option<(&'d str, &'d str)> {
        let section = self.parent(id)?;
        let components = self.parent(section)?;
        let whole =
            self.key(components) == "components" && self.parent(components) == Some(Id::ROOT);
        whole.then(|| (self.key(section), self.key(id)))
    }
}
