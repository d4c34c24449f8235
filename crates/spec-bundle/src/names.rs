//! The names that schemas of OpenAPI 3.1 give themselves (`$id`, `$anchor`): `$ref`s to them become `$ref`s to places of
//! their file, so that nothing else has to know names.

use std::collections::HashMap;

use spec_model::{Node, Value};
use spec_schema::pointer;
use url::Url;

use crate::target::reference_to;

/// The names in a file. Pointers are those of the schemas that have them.
#[derive(Default)]
struct Names {
    /// By the text of `$id`, and by its absolute URL.
    ids: HashMap<String, String>,
    /// By the pointer of the schema with the `$id` around it (empty for the file), and the text of the anchor.
    anchors: HashMap<(String, String), String>,
}

/// What surrounds a value: the nearest schema with an `$id`, or the file.
#[derive(Clone, Default)]
struct Around {
    pointer: String,
    url: Option<Url>,
}

/// Changes the `$ref`s of a file that use names, or that are relative to an `$id`. Those that find nothing stay. OpenAPI
/// 3.0 has no names.
pub(crate) fn resolve(root: &mut Node) {
    let version = root.get("openapi").and_then(Node::as_str);
    if version.is_some_and(|version| version.starts_with("3.0")) {
        return;
    }
    let mut names = Names::default();
    names.collect(root, "", &Around::default());
    if names.ids.is_empty() && names.anchors.is_empty() {
        return;
    }
    let written = root.clone();
    names.rewrite(root, "", &Around::default(), &written);
}

impl Around {
    /// What surrounds the values in a node.
    fn within(&self, node: &Node, at: &str) -> Around {
        let id = node.get("$id").and_then(Node::as_str);
        id.map_or_else(
            || self.clone(),
            |id| Around {
                pointer: at.to_owned(),
                url: self.absolute(id),
            },
        )
    }

    fn absolute(&self, text: &str) -> Option<Url> {
        match &self.url {
            Some(base) => base.join(text).ok(),
            None => Url::parse(text).ok(),
        }
    }
}

impl Names {
    fn collect(&mut self, node: &Node, at: &str, around: &Around) {
        let within = around.within(node, at);
        if let Some(id) = node.get("$id").and_then(Node::as_str) {
            self.ids.entry(id.to_owned()).or_insert(at.to_owned());
            let url = within.url.iter().map(Url::to_string);
            self.ids.extend(url.map(|url| (url, at.to_owned())));
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = node.get(keyword).and_then(Node::as_str) {
                let key = (within.pointer.clone(), anchor.to_owned());
                self.anchors.entry(key).or_insert(at.to_owned());
            }
        }
        match &node.value {
            Value::Object(members) => members.iter().for_each(|(key, member)| {
                self.collect(&member.node, &pointer::join(at, key), &within);
            }),
            Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| {
                self.collect(item, &format!("{at}/{index}"), &within);
            }),
            _ => {}
        }
    }

    fn rewrite(&self, node: &mut Node, at: &str, around: &Around, root: &Node) {
        let within = around.within(node, at);
        if let Some(link) = node.get_mut("$ref")
            && let Some(found) = link.as_str().and_then(|it| self.find(it, &within, root))
        {
            link.value = Value::String(reference_to(&found));
        }
        match &mut node.value {
            Value::Object(members) => members.iter_mut().for_each(|(key, member)| {
                self.rewrite(&mut member.node, &pointer::join(at, key), &within, root);
            }),
            Value::Array(items) => items.iter_mut().enumerate().for_each(|(index, item)| {
                self.rewrite(item, &format!("{at}/{index}"), &within, root);
            }),
            _ => {}
        }
    }

    /// The pointer of what a reference names, if it needs names to be understood.
    fn find(&self, reference: &str, around: &Around, root: &Node) -> Option<String> {
        let (url, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = match url {
            "" => around.pointer.clone(),
            url => {
                let absolute = around.absolute(url).map(String::from);
                let known = absolute.and_then(|url| self.ids.get(&url));
                known.or_else(|| self.ids.get(url))?.clone()
            }
        };
        if !fragment.is_empty() && !fragment.starts_with('/') {
            let key = (resource, fragment.to_owned());
            return self.anchors.get(&key).cloned();
        }
        let whole = resource + fragment;
        // Within the file itself, nothing has to change. Some write an `$id` and refer from the top of the file anyway.
        let is_plain = url.is_empty() && around.pointer.is_empty();
        (!is_plain && root.pointer(&whole).is_some()).then_some(whole)
    }
}
