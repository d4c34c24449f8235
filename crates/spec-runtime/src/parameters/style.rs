//! How the items of an array are written in one place of a request: `style` and `explode`.

use serde_json::Value;

use crate::rejection::Location;

/// What stands between two items, before decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// The parameter is repeated.
    Repetition,
    /// One of these, whichever is met; an encoded comma is part of an item.
    Text(&'static [&'static str]),
    /// A comma and any spaces around it.
    HeaderComma,
}

/// A style that is not known where it stands.
#[derive(Debug, thiserror::Error)]
#[error("style {style} of a {location} is not supported")]
pub struct StyleError {
    style: String,
    location: Location,
}

/// The separator of a parameter that may be an array.
pub(super) fn separator(location: Location, parameter: &Value) -> Result<Separator, StyleError> {
    let default = match location {
        Location::Query => "form",
        Location::Path | Location::Header => "simple",
    };
    let style = parameter
        .get("style")
        .and_then(Value::as_str)
        .unwrap_or(default);
    let explode = parameter.get("explode").and_then(Value::as_bool);
    match (location, style) {
        (Location::Path, "simple") => Ok(Separator::Text(&[","])),
        (Location::Header, "simple") => Ok(Separator::HeaderComma),
        (Location::Query, "form") if explode.unwrap_or(true) => Ok(Separator::Repetition),
        (Location::Query, "spaceDelimited" | "pipeDelimited") if explode == Some(true) => {
            Ok(Separator::Repetition)
        }
        (Location::Query, "form") => Ok(Separator::Text(&[","])),
        (Location::Query, "spaceDelimited") => Ok(Separator::Text(&["%20", "+"])),
        (Location::Query, "pipeDelimited") => Ok(Separator::Text(&["|", "%7C", "%7c"])),
        _ => Err(StyleError {
            style: style.to_owned(),
            location,
        }),
    }
}

impl Separator {
    /// The items in what was sent. One empty text is an array without items, unless items are told
    /// apart by repetition.
    pub(super) fn split<'r>(self, raw: &[&'r str]) -> Vec<&'r str> {
        match (self, raw) {
            (Self::Repetition, raw) => raw.to_vec(),
            (_, [""]) => Vec::new(),
            (Self::HeaderComma, raw) => {
                let items = raw.iter().flat_map(|text| text.split(','));
                items.map(|item| item.trim_matches([' ', '\t'])).collect()
            }
            (Self::Text(separators), raw) => raw
                .iter()
                .flat_map(|text| split_at_any(text, separators))
                .collect(),
        }
    }
}

fn split_at_any<'r>(text: &'r str, separators: &[&str]) -> Vec<&'r str> {
    let mut items = Vec::new();
    let mut rest = text;
    loop {
        let next = separators
            .iter()
            .filter_map(|separator| Some((rest.find(separator)?, separator.len())))
            .min();
        match next {
            None => {
                items.push(rest);
                return items;
            }
            Some((at, length)) => {
                items.push(&rest[..at]);
                rest = &rest[at + length..];
            }
        }
    }
}
