//! Writes the texts of parameters by their styles (RFC 6570, and the examples of OpenAPI).

use serde_json::Value;

use super::{Parameter, Place};
use crate::proof::message::{encode, scalar_text};

impl Parameter<'_> {
    /// A value as it stands in a request: the pairs of a query or of cookies, or the one text in a path or a header. None if it
    /// cannot be written.
    pub(in crate::proof) fn write(&self, value: &Value) -> Option<Vec<String>> {
        let name = encode(self.name);
        let is_pair = matches!(self.place, Place::Query | Place::Cookie);
        let one = |text: String| {
            if is_pair {
                vec![format!("{name}={text}")]
            } else {
                vec![text]
            }
        };
        if self.is_json {
            let text = value.to_string();
            return Some(one(match self.place {
                Place::Header => Some(text).filter(|it| is_plain(it))?,
                _ => encode(&text),
            }));
        }
        let texts = match value {
            Value::Array(items) => self.write_array(items)?,
            Value::Object(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| Some((self.write_name(name)?, self.write_scalar(value)?)));
                self.write_object(&members.collect::<Option<Vec<_>>>()?)?
            }
            scalar if self.style == "deepObject" || scalar.is_null() => return None,
            scalar => {
                let text = self.write_scalar(scalar)?;
                match self.style {
                    "label" => vec![format!(".{text}")],
                    "matrix" => vec![format!(";{name}={text}")],
                    _ => one(text),
                }
            }
        };
        // A segment without a text leads elsewhere.
        let is_segment = |it: &String| !it.is_empty() && it != "." && it != "..";
        Some(texts).filter(|it| self.place != Place::Path || it.iter().all(is_segment))
    }

    fn write_array(&self, items: &[Value]) -> Option<Vec<String>> {
        let name = encode(self.name);
        let separator = self.separator()?;
        let items: Vec<String> = items
            .iter()
            .map(|item| self.write_scalar(item).filter(|it| is_clear(it, separator)))
            .collect::<Option<_>>()?;
        if items.is_empty() {
            return None;
        }
        Some(match (self.style, self.explode) {
            _ if self.is_exploded() => items.iter().map(|it| format!("{name}={it}")).collect(),
            ("matrix", true) => {
                let pairs = items.iter().map(|it| format!(";{name}={it}"));
                vec![pairs.collect()]
            }
            _ => vec![self.around(&items.join(separator))],
        })
    }

    fn write_object(&self, members: &[(String, String)]) -> Option<Vec<String>> {
        if members.is_empty() {
            return None;
        }
        if self.style == "deepObject" {
            let pairs = members.iter().map(|(name, value)| {
                let name = format!("{}%5B{name}%5D", encode(self.name));
                format!("{name}={value}")
            });
            return Some(pairs.collect());
        }
        let separator = self.separator()?;
        let parts = || members.iter().flat_map(|(name, value)| [name, value]);
        let is_clear = parts().all(|it| is_clear(it, separator) && !it.contains('='));
        if !is_clear {
            return None;
        }
        let pairs = || {
            members
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
        };
        Some(match (self.style, self.explode) {
            _ if self.is_exploded() && self.style == "form" => pairs().collect(),
            // OpenAPI does not say how they are exploded.
            _ if self.is_exploded() => return None,
            ("matrix", true) => vec![pairs().map(|it| format!(";{it}")).collect()],
            (_, true) => vec![self.around(&pairs().collect::<Vec<_>>().join(separator))],
            (_, false) => {
                let parts: Vec<&str> = parts().map(String::as_str).collect();
                vec![self.around(&parts.join(separator))]
            }
        })
    }

    /// One text with what its style and its place put before it.
    fn around(&self, text: &str) -> String {
        match (self.style, self.place) {
            ("label", _) => format!(".{text}"),
            ("matrix", _) => format!(";{}={text}", encode(self.name)),
            (_, Place::Query | Place::Cookie) => format!("{}={text}", encode(self.name)),
            _ => text.to_owned(),
        }
    }

    fn write_scalar(&self, value: &Value) -> Option<String> {
        let text = scalar_text(value)?;
        match self.place {
            Place::Header => Some(text).filter(|it| is_plain(it) && !it.is_empty()),
            Place::Path if text.is_empty() => None,
            // The style separates by dots, which are not encoded.
            Place::Path if self.style == "label" && text.contains('.') => None,
            Place::Path => Some(encode(&text)),
            Place::Query | Place::Cookie => Some(encode(&text)),
        }
    }

    fn write_name(&self, name: &str) -> Option<String> {
        match self.place {
            Place::Header => Some(name.to_owned()).filter(|it| is_plain(it)),
            _ => Some(encode(name)),
        }
    }
}

/// Whether a header may have a text.
fn is_plain(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_graphic() || c == ' ';
    text.chars().all(is_plain) && text.trim() == text
}

/// Whether a text can stand between separators.
fn is_clear(text: &str, separator: &str) -> bool {
    !text.is_empty() && !text.contains(separator)
}
