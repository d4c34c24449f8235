//! What a piece of text stands for, by the type of its schema. JSON's spelling is the only one: no `+1`, no
//! `01`, no spaces, no `True`.

use serde_json::{Number, Value, json};

use crate::document::Document;
use crate::message::{kind_of, shorten};

/// The types that a text may stand for, the narrowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    kinds: Vec<Kind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Integer,
    Number,
    Boolean,
    String,
}

/// Why a text stands for nothing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It is none of the types.
    Not(String),
    /// It is an integer, but past 64 bits. The nearest integer of 64 bits stands in for it.
    PastRange(Value),
}

impl Scalar {
    /// The types of a schema, through references and combinations. None if it may be an array or an
    /// object, of which a text cannot be a part.
    pub(crate) fn of(document: &Document, schema: &Value) -> Option<Self> {
        let mut kinds = Vec::new();
        collect(document, schema, 0, &mut kinds)?;
        kinds.sort();
        kinds.dedup();
        if kinds.is_empty() {
            kinds.push(Kind::String);
        }
        Some(Self { kinds })
    }

    /// Reads a text as each of the types in turn, until one is accepted. The last resort is whatever
    /// could be read, so that a checker can tell what is wrong with it.
    pub(crate) fn read(
        &self,
        text: &str,
        accepts: impl Fn(&Value) -> bool,
    ) -> Result<Value, Unreadable> {
        let mut past_range = None;
        let mut readable = None;
        for kind in &self.kinds {
            match kind.read(text) {
                Some(Ok(value)) if self.kinds.len() == 1 || accepts(&value) => return Ok(value),
                Some(Ok(value)) => readable = readable.or(Some(value)),
                Some(Err(nearest)) => past_range = Some(nearest),
                None => {}
            }
        }
        match (readable, past_range) {
            (Some(value), _) => Ok(value),
            (None, Some(nearest)) => Err(Unreadable::PastRange(nearest)),
            (None, None) => Err(Unreadable::Not(self.complaint(text))),
        }
    }

    fn complaint(&self, text: &str) -> String {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind_of(kind.name())).collect();
        let got = match text {
            "" => "an empty value".to_owned(),
            text => Value::from(shorten(text).into_owned()).to_string(),
        };
        let spelling = match self.kinds.as_slice() {
            [Kind::Boolean] => " (true or false)",
            _ => "",
        };
        format!("must be {}{spelling}, got {got}", kinds.join(" or "))
    }
}

/// A schema nested deeper in combinations is taken for a circle.
const DEEPEST_COMBINATION: usize = 16;

fn collect(document: &Document, schema: &Value, depth: usize, kinds: &mut Vec<Kind>) -> Option<()> {
    if depth > DEEPEST_COMBINATION {
        return None;
    }
    let schema = document.resolve(schema)?;
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => kinds.push(Kind::Integer),
        Some("number") => kinds.push(Kind::Number),
        Some("boolean") => kinds.push(Kind::Boolean),
        Some("string") => kinds.push(Kind::String),
        Some(_) => return None,
        None => {
            for keyword in ["allOf", "anyOf", "oneOf"] {
                let members = schema.get(keyword).and_then(Value::as_array);
                for member in members.into_iter().flatten() {
                    collect(document, member, depth + 1, kinds)?;
                }
            }
        }
    }
    Some(())
}

impl Kind {
    /// The value of a text; Err is the nearest integer of 64 bits, None is no such type.
    fn read(self, text: &str) -> Option<Result<Value, Value>> {
        match self {
            Self::Integer => {
                let digits = text.strip_prefix('-').unwrap_or(text);
                let is_plain = digits == "0" || !digits.starts_with('0');
                if digits.is_empty() || !is_plain || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return None;
                }
                let signed = text.parse::<i64>().map(Value::from);
                let value = signed.or_else(|_| text.parse::<u64>().map(Value::from));
                let nearest = if text.starts_with('-') {
                    json!(i64::MIN)
                } else {
                    json!(u64::MAX)
                };
                Some(value.map_err(|_| nearest))
            }
            Self::Number => {
                let is_start = |byte: &u8| *byte == b'-' || byte.is_ascii_digit();
                let is_end = |byte: &u8| byte.is_ascii_digit();
                let bytes = text.as_bytes();
                if !bytes.first().is_some_and(is_start) || !bytes.last().is_some_and(is_end) {
                    return None;
                }
                let number: Number = serde_json::from_str(text).ok()?;
                Some(Ok(Value::Number(number)))
            }
            Self::Boolean => match text {
                "true" => Some(Ok(Value::Bool(true))),
                "false" => Some(Ok(Value::Bool(false))),
                _ => None,
            },
            Self::String => Some(Ok(Value::from(text))),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::String => "string",
        }
    }
}
