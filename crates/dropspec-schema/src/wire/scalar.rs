//! Parses text into a scalar of the type that the schema names. Only JSON's notation is accepted: no `+1`, no `01`, no
//! spaces, no `True`.

use serde_json::{Number, Value, json};

use crate::wire::quote::quote_text;

/// The JSON types that the text of a parameter may be parsed as, the narrowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScalarTypes(Vec<ScalarType>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ScalarType {
    Integer,
    Number,
    Boolean,
    String,
}

/// Why the text of a parameter cannot be parsed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ScalarError {
    /// The text is of none of the types. The message is a phrase to follow the name of the parameter.
    WrongType(String),
    /// The text is an integer of more than 64 bits. The value is the nearest integer of 64 bits.
    OutOfRange(Value),
}

impl ScalarTypes {
    /// Only strings.
    pub(crate) fn string() -> Self {
        Self(vec![ScalarType::String])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the type of this name in a schema; other names than those of scalars are ignored.
    pub(crate) fn add_named(&mut self, name: &str) {
        match name {
            "integer" => self.add(ScalarType::Integer),
            "number" => self.add(ScalarType::Number),
            "boolean" => self.add(ScalarType::Boolean),
            "string" => self.add(ScalarType::String),
            _ => {}
        }
    }

    /// Adds the type of a value of an enumeration.
    pub(crate) fn add_type_of(&mut self, value: &Value) {
        match value {
            Value::Number(number) if number.is_f64() => self.add(ScalarType::Number),
            Value::Number(_) => self.add(ScalarType::Integer),
            Value::Bool(_) => self.add(ScalarType::Boolean),
            Value::String(_) => self.add(ScalarType::String),
            Value::Null | Value::Array(_) | Value::Object(_) => {}
        }
    }

    /// Adds strings if there is no type yet.
    pub(crate) fn or_string(&mut self) {
        if self.0.is_empty() {
            self.0.push(ScalarType::String);
        }
    }

    fn add(&mut self, scalar_type: ScalarType) {
        if let Err(index) = self.0.binary_search(&scalar_type) {
            self.0.insert(index, scalar_type);
        }
    }

    /// Parses a text as each of the types in turn until `accepts` returns true. If it never does, the result is the
    /// first value that could be parsed, so that validation can describe its problem.
    pub(crate) fn parse(
        &self,
        text: &str,
        accepts: impl Fn(&Value) -> bool,
    ) -> Result<Value, ScalarError> {
        let mut nearest = None;
        let mut parsed = None;
        for scalar_type in &self.0 {
            match scalar_type.parse(text) {
                Some(Ok(value)) if self.0.len() == 1 || accepts(&value) => return Ok(value),
                Some(Ok(value)) => parsed = parsed.or(Some(value)),
                Some(Err(value)) => nearest = Some(value),
                None => {}
            }
        }
        match (parsed, nearest) {
            (Some(value), _) => Ok(value),
            (None, Some(nearest)) => Err(ScalarError::OutOfRange(nearest)),
            (None, None) => Err(ScalarError::WrongType(self.describe_wrong_type(text))),
        }
    }

    fn describe_wrong_type(&self, text: &str) -> String {
        let expected: Vec<&str> = self.0.iter().map(|kind| kind.with_article()).collect();
        let found = match text {
            "" => "an empty value".to_owned(),
            text => quote_text(text),
        };
        let notation = match self.0.as_slice() {
            [ScalarType::Boolean] => " (true or false)",
            _ => "",
        };
        format!("must be {}{notation}, got {found}", expected.join(" or "))
    }
}

impl ScalarType {
    /// Parses a text as this type. None if it is not of this type; Err with the nearest integer of 64 bits if it is an
    /// integer out of range.
    fn parse(self, text: &str) -> Option<Result<Value, Value>> {
        match self {
            Self::Integer => parse_integer(text),
            Self::Number => {
                let is_digit_or_minus = |byte: &u8| *byte == b'-' || byte.is_ascii_digit();
                let starts_well = text.as_bytes().first().is_some_and(is_digit_or_minus);
                let ends_well = text.as_bytes().last().is_some_and(u8::is_ascii_digit);
                let number = serde_json::from_str::<Number>(text).ok();
                let number = number.filter(|_| starts_well && ends_well)?;
                Some(Ok(Value::Number(number)))
            }
            Self::Boolean => text
                .parse::<bool>()
                .ok()
                .map(|value| Ok(Value::Bool(value))),
            Self::String => Some(Ok(Value::from(text))),
        }
    }

    const fn with_article(self) -> &'static str {
        match self {
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
            Self::String => "a string",
        }
    }
}

fn parse_integer(text: &str) -> Option<Result<Value, Value>> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let has_leading_zero = digits.len() > 1 && digits.starts_with('0');
    let is_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if has_leading_zero || !is_digits {
        return None;
    }
    let signed = text.parse::<i64>().map(Value::from);
    let value = signed.or_else(|_| text.parse::<u64>().map(Value::from));
    Some(value.map_err(|_| {
        if text.starts_with('-') {
            json!(i64::MIN)
        } else {
            json!(u64::MAX)
        }
    }))
}
