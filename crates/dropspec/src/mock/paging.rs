//! Which part of a list a query asks for, by the usual names of its parameters, and what stands beside that part.

use dropspec_schema::pointer;
use dropspec_schema::wire::{declared_parameters, plain, schema_of};
use serde_json::{Map, Value, json};

use super::tables::{Tables, definition};
use crate::letters::letters;

/// Query parameters that limit a list (how many records, after which id, behind how many, on which page), in small letters.
const LIMITS: [&str; 9] = [
    "limit",
    "pagesize",
    "perpage",
    "maxresults",
    "size",
    "take",
    "top",
    "itemsperpage",
    "maxpagesize",
];
/// More of them, which mean something else in a response. `first` is also a number of records to skip, beside `rows`.
const LIMITS_OF_QUERIES: [&[&str]; 2] = [&["count", "rows"], &["first"]];
const AFTER: [&str; 4] = ["after", "startingafter", "cursor", "pagetoken"];
const OFFSETS: [&str; 3] = ["offset", "skip", "start"];
const PAGES: [&str; 3] = ["page", "pagenumber", "currentpage"];

/// The page of a list that a query asks for.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Its number, as the operation counts them.
    pub(super) number: usize,
    /// How many records there are before it.
    pub(super) begin: usize,
    /// How many it has at most.
    pub(super) limit: Option<usize>,
    /// How many there are on all pages.
    pub(super) total: usize,
    /// The id of its last record, if there are others after it.
    pub(super) last: Option<String>,
}

impl Page {
    /// The page of the records with these ids.
    pub(super) fn of_query(operation: usize, query: &Map<String, Value>, ids: &[String]) -> Page {
        let texts = query
            .iter()
            .map(|(name, value)| (letters(name), plain(value)));
        let texts: Vec<(String, String)> = texts.collect();
        let named = |names: &[&str]| -> Vec<&String> {
            let named = texts.iter().filter(|(name, _)| names.contains(&&**name));
            named.map(|(_, text)| text).collect()
        };
        let number = |names: &[&str]| {
            let mut named = named(names).into_iter();
            named.find_map(|text| text.parse::<usize>().ok())
        };
        let others = || LIMITS_OF_QUERIES.iter().find_map(|names| number(names));
        let limit = number(&LIMITS).or_else(others);
        // Without a size everything is on the first page.
        let size = limit.unwrap_or(ids.len());
        let first = usize::from(!counts_from_zero(operation));
        let asked = number(&PAGES).map(|it| it.max(first));
        let before = asked.map(|it| (it - first).saturating_mul(size));
        let after = named(&AFTER).into_iter().next();
        let after = after.and_then(|id| Some(ids.iter().position(|it| it == id)? + 1));
        let begin = after.or_else(|| number(&OFFSETS)).or(before).unwrap_or(0);
        let end = begin.saturating_add(limit.unwrap_or(usize::MAX));
        let has_more = end < ids.len();
        Page {
            number: asked.unwrap_or((begin / size.max(1)).saturating_add(first)),
            begin,
            limit,
            total: ids.len(),
            last: ids.get(end.wrapping_sub(1)).filter(|_| has_more).cloned(),
        }
    }

    /// Makes what stands beside the records of a response true, or removes it. `records` is the pointer to them.
    pub(super) fn correct(
        &self,
        whole: &mut Value,
        (at, records): (&str, &str),
        is_valid: &dyn Fn(&Value) -> bool,
    ) {
        let members = whole.pointer(at).and_then(Value::as_object);
        let members = members
            .filter(|_| at != records)
            .cloned()
            .unwrap_or_default();
        for (name, value) in &members {
            let place = pointer::join(at, name);
            if place == records {
                continue;
            }
            if value.is_object() {
                self.correct(whole, (&place, records), is_valid);
                continue;
            }
            let empty = [json!(null), json!(false), json!(""), json!([])].map(Some);
            let choices = match self.fact(&letters(name), value, &members) {
                Some(fact) => vec![Some(fact)],
                None => [None].into_iter().chain(empty).collect(),
            };
            let changed = choices.into_iter().map(|choice| {
                let mut changed = whole.clone();
                if let Some(Value::Object(members)) = changed.pointer_mut(at) {
                    match choice {
                        Some(value) => members.insert(name.clone(), value),
                        None => members.shift_remove(name),
                    };
                }
                changed
            });
            let valid = changed.into_iter().find(|it| is_valid(it));
            if let Some(valid) = valid {
                *whole = valid;
            }
        }
    }

    /// What a member with this name in small letters and a value of this type says about the page.
    fn fact(&self, name: &str, value: &Value, beside: &Map<String, Value>) -> Option<Value> {
        let has = |parts: &[&str]| parts.iter().any(|it| name.contains(it));
        let is = |word| name.trim_start_matches("is").trim_end_matches("page") == word;
        let shown = self.total.saturating_sub(self.begin);
        let shown = self.limit.map_or(shown, |limit| shown.min(limit));
        let limit = self.limit.unwrap_or(self.total).max(1);
        let is_total = |name: &str| name.contains("total") && !name.contains("page");
        let has_total = || beside.keys().any(|it| is_total(&letters(it)));
        let number = match value {
            Value::Number(_) if LIMITS.contains(&name) => limit,
            Value::Number(_) if has(&["page"]) && has(&["pages", "count", "last"]) => {
                self.total.div_ceil(limit)
            }
            Value::Number(_) if is_total(name) => self.total,
            Value::Number(_) if has(&["count"]) && has_total() => shown,
            Value::Number(_) if name == "numberofelements" => shown,
            Value::Number(_) if has(&["count"]) => self.total,
            Value::Number(_) if OFFSETS.contains(&name) => self.begin,
            Value::Number(_) if PAGES.contains(&name) || (name == "number" && has_total()) => {
                self.number
            }
            Value::Bool(_) if has(&["more", "hasnext"]) => return Some(self.last.is_some().into()),
            Value::Bool(_) if has(&["hasprev"]) => return Some((self.begin > 0).into()),
            Value::Bool(_) if is("first") => return Some((self.begin == 0).into()),
            Value::Bool(_) if is("last") => return Some(self.last.is_none().into()),
            // Spring's `sort` has one of its own.
            Value::Bool(_) if name == "empty" && beside.contains_key("first") => {
                return Some((shown == 0).into());
            }
            Value::String(old) if has(&["next", "cursor", "token"]) && !has(&["prev"]) => {
                // A link would need the address.
                return self
                    .last
                    .clone()
                    .filter(|_| !old.contains('/'))
                    .map(Value::from);
            }
            _ => return None,
        };
        Some(number.into())
    }
}

/// Whether the first page is 0, as in Spring: the default of the parameter, or else its minimum.
fn counts_from_zero(operation: usize) -> bool {
    let document = Tables::document();
    let path = Tables::operations()[operation].path;
    let item = document.find(&pointer::join("/paths", path));
    let item = item.unwrap_or(&Value::Null);
    let declared = declared_parameters(document.json(), item, definition(operation));
    let mut pages = declared
        .iter()
        .filter(|it| PAGES.contains(&&*letters(it.name)));
    pages.any(|it| {
        let schema = document.resolve(schema_of(it.definition));
        let first = schema.and_then(|it| it.get("default").or(it.get("minimum")));
        first.and_then(Value::as_f64) == Some(0.0)
    })
}
