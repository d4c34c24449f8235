//! Reads the texts of parameters by their styles.

use serde_json::{Map, Value};
use spec_schema::resolve;

use super::{Parameter, Place, Shape, keyword};
use crate::proof::message::{decode, encode};

/// What a request has at the place of a parameter.
pub(in crate::proof) enum Sent<'r> {
    /// The text of the parameter in the path or in a header.
    Text(Option<&'r str>),
    /// All pairs of the query or of the cookies. The names are decoded, the values not.
    Pairs(&'r [(String, &'r str)]),
}

/// What a request has of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::proof) enum Found {
    /// Nothing.
    Nothing,
    /// A value.
    Value(Value),
    /// A text that may be read in several ways.
    Unclear,
    /// A text that no value has.
    Malformed,
}

impl<'d> Parameter<'d> {
    /// Reads a parameter. `read_scalar` reads one text by a schema.
    pub(in crate::proof) fn read(
        &self,
        sent: &Sent<'_>,
        read_scalar: impl Fn(&str, Option<&'d Value>) -> Value,
    ) -> Found {
        let shape = self.shape();
        let own = self.own_texts(sent);
        if shape == Some(Shape::Object) && !self.is_json && matches!(sent, Sent::Pairs(_)) {
            let is_apart = self.style == "deepObject" || self.style == "form" && self.explode;
            if is_apart {
                return self.read_pairs(sent, read_scalar);
            }
        }
        let Some(first) = own.first() else {
            return Found::Nothing;
        };
        if self.is_json {
            return match serde_json::from_str(&self.decode(first)) {
                Ok(value) => Found::Value(value),
                Err(_) => Found::Malformed,
            };
        }
        let Some(shape) = shape else {
            return Found::Unclear;
        };
        let (text, is_exploded) = match self.style {
            "label" => match first.strip_prefix('.') {
                Some(rest) => (rest, false),
                None => return Found::Malformed,
            },
            "matrix" if shape == Shape::Object && self.explode => match first.strip_prefix(';') {
                Some(rest) => (rest, false),
                None => return Found::Malformed,
            },
            "matrix" => {
                let prefix = format!(";{}=", encode(self.name));
                match first.strip_prefix(&prefix) {
                    Some(rest) => (rest, false),
                    None => return Found::Malformed,
                }
            }
            _ => (*first, self.is_exploded()),
        };
        match shape {
            Shape::Scalar => Found::Value(read_scalar(&self.decode(text), self.schema)),
            Shape::Array => {
                let again = format!(";{}=", encode(self.name));
                let texts: Vec<&str> = match (self.style, self.separator()) {
                    _ if is_exploded => own,
                    ("matrix", _) if self.explode => text.split(again.as_str()).collect(),
                    (_, Some(separator)) => text.split(separator).collect(),
                    (_, None) => return Found::Unclear,
                };
                let items = self.schema.and_then(|it| self.keyword(it, "items"));
                let items = texts.iter().map(|it| read_scalar(&self.decode(it), items));
                Found::Value(Value::Array(items.collect()))
            }
            Shape::Object => self.read_object(text, read_scalar),
        }
    }

    /// Reads an object from one text: names and values in turn, or pairs.
    fn read_object(
        &self,
        text: &str,
        read_scalar: impl Fn(&str, Option<&'d Value>) -> Value,
    ) -> Found {
        let Some(separator) = self.separator() else {
            return Found::Unclear;
        };
        let parts: Vec<&str> = text.split(separator).collect();
        let pairs: Option<Vec<(&str, &str)>> = match self.explode {
            true => parts.iter().map(|part| part.split_once('=')).collect(),
            false if parts.len() % 2 == 1 => None,
            false => Some(parts.chunks(2).map(|pair| (pair[0], pair[1])).collect()),
        };
        let Some(pairs) = pairs else {
            return Found::Malformed;
        };
        let members = pairs.into_iter().map(|(name, text)| {
            let name = self.decode(name);
            let value = read_scalar(&self.decode(text), self.property(&name));
            (name, value)
        });
        Found::Value(Value::Object(members.collect()))
    }

    /// Reads an object whose properties are pairs of their own.
    fn read_pairs(
        &self,
        sent: &Sent<'_>,
        read_scalar: impl Fn(&str, Option<&'d Value>) -> Value,
    ) -> Found {
        let Sent::Pairs(pairs) = sent else {
            return Found::Nothing;
        };
        let mut members = Map::new();
        for (name, text) in *pairs {
            let property = match self.style {
                "deepObject" => {
                    let rest = name.strip_prefix(self.name);
                    rest.and_then(|it| it.strip_prefix('[')?.strip_suffix(']'))
                }
                // Other names may be those of other parameters.
                _ => Some(name.as_str()).filter(|name| self.property(name).is_some()),
            };
            if let Some(property) = property {
                let value = read_scalar(&self.decode(text), self.property(property));
                members.insert(property.to_owned(), value);
            }
        }
        if members.is_empty() {
            Found::Nothing
        } else {
            Found::Value(Value::Object(members))
        }
    }

    /// The texts with the name of the parameter.
    fn own_texts<'r>(&self, sent: &Sent<'r>) -> Vec<&'r str> {
        match sent {
            Sent::Text(text) => text.iter().copied().collect(),
            Sent::Pairs(pairs) => {
                let own = pairs.iter().filter(|(name, _)| name == self.name);
                own.map(|(_, text)| *text).collect()
            }
        }
    }

    fn decode(&self, text: &str) -> String {
        match self.place {
            Place::Header => text.to_owned(),
            _ => decode(text),
        }
    }

    /// The schema of a property.
    fn property(&self, name: &str) -> Option<&'d Value> {
        let lists = keyword(self.document, self.schema?, "properties");
        lists.into_iter().find_map(|list| list.get(name))
    }

    fn keyword(&self, schema: &'d Value, name: &str) -> Option<&'d Value> {
        let found = keyword(self.document, schema, name).into_iter().next()?;
        resolve(self.document, found)
    }
}
