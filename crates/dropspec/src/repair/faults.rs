//! Finds the faults of a document that an overlay can mend.

mod fields;
mod parameters;
mod path_names;
mod paths;
mod schemas;
mod security;
mod written_path;

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;

use dropspec_model::{Document, Kind, Node, Suggestions, suggest};
use dropspec_schema::pointer;
use serde_json::{Value, json};

use super::mend::{Mend, json_path};
use crate::letters::letters;

/// A value of the document.
#[derive(Clone, Copy)]
struct Site<'d> {
    document: &'d Document,
    node: &'d Node,
    kind: Kind,
    at: &'d str,
    names: &'d Names,
}

/// The names of a document, as they were looked for.
#[derive(Default)]
struct Names {
    suggestions: Suggestions,
    /// By the pointer of an object, its keys by their letters; none where several have the same letters.
    by_letters: RefCell<HashMap<String, HashMap<String, Option<String>>>>,
}

/// Each finds one kind of fault in a value.
const FINDERS: [fn(&Site<'_>) -> Option<Mend>; 8] = [
    fields::find_missing,
    fields::find_missing_target,
    schemas::find_wrong_type,
    schemas::find_required_flag,
    parameters::find_without_schema,
    parameters::find_collection_format,
    paths::find_moved_target,
    security::find_scheme_of_http,
];

/// Each finds all faults of one kind in a value.
const LISTERS: [fn(&Site<'_>) -> Vec<Mend>; 8] = [
    fields::list_other_words,
    fields::list_miswritten_status_classes,
    schemas::list_numeric_exclusive_bounds,
    fields::list_wrong_values,
    parameters::list_repeated,
    path_names::list_wrong_names,
    paths::list_wrong_paths,
    security::list_undeclared,
];

/// All faults that can be mended, in an order in which their actions can be applied.
pub(crate) fn find(document: &Document) -> Vec<Mend> {
    let mut found: Vec<Mend> = Vec::new();
    let mut by_choices: HashMap<String, usize> = HashMap::new();
    let names = Names::default();
    let mut root = document.root().clone();
    Kind::DOCUMENT.walk(&mut root, "", &mut |node, kind, at| {
        let site = Site {
            document,
            node,
            kind,
            at,
            names: &names,
        };
        let single = FINDERS.iter().filter_map(|find| find(&site));
        for mend in single.chain(LISTERS.iter().flat_map(|list| list(&site))) {
            let known = by_choices.entry(mend.choices()).or_insert(found.len());
            match found.get_mut(*known) {
                Some(known) => known.others += 1,
                None => found.push(mend),
            }
        }
    });
    // What moves others comes last, from the end of its list and from the innermost.
    found.sort_by_cached_key(|mend| {
        let place = |token: String| (token.parse::<usize>().ok(), token);
        let tokens = pointer::tokens(&mend.fault.pointer).filter(|_| mend.moves);
        Reverse(tokens.map(|tokens| tokens.into_iter().map(place).collect::<Vec<_>>()))
    });
    let moving = found.partition_point(|mend| mend.moves);
    found.rotate_left(moving);
    found
}

impl<'d> Site<'d> {
    fn member(&self, key: &str) -> String {
        pointer::join(self.at, key)
    }

    fn text(&self, key: &str) -> Option<&'d str> {
        self.node.get(key)?.as_str()
    }

    /// The keys of an object of the document.
    fn keys(&self, at: &str) -> Vec<&'d str> {
        let object = self.document.pointer(at).and_then(Node::as_object);
        let members = object.into_iter().flatten();
        members.map(|(key, _)| key.as_str()).collect()
    }

    /// The one key of an object of the document with the letters and digits of a text, whatever their case.
    fn find_same_letters(&self, at: &str, written: &str) -> Option<String> {
        let mut known = self.names.by_letters.borrow_mut();
        let names = known.entry(at.to_owned()).or_insert_with(|| {
            let mut names = HashMap::new();
            for key in self.keys(at) {
                let others = names.insert(letters(key), Some(key.to_owned()));
                if others.is_some() {
                    names.insert(letters(key), None);
                }
            }
            names
        });
        let letters = Some(letters(written)).filter(|it| !it.is_empty())?;
        names.get(&letters)?.clone()
    }

    /// The key of an object of the document that is most like a name, if one is like it.
    fn find_similar(&self, at: &str, name: &str) -> Option<String> {
        let similar = self.names.suggestions.find(&pointer::join(at, name), || {
            suggest(name, self.keys(at)).unwrap_or_default().to_owned()
        });
        Some(similar).filter(|it| !it.is_empty())
    }

    /// The items of a list in this value, with the targets of their `$ref`s in their place.
    fn items(&self, key: &str) -> Vec<&'d Node> {
        let list = self.node.get(key).and_then(Node::as_array);
        let resolve = |node: &'d Node| {
            let reference = node.get("$ref").and_then(Node::as_str);
            let target = reference.and_then(dropspec_schema::pointer_of_reference);
            let target = target.and_then(|target| self.document.pointer(&target));
            target.unwrap_or(node)
        };
        list.unwrap_or_default().iter().map(resolve).collect()
    }

    fn update(&self, at: &str, value: Value) -> Value {
        json!({ "target": json_path(self.document.root(), at), "update": value })
    }

    fn remove(&self, at: &str) -> Value {
        json!({ "target": json_path(self.document.root(), at), "remove": true })
    }

    /// Copies an object to a place within another, which may not have it yet.
    fn copy(&self, from: &str, object: &str, place: &str) -> [Value; 2] {
        let root = self.document.root();
        let to = json_path(root, &format!("{object}{place}"));
        let copy = json!({ "target": to, "copy": json_path(root, from) });
        let tokens = pointer::tokens(place).unwrap_or_default().into_iter();
        let created = tokens.rfold(json!({}), |value, token| json!({ token: value }));
        [self.update(object, created), copy]
    }

    /// Gives a member a value of any type. It becomes the last.
    fn replace(&self, key: &str, value: Value) -> Vec<Value> {
        let remove = self.remove(&self.member(key));
        vec![remove, self.update(self.at, json!({ key: value }))]
    }

    fn mend(&self, at: &str, message: impl Into<String>) -> Mend {
        let position = match self.document.member(at) {
            Some((key, node)) => key.unwrap_or(node.position),
            None => self.node.position,
        };
        Mend::new(self.document.location(position), at, message)
    }
}
