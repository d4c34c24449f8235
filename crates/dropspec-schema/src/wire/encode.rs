//! Writes the values of parameters as text by their styles.

use serde_json::Value;

use crate::wire::escape::Escape;
use crate::wire::parameter::{Location, Style};

impl Style {
    /// The character that an item cannot contain, because its encoding means the separator too.
    const fn forbidden(self, location: Location, explode: bool) -> Option<char> {
        match (self, location) {
            (Style::SpaceDelimited, _) if !explode => Some(' '),
            (Style::PipeDelimited, _) if !explode => Some('|'),
            // Encoded, it is the same character (RFC 3986, section 6.2.2.2).
            (Style::Label, _) => Some('.'),
            (Style::Cookie, _) if !explode => Some(','),
            (_, Location::Header) => Some(','),
            _ => None,
        }
    }
}

/// A value to write, and how.
pub(crate) struct Styled<'v> {
    pub(crate) name: &'v str,
    pub(crate) location: Location,
    pub(crate) style: Style,
    pub(crate) explode: bool,
    pub(crate) allow_reserved: bool,
}

/// A name and a value, both encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) key: Option<String>,
    pub(crate) text: String,
}

impl Styled<'_> {
    /// The text of a value where one text holds all of it: in a path or a header.
    pub(crate) fn text(&self, value: &Value) -> Result<String, String> {
        let notation = self.style.notation(self.explode);
        let pieces = self.pieces(value)?;
        // The table writes an empty value without the sign of equality in this style.
        let bare = self.style == Style::Matrix;
        let pieces = pieces.iter().map(|piece| match &piece.key {
            Some(key) if piece.text.is_empty() && bare => key.clone(),
            Some(key) => format!("{key}={}", piece.text),
            None => piece.text.clone(),
        });
        let pieces: Vec<String> = pieces.collect();
        Ok(format!(
            "{}{}",
            notation.start,
            pieces.join(notation.between_pieces)
        ))
    }

    /// The pairs of a value where it becomes several: in a query or in cookies.
    pub(crate) fn pieces(&self, value: &Value) -> Result<Vec<Piece>, String> {
        if self.style == Style::DeepObject {
            let mut pieces = Vec::new();
            self.nest(&self.escape().encode(self.name), value, &mut pieces);
            return Ok(pieces);
        }
        let notation = self.style.notation(self.explode);
        let own = |text: String| Piece {
            key: notation.named.then(|| self.encode_key(self.name)),
            text,
        };
        match value {
            Value::Array(items) => {
                let items: Result<Vec<String>, _> =
                    items.iter().map(|item| self.item(item)).collect();
                let items = items?;
                Ok(if self.explode {
                    items.into_iter().map(own).collect()
                } else {
                    vec![own(items.join(notation.between_items))]
                })
            }
            Value::Object(members) => {
                let members = members.iter().filter(|(_, value)| !value.is_null());
                if !self.explode {
                    let mut items = Vec::new();
                    for (key, value) in members {
                        items.push(self.item(&Value::from(key.as_str()))?);
                        items.push(self.item(value)?);
                    }
                    return Ok(vec![own(items.join(notation.between_items))]);
                }
                let mut pieces = Vec::new();
                for (key, value) in members {
                    let key = Some(self.item(&Value::from(key.as_str()))?);
                    // A list in a member is repeated where names can be.
                    let values = match value {
                        Value::Array(items) if self.style.explodes_by_default() => items.as_slice(),
                        value => std::slice::from_ref(value),
                    };
                    for value in values {
                        let (key, text) = (key.clone(), self.item(value)?);
                        pieces.push(Piece { key, text });
                    }
                }
                Ok(pieces)
            }
            scalar => Ok(vec![own(self.escape().encode(&plain(scalar)).into_owned())]),
        }
    }

    /// Appends the pieces of `color[R]=100`, where members are nested in brackets and lists are repeated.
    fn nest(&self, key: &str, value: &Value, pieces: &mut Vec<Piece>) {
        match value {
            Value::Object(members) => {
                for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                    let key = format!("{key}[{}]", Escape::Reserved.encode(name));
                    self.nest(&key, value, pieces);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| match item {
                Value::Array(_) => self.push(key, &plain(item), pieces),
                item => self.nest(key, item, pieces),
            }),
            scalar => self.push(key, &plain(scalar), pieces),
        }
    }

    fn push(&self, key: &str, text: &str, pieces: &mut Vec<Piece>) {
        pieces.push(Piece {
            key: Some(key.to_owned()),
            text: self.escape().encode(text).into_owned(),
        });
    }

    /// One of several values, whose separators are encoded.
    fn item(&self, value: &Value) -> Result<String, String> {
        let text = plain(value);
        match self.style.forbidden(self.location, self.explode) {
            Some(separator) if text.contains(separator) => Err(format!(
                "{text:?} contains {separator:?}, which separates the items of `{}`",
                self.name
            )),
            _ => {
                let escape = match self.escape() {
                    Escape::ReservedPath => Escape::ReservedPathItem,
                    Escape::AllowReserved if !self.explode => Escape::AllowReservedItem,
                    escape => escape,
                };
                Ok(escape.encode(&text).into_owned())
            }
        }
    }

    fn encode_key(&self, name: &str) -> String {
        let escape = match self.escape() {
            Escape::AllowReserved | Escape::ReservedPath => Escape::Reserved,
            escape => escape,
        };
        escape.encode(name).into_owned()
    }

    fn escape(&self) -> Escape {
        match self.location {
            Location::Header => Escape::Nothing,
            Location::Cookie if self.style == Style::Cookie => Escape::Nothing,
            Location::Cookie => Escape::Cookie,
            Location::Query if self.allow_reserved => Escape::AllowReserved,
            Location::Path if self.allow_reserved => Escape::ReservedPath,
            Location::Path | Location::Query => Escape::Reserved,
        }
    }
}

/// A value as text: a string as it is, null as nothing, arrays and objects as JSON.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
