//! Mends a document where it violates OpenAPI but can mean only one thing, so that all who read it read the same.

mod values;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use heck::ToLowerCamelCase;
use spec_schema::{pointer, pointer_of_reference};

use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::kind::Kind;
use crate::node::{Member, Node, Object, Position, Value};
use crate::operation::Method;
use crate::path::PathTemplate;

use self::values::Links;
pub use self::values::{ENUM_EMPTY, REF_BASE};

/// The rule of a path parameter without `required: true`.
pub const PATH_PARAMETER_REQUIRED: &str = "path-parameter-required";
/// The rule of a parameter that is in the path template only.
pub const PATH_PARAMETER_DECLARED: &str = "path-parameter-declared";
/// The rule of an `operationId` that another operation has, too.
pub const OPERATION_ID_UNIQUE: &str = "operation-id-unique";

/// The most `$ref`s that lead from one to the next.
const MAX_REFERENCES: usize = 32;

/// Mends a document, and says what was wrong. The values that are added have the positions of what they belong to.
pub(crate) fn mend(document: &Arc<Document>) -> (Arc<Document>, Vec<Diagnostic>) {
    let mut violations = Violations::of(document);
    violations.find_in_components();
    violations.find_in_paths();
    violations.find_in_info();
    let mut links = Links::default();
    violations.find_in_values(
        document.root(),
        Kind::Document,
        "",
        &mut Vec::new(),
        &mut links,
    );
    violations.name_schemas(links);
    let Violations { found, changes, .. } = violations;
    if changes.is_empty() {
        return (Arc::clone(document), Vec::new());
    }
    let mut mended = Document::clone(document);
    for (pointer, change) in changes {
        change.apply(mended.root_mut(), &pointer);
    }
    (Arc::new(mended), found)
}

/// The id of an operation that has none of its own, made of its method and path: `getPetsPetId` for `GET /pets/{petId}`.
pub fn derive_operation_id(method: Method, path: &str) -> String {
    let text = format!("{} {path}", method.key());
    let separated = |c: char| if c.is_ascii_alphanumeric() { c } else { ' ' };
    let words: String = text.chars().map(separated).collect();
    words.to_lower_camel_case()
}

/// A change of an object of the document.
enum Change {
    /// A parameter becomes required.
    Require,
    /// An operation gets a path parameter of this name, which is a string.
    Declare(String),
    /// An operation gets this id.
    Rename(String),
    /// A field gets this value.
    Set(String, Value),
    /// A field is left out.
    Remove(String),
    /// A field gets another key.
    RenameKey(&'static str, &'static str),
    /// A schema becomes a component of this name.
    MoveToComponent(String),
}

impl Change {
    fn apply(self, root: &mut Node, pointer: &str) {
        let Some(node) = find_mut(root, pointer) else {
            return;
        };
        let at = node.position;
        match self {
            Change::Set(key, value) => set(node, &key, value),
            Change::Remove(key) => {
                if let Value::Object(members) = &mut node.value {
                    members.shift_remove(&key);
                }
            }
            Change::RenameKey(key, other) => {
                if let Value::Object(members) = &mut node.value
                    && let Some(member) = members.shift_remove(key)
                {
                    members.insert(other.to_owned(), member);
                }
            }
            Change::MoveToComponent(name) => {
                let reference = Value::String(values::reference_to(&name));
                let reference = object(at, [("$ref", reference)]);
                let schema = std::mem::replace(&mut node.value, reference);
                for (parent, key) in [("", "components"), ("/components", "schemas")] {
                    if let Some(parent) = find_mut(root, parent)
                        && parent.get(key).is_none()
                    {
                        set(parent, key, Value::Object(Object::new()));
                    }
                }
                if let Some(schemas) = find_mut(root, "/components/schemas") {
                    set(schemas, &name, schema);
                    if let Some(schema) = schemas.get_mut(&name) {
                        schema.position = at;
                    }
                }
            }
            Change::Require => set(node, "required", Value::Bool(true)),
            Change::Rename(id) => set(node, "operationId", Value::String(id)),
            Change::Declare(name) => {
                let kind = [("type", Value::String("string".to_owned()))];
                let parameter = object(
                    at,
                    [
                        ("name", Value::String(name)),
                        ("in", Value::String("path".to_owned())),
                        ("required", Value::Bool(true)),
                        ("schema", object(at, kind)),
                    ],
                );
                let parameter = Node {
                    position: at,
                    value: parameter,
                };
                match find_mut(node, "/parameters").map(|node| &mut node.value) {
                    Some(Value::Array(parameters)) => parameters.push(parameter),
                    _ => set(node, "parameters", Value::Array(vec![parameter])),
                }
            }
        }
    }
}

/// What is wrong in a document, and what mends it.
struct Violations<'d> {
    document: &'d Document,
    found: Vec<Diagnostic>,
    changes: Vec<(String, Change)>,
    /// The pointers of the parameters that were looked at.
    seen: HashSet<String>,
    /// Where each `operationId` is used first.
    ids: HashMap<&'d str, Position>,
}

impl<'d> Violations<'d> {
    fn of(document: &'d Document) -> Violations<'d> {
        Violations {
            document,
            found: Vec::new(),
            changes: Vec::new(),
            seen: HashSet::new(),
            ids: HashMap::new(),
        }
    }

    fn find_in_components(&mut self) {
        self.find_in_parameters("/components/parameters");
    }

    /// A version that looks like a number is often written as one.
    fn find_in_info(&mut self) {
        let version = self.document.pointer("/info/version");
        if let Some(number) = version.and_then(Node::as_number) {
            let text = Value::String(number.to_string());
            let change = Change::Set("version".to_owned(), text);
            self.changes.push(("/info".to_owned(), change));
        }
    }

    fn find_in_paths(&mut self) {
        for (path, item, node) in members(self.document, "/paths") {
            // What a `$ref` leads to belongs to several paths, or is elsewhere in `paths`.
            if path.starts_with("x-") || node.get("$ref").is_some() {
                continue;
            }
            let shared = self.find_in_parameters(&pointer::join(&item, "parameters"));
            // Of two operations with the same id, the first in the document keeps it.
            for (key, at, operation) in members(self.document, &item) {
                let method = Method::ALL.iter().find(|method| method.key() == key);
                if let (Some(method), Some(_)) = (method, operation.as_object()) {
                    self.find_in_operation(*method, path, &at, &shared);
                }
            }
        }
    }

    fn find_in_operation(&mut self, method: Method, path: &str, at: &str, shared: &[&str]) {
        let parameters = pointer::join(at, "parameters");
        let own = self.find_in_parameters(&parameters);
        // Parameters that are no list are an error of the reader.
        let list = self.document.pointer(&parameters);
        let template = PathTemplate::parse(path).ok();
        let template = template.filter(|_| list.is_none_or(|list| list.as_array().is_some()));
        for name in template.iter().flat_map(PathTemplate::parameters) {
            if !own.contains(&name) && !shared.contains(&name) {
                let message = format!(
                    "the path parameter `{{{name}}}` is not declared, so that it is a string"
                );
                let help = format!(
                    "add `{{name: {name}, in: path, required: true, schema: …}}` to `parameters`"
                );
                self.report(PATH_PARAMETER_DECLARED, at, &message, help);
                let change = Change::Declare(name.to_owned());
                self.changes.push((at.to_owned(), change));
            }
        }
        self.find_repeated_id(method, path, at);
    }

    fn find_repeated_id(&mut self, method: Method, path: &str, at: &str) {
        let pointer = pointer::join(at, "operationId");
        let Some((id, node)) = self
            .document
            .pointer(&pointer)
            .and_then(|node| Some((node.as_str()?, node)))
        else {
            return;
        };
        let first = *self.ids.entry(id).or_insert(node.position);
        if first == node.position {
            return;
        }
        let derived = derive_operation_id(method, path);
        let message = format!(
            "the operationId `{id}` is not unique, so that the operation is called `{derived}`"
        );
        let location = self.document.location(first);
        let help = if first.file == node.position.file {
            format!("choose another: line {} has the same", location.line)
        } else {
            format!("choose another: {location} has the same")
        };
        self.report(OPERATION_ID_UNIQUE, &pointer, &message, help);
        self.changes.push((at.to_owned(), Change::Rename(derived)));
    }

    /// Looks at the parameters in a list or an object, and returns the names of those in the path.
    fn find_in_parameters(&mut self, list: &str) -> Vec<&'d str> {
        let pointers = match self.document.pointer(list).map(|node| &node.value) {
            Some(Value::Array(items)) => (0..items.len())
                .map(|index| format!("{list}/{index}"))
                .collect(),
            _ => members(self.document, list)
                .map(|(_, pointer, _)| pointer)
                .collect::<Vec<_>>(),
        };
        let mut names = Vec::new();
        for pointer in pointers {
            let Some((pointer, parameter)) = resolve(self.document, pointer) else {
                continue;
            };
            let is_in_path = parameter.get("in").and_then(Node::as_str) == Some("path");
            let Some(name) = parameter.get("name").and_then(Node::as_str) else {
                continue;
            };
            if !is_in_path {
                continue;
            }
            names.push(name);
            let required = parameter.get("required");
            let is_optional = required.is_none_or(|it| it.as_bool() == Some(false));
            if is_optional && self.seen.insert(pointer.clone()) {
                let message = format!("the path parameter `{name}` is not required");
                let help = "add `required: true`: path parameters are always required";
                self.report(PATH_PARAMETER_REQUIRED, &pointer, &message, help);
                self.changes.push((pointer, Change::Require));
            }
        }
        names
    }

    fn report(&mut self, rule: &'static str, at: &str, message: &str, help: impl Into<String>) {
        let Some((key, node)) = self.document.member(at) else {
            return;
        };
        let position = match (&node.value, key) {
            (Value::Object(_), Some(key)) => key,
            _ => node.position,
        };
        let location = self.document.location(position);
        let found = Diagnostic::new(location, at, message).with_help(help);
        self.found.push(found.of_rule(rule));
    }
}

/// The members of the object at a pointer: key, pointer and value.
fn members<'d>(
    document: &'d Document,
    pointer: &str,
) -> impl Iterator<Item = (&'d str, String, &'d Node)> + use<'d> {
    let parent = pointer.to_owned();
    let members = document.pointer(pointer).and_then(Node::as_object);
    members.into_iter().flatten().map(move |(key, member)| {
        let pointer = pointer::join(&parent, key);
        (key.as_str(), pointer, &member.node)
    })
}

/// Follows `$ref`s within the document.
fn resolve(document: &Document, pointer: String) -> Option<(String, &Node)> {
    let mut pointer = pointer;
    for _ in 0..MAX_REFERENCES {
        let node = document.pointer(&pointer)?;
        match node.get("$ref") {
            None => return Some((pointer, node)),
            Some(reference) => pointer = pointer_of_reference(reference.as_str()?)?,
        }
    }
    None
}

fn find_mut<'n>(root: &'n mut Node, pointer: &str) -> Option<&'n mut Node> {
    let mut node = root;
    for token in pointer::tokens(pointer)? {
        node = match &mut node.value {
            Value::Object(members) => &mut members.get_mut(&token)?.node,
            Value::Array(items) => items.get_mut(pointer::parse_index(&token)?)?,
            _ => return None,
        };
    }
    Some(node)
}

fn set(node: &mut Node, key: &str, value: Value) {
    let at = node.position;
    if let Value::Object(members) = &mut node.value {
        // A value that is replaced keeps its place.
        let (key_position, position) = members
            .get(key)
            .map_or((at, at), |it| (it.key_position, it.node.position));
        let node = Node { position, value };
        members.insert(key.to_owned(), Member { key_position, node });
    }
}

fn object<const N: usize>(at: Position, fields: [(&str, Value); N]) -> Value {
    let members = fields.into_iter().map(|(key, value)| {
        let node = Node {
            position: at,
            value,
        };
        let key_position = at;
        (key.to_owned(), Member { key_position, node })
    });
    Value::Object(members.collect())
}
