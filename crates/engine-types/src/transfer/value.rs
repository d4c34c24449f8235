//! Values that both engines can store.

use std::fmt;

/// What a column stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Integers of at most 64 bits.
    Integer,
    /// Two values. SQLite stores them as the integers 0 and 1.
    Boolean,
    /// Floating-point numbers of 64 bits.
    Real,
    /// Unicode text.
    Text,
    /// Bytes.
    Bytes,
    /// A type that cannot be copied, by its name.
    Other(String),
}

/// A value of a row. Booleans are the integers 0 and 1.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// An integer or a boolean.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes, also of a text that is not valid Unicode.
    Bytes(Vec<u8>),
}

/// The values of a row, in the order of the columns of its table.
pub type Row = Vec<Value>;

impl Kind {
    /// The kind of a column that has these kinds on the two sides of a copy; `None` if they do not fit each other.
    pub fn common(&self, other: &Kind) -> Option<Kind> {
        match (self, other) {
            (Kind::Other(_), _) | (_, Kind::Other(_)) => None,
            (Kind::Integer, Kind::Boolean) | (Kind::Boolean, Kind::Integer) => Some(Kind::Boolean),
            (one, other) => (one == other).then(|| one.clone()),
        }
    }

    /// Why a value cannot be stored by both engines in a column of this kind; `None` if it can.
    pub fn refusal(&self, value: &Value) -> Option<&'static str> {
        match (self, value) {
            (Kind::Integer, Value::Integer(_))
            | (_, Value::Null)
            | (Kind::Bytes, Value::Bytes(_)) => None,
            (Kind::Boolean, Value::Integer(number)) => {
                (!(0..=1).contains(number)).then_some("is neither 0 nor 1")
            }
            (Kind::Real, Value::Real(number)) => number.is_nan().then_some("is not a number"),
            (Kind::Text, Value::Text(text)) => text
                .contains('\0')
                .then_some("contains the character U+0000, which PostgreSQL cannot store"),
            (Kind::Text, Value::Bytes(_)) => Some("is not valid UTF-8"),
            _ => Some("has another type than its column"),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Integer => "integer",
            Kind::Boolean => "boolean",
            Kind::Real => "floating point",
            Kind::Text => "text",
            Kind::Bytes => "bytes",
            Kind::Other(name) => name,
        })
    }
}

/// As it is shown to the operator, to name a row. Bytes are hexadecimal digits.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("NULL"),
            Value::Integer(number) => write!(f, "{number}"),
            Value::Real(number) => write!(f, "{number}"),
            Value::Text(text) => write!(f, "{text:?}"),
            Value::Bytes(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

impl Value {
    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        match self {
            Value::Null => 1,
            Value::Integer(_) | Value::Real(_) => 8,
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
        }
    }
}
