//! Schemas whose `type` is no type, or whose `required` is a flag.

use dropspec_model::{Kind, Node, Value as Written, suggest};
use dropspec_schema::{EXCLUSIVE_BOUNDS, pointer};
use serde_json::{Map, Number, Value, json};

use super::fields::{read_flag, texts_of};
use super::{Mend, Site};

/// Words that are written as types, and the type and format that they mean: types of programming languages, and formats, whose type
/// OpenAPI says. No type is any value.
const WORDS: [(&str, &str, &str); 16] = [
    ("integer int bigint", "integer", ""),
    ("int64 long", "integer", "int64"),
    ("int32 short", "integer", "int32"),
    ("number numeric", "number", ""),
    ("float double", "number", "="),
    ("boolean bool", "boolean", ""),
    ("int8 int16 uint8 uint16 uint32 uint64", "integer", "="),
    ("string str text char varchar", "string", ""),
    ("url", "string", "uri"),
    ("guid", "string", "uuid"),
    ("datetime date-time", "string", "date-time"),
    ("file binary", "string", "binary"),
    (
        "date uuid byte password email uri hostname ipv4 ipv6",
        "string",
        "=",
    ),
    ("object dict dictionary map hash", "object", ""),
    ("array list", "array", ""),
    ("null none nil", "null", ""),
];

/// The type and the format that a word means; without a type, any.
fn read_word(word: &str) -> Option<(&'static str, String)> {
    let word = word.trim().to_lowercase();
    if ["any", "mixed", "*"].contains(&word.as_str()) {
        return Some(("", String::new()));
    }
    let has_word = |words: &str| words.split(' ').any(|it| it == word);
    let (_, name, format) = WORDS.iter().find(|(words, ..)| has_word(words))?;
    Some((name, format.replace('=', &word)))
}

/// A `type` that is none.
pub(super) fn find_wrong_type(site: &Site<'_>) -> Option<Mend> {
    let written = site
        .node
        .get("type")
        .filter(|_| site.kind == Kind::SCHEMA)?;
    let is_newer = site.document.uses_json_schema();
    let is_list = written.as_array().is_some();
    let words: Vec<&str> = match &written.value {
        Written::String(word) => word.split(['|', ',']).collect(),
        Written::Array(items) => items
            .iter()
            .map(|it| it.as_str().unwrap_or("null"))
            .collect(),
        // Nulls are mended by others.
        Written::Null => return None,
        _ => Vec::new(),
    };
    let meant: Option<Vec<_>> = words.iter().map(|word| read_word(word)).collect();
    let meant = meant.filter(|meant| !meant.is_empty());
    let names: Vec<&str> = meant.iter().flatten().map(|(name, _)| *name).collect();
    let is_older = is_list || names.contains(&"null");
    let is_one = is_list || words.len() == 1;
    if !words.is_empty() && names == words && is_one && (is_newer || !is_older) {
        return None;
    }
    let at = site.member("type");
    let mend = site.mend(&at, format!("{} is not a type", written.to_json()));
    let changes = changes_of(&names, is_newer);
    // A format that is written already counts.
    let with_format = |mut changes: Map<String, Value>, format: &str| {
        if !format.is_empty() && site.node.get("format").is_none() {
            changes.insert("format".to_owned(), json!(format));
        }
        changes
    };
    let is_free = |key: &String| key == "type" || site.node.get(key).is_none();
    let Some(mut changes) = changes.filter(|changes| changes.keys().all(is_free)) else {
        if site
            .node
            .get("enum")
            .is_some_and(|it| it.as_array().is_some())
        {
            return Some(mend.by("Its values are listed.", vec![site.remove(&at)]));
        }
        let known = || WORDS.iter().flat_map(|(words, ..)| words.split(' '));
        let similar = site.text("type").and_then(|word| suggest(word, known()));
        let similar = similar.and_then(read_word);
        let similar = similar
            .and_then(|(name, format)| Some(with_format(changes_of(&[name], is_newer)?, &format)));
        let mend = match similar {
            Some(members) => {
                let actions = vec![site.remove(&at), site.update(site.at, json!(members))];
                mend.or("the word is misspelt", actions)
            }
            None => mend,
        };
        let text = site.replace("type", json!("string"));
        let mend = mend.or("any value is valid", vec![site.remove(&at)]);
        return Some(mend.or("it is a string", text));
    };
    if let Some([(_, format)]) = meant.as_deref() {
        changes = with_format(changes, format);
    }
    let actions = vec![site.remove(&at), site.update(site.at, json!(changes))];
    // `type: long` with `format: int32` says two things.
    if let Some([(name, format)]) = meant.as_deref()
        && let Some(written) = site.text("format").filter(|it| it != format)
        && let Some((of, known)) = read_word(written).filter(|_| !format.is_empty())
    {
        let is_same = (of, known.as_str()) == (*name, format.as_str());
        let of_word = json!({ "type": name, "format": format });
        let both = vec![site.remove(&at), site.update(site.at, of_word)];
        if !is_same {
            let mend = mend.or(format!("`format: {written}` is right"), actions);
            return Some(mend.or(format!("`type: {}` is right", words[0]), both));
        }
    }
    let text = format!("It can only mean {}.", json!(changes));
    Some(mend.by(text, actions))
}

/// The members of a schema for values of these types. `None` without types.
fn changes_of(names: &[&str], is_newer: bool) -> Option<Map<String, Value>> {
    let mut changes = Map::new();
    let mut others = names.to_vec();
    if !is_newer {
        others.retain(|name| *name != "null");
    }
    if others.len() < names.len() {
        changes.insert("nullable".to_owned(), json!(true));
    }
    let (key, value) = match others[..] {
        [] if names.is_empty() => return None,
        _ if names.contains(&"") => return Some(Map::new()),
        [] => ("enum", json!([null])),
        [name] => ("type", json!(name)),
        _ if is_newer => ("type", json!(others)),
        _ => {
            let schemas = others.iter().map(|name| json!({ "type": name }));
            ("anyOf", schemas.collect())
        }
    };
    changes.insert(key.to_owned(), value);
    Some(changes)
}

/// An exclusive bound as OpenAPI 3.1 writes it, in a document of 3.0.
pub(super) fn list_numeric_exclusive_bounds(site: &Site<'_>) -> Vec<Mend> {
    let is_older = site.kind == Kind::SCHEMA && !site.document.uses_json_schema();
    let flags = EXCLUSIVE_BOUNDS.into_iter().filter(|_| is_older);
    let found = flags.filter_map(|(flag, bound)| {
        let exclusive = site.node.get(flag)?.as_number()?.as_f64()?;
        let at = site.member(flag);
        let mend = site.mend(&at, format!("a number as `{flag}` is OpenAPI 3.1"));
        let other = site.node.get(bound).and_then(Node::as_number);
        let other = other.and_then(Number::as_f64);
        let is_narrower = other.is_some_and(|other| match bound {
            "minimum" => other > exclusive,
            _ => other < exclusive,
        });
        if is_narrower {
            let text = format!("The `{bound}` is narrower.");
            return Some(mend.by(text, vec![site.remove(&at)]));
        }
        let number = site.node.get(flag)?.to_json();
        let changes = json!({ bound: number, flag: true });
        let removed = site
            .node
            .get(bound)
            .map(|_| site.remove(&site.member(bound)));
        let actions = [site.remove(&at)].into_iter().chain(removed);
        let actions = actions.chain([site.update(site.at, changes)]);
        Some(mend.by("OpenAPI 3.0 says it so.", actions.collect()))
    });
    found.collect()
}

/// A `required` that is no list.
pub(super) fn find_required_flag(site: &Site<'_>) -> Option<Mend> {
    let written = site
        .node
        .get("required")
        .filter(|_| site.kind == Kind::SCHEMA)?;
    let names = match &written.value {
        Written::Null => return None,
        Written::Array(items) if items.iter().all(|it| it.as_str().is_some()) => return None,
        Written::Array(items) => texts_of(items).unwrap_or_default(),
        Written::String(text) => text.split(',').map(|it| it.trim().to_owned()).collect(),
        _ => Vec::new(),
    };
    let at = site.member("required");
    let found = written.to_json();
    let message = format!("`required` must be a list of property names, found {found}");
    let mend = site.mend(&at, message);
    let properties = site.keys(&site.member("properties"));
    let names: Vec<String> = names.into_iter().filter(|it| !it.is_empty()).collect();
    let is_listed =
        |name: &String| written.as_array().is_some() || properties.contains(&name.as_str());
    if !names.is_empty() && names.iter().all(is_listed) {
        let actions = site.replace("required", json!(names));
        return Some(mend.by("These are names of properties.", actions));
    }
    let text = "A list is of the object that has the property. Without the flag nothing is refused that was valid.";
    let mend = mend.by(text, vec![site.remove(&at)]);
    let property = site.at.rsplit_once("/properties/");
    let Some((object, name)) = property.filter(|(_, name)| !name.contains('/')) else {
        return Some(mend);
    };
    let name = pointer::unescape(name);
    let listed = site.document.pointer(&pointer::join(object, "required"));
    let listed = listed.is_some_and(|it| {
        it.to_json()
            .as_array()
            .is_some_and(|it| it.contains(&json!(name)))
    });
    let flag = found.as_str().map_or(found.as_bool(), read_flag);
    if listed || flag != Some(true) {
        return Some(mend);
    }
    let update = site.update(object, json!({ "required": [name] }));
    Some(mend.or("the property is required", vec![update]))
}
