//! Which part of a list a query asks for, by the usual names of its parameters.

use dropspec_schema::wire::plain;
use serde_json::{Map, Value};

use crate::letters::letters;

/// Query parameters that limit a list (how many records, after which id, behind how many, on which page), in small letters.
const LIMITS: [&str; 5] = ["limit", "pagesize", "perpage", "maxresults", "size"];
const AFTER: [&str; 4] = ["after", "startingafter", "cursor", "pagetoken"];
const OFFSETS: [&str; 3] = ["offset", "skip", "start"];
const PAGES: [&str; 2] = ["page", "pagenumber"];

/// Where the page of a list begins that a query asks for, and how many records it has at most.
pub(super) fn page<I: Iterator<Item = String>>(
    query: &Map<String, Value>,
    ids: impl Fn() -> I,
) -> (usize, usize) {
    let find = |names: &[&str]| {
        query.iter().find_map(|(name, value)| {
            let letters = letters(name);
            names.contains(&letters.as_str()).then(|| plain(value))
        })
    };
    let number = |names: &[&str]| find(names).and_then(|text| text.parse::<usize>().ok());
    let limit = number(&LIMITS).unwrap_or(usize::MAX);
    let after = find(&AFTER).and_then(|id| Some(ids().position(|it| it == id)? + 1));
    let on_page = number(&PAGES).map(|page| page.saturating_sub(1).saturating_mul(limit));
    let begin = after.or_else(|| number(&OFFSETS)).or(on_page);
    (begin.unwrap_or(0), limit)
}
