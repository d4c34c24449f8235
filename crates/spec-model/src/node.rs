//! The values of a document as a tree, with positions.

use indexmap::IndexMap;
use spec_schema::pointer;

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

impl Node {
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
            Value::Bool(value) => serde_json::Value::Bool(*value),
            Value::Number(number) => serde_json::Value::Number(number.clone()),
            Value::String(text) => serde_json::Value::String(text.clone()),
            Value::Array(items) => items.iter().map(Node::to_json).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(key, member)| (key.clone(), member.node.to_json()))
                .collect(),
        }
    }

    /// Sets the file of this value and of all values in it.
    pub(crate) fn set_file(&mut self, file: u32) {
        self.position.file = file;
        match &mut self.value {
            Value::Array(items) => items.iter_mut().for_each(|item| item.set_file(file)),
            Value::Object(members) => members.values_mut().for_each(|member| {
                member.key_position.file = file;
                member.node.set_file(file);
            }),
            _ => {}
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

    /// The deepest nesting of arrays and objects in this value; 0 for a scalar.
    pub(crate) fn height(&self) -> usize {
        match &self.value {
            Value::Array(items) => 1 + items.iter().map(Node::height).max().unwrap_or(0),
            Value::Object(members) => {
                1 + members.values().map(|m| m.node.height()).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// The number of values in this value, itself included.
    pub(crate) fn size(&self) -> usize {
        match &self.value {
            Value::Array(items) => 1 + items.iter().map(Node::size).sum::<usize>(),
            Value::Object(members) => 1 + members.values().map(|m| m.node.size()).sum::<usize>(),
            _ => 1,
        }
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
