//! Mends a document where it violates OpenAPI but can mean only one thing, so that all who read it read the same.

mod names;

use std::collections::HashMap;
use std::sync::Arc;

use dropspec_schema::{Method, pointer, pointer_of_reference};
use heck::ToLowerCamelCase;
use serde_json::json;

use self::names::{DEFINITIONS, Link, is_below, name_schemas};
use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::node::{Node, Object, Position, Value};
use crate::objects::{Kind, ObjectType};
use crate::operation::declare_help;
use crate::path::PathTemplate;

/// The rule of a path parameter without `required: true`.
pub const PATH_PARAMETER_REQUIRED: &str = "path-parameter-required";
/// The rule of a parameter that is in the path template only.
pub const PATH_PARAMETER_DECLARED: &str = "path-parameter-declared";
/// The rule of an `operationId` that another operation has, too.
pub const OPERATION_ID_UNIQUE: &str = "operation-id-unique";
/// The rule of an empty `enum`.
pub const ENUM_EMPTY: &str = "enum-empty";
/// The rule of a `$ref` that is written as if its schema were the document.
pub const REF_BASE: &str = "ref-base";

/// The most `$ref`s that lead from one to the next.
const MAX_REFERENCES: usize = 32;
/// Fields for people, of which null means no text.
const REMOVED_IF_NULL: [&str; 3] = ["title", "summary", "description"];

/// Mends a document, and says what was wrong. The values that are added have the positions of what they belong to.
pub(crate) fn mend(document: &Arc<Document>) -> (Arc<Document>, Vec<Diagnostic>) {
    let mut mended = Document::clone(document);
    let mut mender = Mender {
        document,
        found: Vec::new(),
        around: Vec::new(),
        links: Vec::new(),
    };
    mender.mend_operations(mended.root_mut());
    Kind::DOCUMENT.walk(mended.root_mut(), "", &mut |node, kind, at| {
        mender.mend_node(node, kind, at);
    });
    let Mender {
        mut found, links, ..
    } = mender;
    found.sort_by(|a, b| a.location.cmp(&b.location));
    name_schemas(document, mended.root_mut(), links);
    if mended == **document {
        return (Arc::clone(document), found);
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

struct Mender<'d> {
    /// The document as it is written.
    document: &'d Document,
    /// What is wrong in it.
    found: Vec<Diagnostic>,
    /// The pointers of the schemas around the value, the outermost first.
    around: Vec<String>,
    /// The references in schemas.
    links: Vec<Link>,
}

impl<'d> Mender<'d> {
    /// Declares path parameters that are in the path only, and makes operation ids unique.
    fn mend_operations(&mut self, root: &mut Node) {
        let document = self.document;
        let mut ids: HashMap<&str, Position> = HashMap::new();
        for (path, item) in members(document.pointer("/paths")) {
            // What a `$ref` leads to belongs to several paths, or is elsewhere in `paths`.
            if path.starts_with("x-") || item.get("$ref").is_some() {
                continue;
            }
            let template = PathTemplate::parse(path).ok();
            for (key, operation) in members(Some(item)) {
                let method = Method::of_key(key);
                let at = pointer::join(&pointer::join("/paths", path), key);
                let target = root.pointer_mut(&at).filter(|it| it.as_object().is_some());
                let (Some(method), Some(target)) = (method, target) else {
                    continue;
                };
                // Parameters that are no list are an error of the reader.
                let own = operation.get("parameters");
                let is_list = own.is_none_or(|own| own.as_array().is_some());
                let names = template.iter().filter(|_| is_list);
                for name in names.flat_map(PathTemplate::parameters) {
                    let lists = [own, item.get("parameters")].into_iter().flatten();
                    let mut parameters = lists.filter_map(Node::as_array).flatten();
                    if !parameters.any(|it| is_path_parameter(document, it, name)) {
                        self.declare(target, &at, name);
                    }
                }
                // Of two operations with the same id, the first in the document keeps it.
                let id = operation.get("operationId");
                if let Some((id, text)) = id.and_then(|id| Some((id, id.as_str()?))) {
                    let first = *ids.entry(text).or_insert(id.position);
                    if first != id.position {
                        let derived = derive_operation_id(method, path);
                        self.report_repeated_id(&at, text, &derived, [first, id.position]);
                        target.set("operationId", Value::String(derived));
                    }
                }
            }
        }
    }

    fn declare(&mut self, operation: &mut Node, at: &str, name: &str) {
        let message =
            format!("the path parameter `{{{name}}}` is not declared, so that it is a string");
        self.report(PATH_PARAMETER_DECLARED, at, &message, declare_help(name));
        let parameter = json!({
            "name": name, "in": "path", "required": true, "schema": { "type": "string" }
        });
        let parameter = Node::of_json(parameter, operation.position);
        match operation.get_mut("parameters").map(|it| &mut it.value) {
            Some(Value::Array(parameters)) => parameters.push(parameter),
            _ => operation.set("parameters", Value::Array(vec![parameter])),
        }
    }

    fn report_repeated_id(&mut self, at: &str, id: &str, derived: &str, places: [Position; 2]) {
        let message = format!(
            "the operationId `{id}` is not unique, so that the operation is called `{derived}`"
        );
        let [first, own] = places;
        let location = self.document.location(first);
        let help = if first.file == own.file {
            format!("choose another: line {} has the same", location.line)
        } else {
            format!("choose another: {location} has the same")
        };
        let at = pointer::join(at, "operationId");
        self.report(OPERATION_ID_UNIQUE, &at, &message, help);
    }

    /// Mends one value, wherever it is.
    fn mend_node(&mut self, node: &mut Node, kind: Kind, at: &str) {
        let is_newer = self.document.uses_json_schema();
        while self.around.pop_if(|around| !is_below(at, around)).is_some() {}
        match kind {
            Kind::Any => return,
            Kind::SCHEMA => {
                self.around.push(at.to_owned());
                self.mend_schema(node, at);
            }
            Kind::Object(ObjectType::Parameter) => self.mend_parameter(node, at),
            Kind::Object(ObjectType::Operation) if is_newer && node.get("responses").is_none() => {
                let any = json!({ "default": { "description": "Any response." } });
                node.set("responses", Node::of_json(any, node.position).value);
            }
            // A version that looks like a number is often written as one.
            _ if at == "/info/version" => {
                // Of 1.1 nobody knows whether it was written as 1.10.
                match &node.value {
                    Value::Number(number) if !number.is_f64() => {
                        node.value = Value::String(number.to_string());
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        let Value::Object(members) = &mut node.value else {
            return;
        };
        // The keys of a map are names, such as those of properties.
        let is_text = |key: &str| !matches!(kind, Kind::Map(_)) && REMOVED_IF_NULL.contains(&key);
        members.retain(|key, it| !(it.node.value == Value::Null && is_text(key)));
        let is_mapping = at.ends_with("/discriminator/mapping");
        for (key, member) in members {
            if let Value::String(text) = &mut member.node.value
                && (["$ref", "defaultMapping"].contains(&key.as_str()) || is_mapping)
                && !self.around.is_empty()
            {
                self.mend_link(text, at, key);
            }
        }
    }

    fn mend_parameter(&mut self, node: &mut Node, at: &str) {
        let text = |key: &str| node.get(key).and_then(Node::as_str);
        let required = node.get("required");
        let is_optional = required.is_none_or(|it| it.as_bool() == Some(false));
        if let (Some("path"), Some(name), true) = (text("in"), text("name"), is_optional) {
            let message = format!("the path parameter `{name}` is not required");
            let help = "add `required: true`: path parameters are always required";
            self.report(PATH_PARAMETER_REQUIRED, at, &message, help);
            node.set("required", Value::Bool(true));
        }
    }

    fn mend_schema(&mut self, node: &mut Node, at: &str) {
        let values = node.get("enum").and_then(Node::as_array);
        if values.is_some_and(<[Node]>::is_empty) {
            let at = pointer::join(at, "enum");
            let message = "`enum` is empty, so that it is left out";
            let help = "list a value, or remove `enum`";
            self.report(ENUM_EMPTY, &at, message, help);
            node.remove("enum");
        }
        if !self.document.uses_json_schema() {
            return;
        }
        // YAML reads the word as no value.
        let types = match node.get_mut("type").map(|types| &mut types.value) {
            Some(Value::Array(types)) => types.iter_mut().map(|name| &mut name.value).collect(),
            types => Vec::from_iter(types),
        };
        for name in types {
            if *name == Value::Null {
                *name = Value::String("null".to_owned());
            }
        }
        let is_list = node.get("items").is_some_and(|it| it.as_array().is_some());
        if is_list
            && node.get("prefixItems").is_none()
            && let Some(items) = node.remove("items")
        {
            node.insert("prefixItems", items);
        }
    }

    /// Notes where a reference leads. A pointer into the schema around it, as if that were the document, is mended.
    fn mend_link(&mut self, text: &mut String, at: &str, key: &str) {
        let Some(written) = pointer_of_reference(text) else {
            return;
        };
        let exists = |pointer: &str| self.document.pointer(pointer).is_some();
        let mut target = written.clone();
        if !exists(&written) {
            let mut definitions = DEFINITIONS.iter();
            let is_local = definitions.any(|it| written.starts_with(&format!("/{it}/")));
            let mut bases = self.around.iter().rev();
            let base = bases.find(|base| is_local && exists(&format!("{base}{written}")));
            let Some(base) = base else {
                return;
            };
            target = format!("{base}{written}");
            let message = format!(
                "the `$ref` to `{text}` begins at the schema around it, not at the document"
            );
            let help = format!("write `#{target}`");
            self.report(REF_BASE, &pointer::join(at, key), &message, help);
            *text = format!("#{target}");
        }
        self.links.push(Link {
            holder: at.to_owned(),
            key: key.to_owned(),
            target,
        });
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

/// The members of an object: key and value.
fn members(object: Option<&Node>) -> impl Iterator<Item = (&str, &Node)> {
    let members: Option<&Object> = object.and_then(Node::as_object);
    let members = members.into_iter().flatten();
    members.map(|(key, member)| (key.as_str(), &member.node))
}

/// Whether a parameter, or what its `$ref`s lead to, is this one of the path.
fn is_path_parameter(document: &Document, parameter: &Node, name: &str) -> bool {
    let mut parameter = Some(parameter);
    for _ in 0..MAX_REFERENCES {
        let reference = parameter.and_then(|it| it.get("$ref")?.as_str());
        let Some(reference) = reference else { break };
        let pointer = pointer_of_reference(reference);
        parameter = pointer.and_then(|pointer| document.pointer(&pointer));
    }
    let text = |key: &str| parameter.and_then(|it| it.get(key)?.as_str());
    text("in") == Some("path") && text("name") == Some(name)
}
