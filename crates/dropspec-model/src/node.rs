//! The values of a document as a tree, with positions.

use dropspec_schema::pointer;
use indexmap::IndexMap;

/// The deepest nesting of arrays and objects that is parsed, small enough for recursive functions.
pub(crate) const MAX_DEPTH: usize = 128;

/// The file, line and column where a key or a value begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The file, as an index into the files of the document. It is 0 unless the document was put together from several
    /// files.
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// A JSON value of a document, and its position. A YAML alias has the position of its anchor's value.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Position of the first character; in a YAML block mapping, that of the first key.
    pub position: Position,
    /// The value itself.
    pub value: Value,
}

/// A JSON value, written in YAML or JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`, also an empty YAML value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number. Integers that fit neither `i64` nor `u64` are converted to `f64`.
    Number(serde_json::Number),
    /// A string; in YAML every scalar that is not of another type by the core schema.
    String(String),
    /// An array.
    Array(Vec<Node>),
    /// An object.
    Object(Object),
}

/// The members of an object, in the order of the document.
pub type Object = IndexMap<String, Member>;

/// The value of a member of an object, and the position of its key.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Position of the key.
    pub key_position: Position,
    /// The value.
    pub node: Node,
}

impl Member {
    /// A member with these positions of key and value.
    pub(crate) fn new(key_position: Position, position: Position, value: Value) -> Member {
        Member {
            key_position,
            node: Node { position, value },
        }
    }
}

impl Node {
    /// A JSON value all of whose parts have this position.
    pub(crate) fn of_json(json: serde_json::Value, position: Position) -> Node {
        use serde_json::Value as Json;
        let value = match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(value),
            Json::Number(number) => Value::Number(number),
            Json::String(text) => Value::String(text),
            Json::Array(items) => {
                let items = items.into_iter();
                Value::Array(items.map(|it| Node::of_json(it, position)).collect())
            }
            Json::Object(members) => {
                let member =
                    |it| Member::new(position, position, Node::of_json(it, position).value);
                let members = members.into_iter();
                Value::Object(members.map(|(key, it)| (key, member(it))).collect())
            }
        };
        Node { position, value }
    }

    /// Gives the member `key` a value, if this is an object. A value that is replaced keeps its place.
    pub(crate) fn set(&mut self, key: &str, value: Value) {
        let at = self.position;
        if let Value::Object(members) = &mut self.value {
            let entry = members.entry(key.to_owned());
            entry.or_insert(Member::new(at, at, Value::Null)).node.value = value;
        }
    }

    /// Inserts a member, if this is an object.
    pub(crate) fn insert(&mut self, key: &str, member: Member) {
        if let Value::Object(members) = &mut self.value {
            members.insert(key.to_owned(), member);
        }
    }

    /// Removes the member `key`, if this is an object that has it.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Member> {
        match &mut self.value {
            Value::Object(members) => members.shift_remove(key),
            _ => None,
        }
    }

    /// The value at a JSON pointer (RFC 6901) to change.
    pub(crate) fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Node> {
        let mut node = self;
        for token in pointer::tokens(pointer)? {
            node = match &mut node.value {
                Value::Object(members) => &mut members.get_mut(&token)?.node,
                Value::Array(items) => items.get_mut(pointer::parse_index(&token)?)?,
                _ => return None,
            };
        }
        Some(node)
    }

    /// The value of the member `key`, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        Some(&self.as_object()?.get(key)?.node)
    }

    /// The value of the member `key` to change, if this is an object that has it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        match &mut self.value {
            Value::Object(members) => Some(&mut members.get_mut(key)?.node),
            _ => None,
        }
    }

    /// The string, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number, if this is one.
    pub fn as_number(&self) -> Option<&serde_json::Number> {
        match &self.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The items, if this is an array.
    pub fn as_array(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members, if this is an object.
    pub fn as_object(&self) -> Option<&Object> {
        match &self.value {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The value at a JSON pointer (RFC 6901) relative to this value.
    pub fn pointer(&self, pointer: &str) -> Option<&Node> {
        let mut node = self;
        for token in pointer::tokens(pointer)? {
            node = node.child(&token)?.1;
        }
        Some(node)
    }

    /// The value without positions.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(number) => number.clone().into(),
            Value::String(text) => text.as_str().into(),
            Value::Array(items) => items.iter().map(Node::to_json).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(key, member)| (key.clone(), member.node.to_json()))
                .collect(),
        }
    }

    /// The JSON type of this value with its article for messages, as in `a string`.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }

    /// The deepest nesting of arrays and objects in this value, 0 for a scalar; and the number of values, itself included.
    pub(crate) fn height_and_size(&self) -> (usize, usize) {
        let inside: Vec<(usize, usize)> = match &self.value {
            Value::Array(items) => items.iter().map(Node::height_and_size).collect(),
            Value::Object(members) => members
                .values()
                .map(|it| it.node.height_and_size())
                .collect(),
            _ => return (0, 1),
        };
        let height = inside.iter().map(|(height, _)| *height).max();
        let size: usize = inside.iter().map(|(_, size)| *size).sum();
        (1 + height.unwrap_or(0), 1 + size)
    }

    pub(crate) fn child(&self, token: &str) -> Option<(Option<Position>, &Node)> {
        match &self.value {
            Value::Object(members) => {
                let member = members.get(token)?;
                Some((Some(member.key_position), &member.node))
            }
            Value::Array(items) => {
                let index = pointer::parse_index(token)?;
                Some((None, items.get(index)?))
            }
            _ => None,
        }
    }
}
