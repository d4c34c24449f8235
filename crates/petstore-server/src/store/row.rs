//! Statements that both databases understand, and the rows that they return.
//!
//! Parameters are numbered in the order in which they first appear (`$1`, `$2`, …), as SQLite binds them by that order. A statement that
//! ends with ` FOR UPDATE` or ` FOR KEY SHARE` locks rows on PostgreSQL; SQLite has one writer, and leaves that out.

use std::mem::replace;

use engine_types::EngineError;

use crate::pet_status::PetStatus;

/// A statement with its parameters.
#[derive(Clone, Debug)]
pub struct Statement {
    pub sql: &'static str,
    pub parameters: Vec<Value>,
}

/// A parameter of a statement, or a column of a row.
#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Integer(i64),
    Text(String),
    Boolean(bool),
}

/// A row of the result of a statement. A text can be read once.
#[derive(Debug)]
pub struct Row(pub Vec<Value>);

/// What a row is read into.
pub trait FromRow: Sized {
    fn from_row(row: &mut Row) -> Result<Self, EngineError>;

    /// The first row, if there is one.
    fn first(rows: Vec<Row>) -> Result<Option<Self>, EngineError> {
        let first = rows.into_iter().next();
        first.map(|mut row| Self::from_row(&mut row)).transpose()
    }
}

impl Statement {
    pub fn new<const N: usize>(sql: &'static str, parameters: [Value; N]) -> Statement {
        Statement {
            sql,
            parameters: parameters.into(),
        }
    }
}

impl Row {
    pub fn integer(&mut self, column: usize) -> Result<i64, EngineError> {
        match self.take(column)? {
            Value::Integer(number) => Ok(number),
            other => Err(unexpected(other)),
        }
    }

    pub fn text(&mut self, column: usize) -> Result<String, EngineError> {
        let text = self.optional_text(column)?;
        text.ok_or_else(|| unexpected(Value::Null))
    }

    pub fn optional_text(&mut self, column: usize) -> Result<Option<String>, EngineError> {
        match self.take(column)? {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            other => Err(unexpected(other)),
        }
    }

    pub fn boolean(&mut self, column: usize) -> Result<bool, EngineError> {
        match self.take(column)? {
            Value::Boolean(value) => Ok(value),
            // SQLite has no type of its own for them.
            Value::Integer(number @ 0..=1) => Ok(number == 1),
            other => Err(unexpected(other)),
        }
    }

    pub fn status(&mut self, column: usize) -> Result<PetStatus, EngineError> {
        let text = self.text(column)?;
        let found = PetStatus::ALL.into_iter().find(|it| it.as_str() == text);
        found.ok_or_else(|| unexpected(Value::Text(text)))
    }

    fn take(&mut self, column: usize) -> Result<Value, EngineError> {
        let value = self.0.get_mut(column);
        let value = value.ok_or_else(|| EngineError::internal(format!("no column {column}")))?;
        Ok(replace(value, Value::Null))
    }
}

fn unexpected(value: Value) -> EngineError {
    EngineError::internal(format!("{value:?} is no value of its column"))
}

/// An id, or a count.
impl FromRow for i64 {
    fn from_row(row: &mut Row) -> Result<i64, EngineError> {
        row.integer(0)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Integer(number)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Boolean(value)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Value {
        Value::Text(text.clone())
    }
}

impl From<PetStatus> for Value {
    fn from(status: PetStatus) -> Value {
        Value::Text(status.as_str().to_owned())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}
