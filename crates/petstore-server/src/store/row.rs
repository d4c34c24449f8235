//! Statements that both databases understand, and the rows that they return.
//!
//! Parameters are numbered in the order in which they first appear (`$1`, `$2`, …), as SQLite binds them by that order. A statement that
//! ends with ` FOR UPDATE` or ` FOR KEY SHARE` locks rows on PostgreSQL; SQLite has one writer, and leaves that out.

use engine_types::EngineError;
#[cfg(feature = "postgres")]
pub use postgres_engine::types::FromSqlOwned as FromPostgres;
use rusqlite::types::FromSql;

use crate::pet_status::PetStatus;

/// A statement with its parameters.
#[derive(Clone, Debug)]
pub struct Statement {
    pub sql: &'static str,
    pub parameters: Vec<Value>,
}

/// A parameter of a statement.
#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Integer(i64),
    Text(String),
    Boolean(bool),
}

/// A row of the result of a statement, as either database returns it.
pub trait Row {
    /// Reads a column by its place, from 0 on.
    fn get<T: FromSql + FromPostgres>(&self, column: usize) -> Result<T, EngineError>;
}

/// What a row is read into.
pub trait FromRow: Sized {
    fn from_row(row: &impl Row) -> Result<Self, EngineError>;
}

/// Without PostgreSQL, every type can be read from it.
#[cfg(not(feature = "postgres"))]
pub trait FromPostgres {}

#[cfg(not(feature = "postgres"))]
impl<T> FromPostgres for T {}

impl Statement {
    pub fn new<const N: usize>(sql: &'static str, parameters: [Value; N]) -> Statement {
        Statement {
            sql,
            parameters: parameters.into(),
        }
    }
}

/// An id, or a count.
impl FromRow for i64 {
    fn from_row(row: &impl Row) -> Result<i64, EngineError> {
        row.get(0)
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
