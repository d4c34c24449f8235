//! The identifiers of schemas of OpenAPI 3.1 and 3.2 (`$id`, `$anchor`) and of documents of 3.2 (`$self`): `$ref`s to them become `$ref`s to
//! places of their file, so that nothing else has to know identifiers.

use std::collections::HashMap;

use dropspec_model::{Node, Value};
use dropspec_schema::pointer;
use url::Url;

use crate::bundling::target::reference_to;

/// The identifiers in a file. Pointers are those of the schemas that have them.
#[derive(Default)]
struct Identifiers {
    /// By the text of `$id`, and by its absolute URL.
    ids: HashMap<String, String>,
    /// By the pointer of the schema with the `$id` around it (empty for the file), and the text of the anchor.
    anchors: HashMap<(String, String), String>,
}

/// The schema resource that a value is in: the nearest schema with an `$id` around it, or the file.
#[derive(Clone, Default)]
struct SchemaResource {
    pointer: String,
    base: Option<Url>,
}

/// Changes the `$ref`s of a file that use identifiers, or that are relative to an `$id`. Those that find nothing stay. OpenAPI
/// 3.0 has no identifiers.
pub(crate) fn resolve(root: &mut Node) {
    let version = root.get("openapi").and_then(Node::as_str);
    if version.is_some_and(|version| version.starts_with("3.0")) {
        return;
    }
    let mut identifiers = Identifiers::default();
    identifiers.collect(root, "", &SchemaResource::default());
    if identifiers.ids.is_empty() && identifiers.anchors.is_empty() {
        return;
    }
    let written = root.clone();
    identifiers.rewrite(root, "", &SchemaResource::default(), &written);
}

impl SchemaResource {
    /// The resource of the values in a node.
    fn inside(&self, node: &Node, at: &str) -> SchemaResource {
        match identifier_of(node, at) {
            Some(id) => SchemaResource {
                pointer: at.to_owned(),
                base: self.absolute(id),
            },
            None => self.clone(),
        }
    }

    fn absolute(&self, text: &str) -> Option<Url> {
        match &self.base {
            Some(base) => base.join(text).ok(),
            None => Url::parse(text).ok(),
        }
    }
}

/// The identifier that a schema gives itself, or (since OpenAPI 3.2) the document.
fn identifier_of<'n>(node: &'n Node, at: &str) -> Option<&'n str> {
    let of_document = || node.get("$self").filter(|_| at.is_empty());
    node.get("$id").or_else(of_document)?.as_str()
}

impl Identifiers {
    fn collect(&mut self, node: &Node, at: &str, outer: &SchemaResource) {
        let resource = outer.inside(node, at);
        if let Some(id) = identifier_of(node, at) {
            self.ids.entry(id.to_owned()).or_insert(at.to_owned());
            let url = resource.base.iter().map(Url::to_string);
            self.ids.extend(url.map(|url| (url, at.to_owned())));
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = node.get(keyword).and_then(Node::as_str) {
                let key = (resource.pointer.clone(), anchor.to_owned());
                self.anchors.entry(key).or_insert(at.to_owned());
            }
        }
        match &node.value {
            Value::Object(members) => members.iter().for_each(|(key, member)| {
                self.collect(&member.node, &pointer::join(at, key), &resource);
            }),
            Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| {
                self.collect(item, &format!("{at}/{index}"), &resource);
            }),
            _ => {}
        }
    }

    fn rewrite(&self, node: &mut Node, at: &str, outer: &SchemaResource, root: &Node) {
        let resource = outer.inside(node, at);
        if let Some(link) = node.get_mut("$ref")
            && let Some(reference) = link.as_str()
            && let Some(pointer) = self.resolve_to_pointer(reference, &resource, root)
        {
            link.value = Value::String(reference_to(&pointer));
        }
        match &mut node.value {
            Value::Object(members) => members.iter_mut().for_each(|(key, member)| {
                self.rewrite(&mut member.node, &pointer::join(at, key), &resource, root);
            }),
            Value::Array(items) => items.iter_mut().enumerate().for_each(|(index, item)| {
                self.rewrite(item, &format!("{at}/{index}"), &resource, root);
            }),
            _ => {}
        }
    }

    /// The pointer of the target of a reference in a resource, if it needs identifiers to be understood.
    fn resolve_to_pointer(
        &self,
        reference: &str,
        resource: &SchemaResource,
        root: &Node,
    ) -> Option<String> {
        let (url, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let target = match url {
            "" => resource.pointer.clone(),
            url => {
                let absolute = resource.absolute(url).map(String::from);
                let known = absolute.and_then(|url| self.ids.get(&url));
                known.or_else(|| self.ids.get(url))?.clone()
            }
        };
        if !fragment.is_empty() && !fragment.starts_with('/') {
            let key = (target, fragment.to_owned());
            return self.anchors.get(&key).cloned();
        }
        let whole = target + fragment;
        // Within the file itself, nothing has to change. Some write an `$id` and refer from the top of the file anyway.
        let is_plain = url.is_empty() && resource.pointer.is_empty();
        (!is_plain && root.pointer(&whole).is_some()).then_some(whole)
    }
}
