//! Statements that both databases understand, and the rows that they return.
//!
//! Parameters are numbered in the order in which they first appear (`$1`, `$2`, …), as SQLite binds them by that order. A statement that
//! ends with ` FOR UPDATE` or ` FOR KEY SHARE` locks rows on PostgreSQL; SQLite has one writer, and leaves that out. So it does with the
//! ` RETURNING id` of an `INSERT`, for which it would fill a table and a journal in memory: it knows the last id.

use dropspec_store::EngineError;
#[cfg(feature = "postgres")]
pub use dropspec_store::postgres::types::FromSqlOwned as FromPostgres;
use rusqlite::types::FromSql;

/// How a statement ends that locks rows on PostgreSQL.
const LOCKS: [&str; 2] = [" FOR UPDATE", " FOR KEY SHARE"];

/// How an `INSERT` ends that returns the id of its record.
const RETURNING_ID: &str = " RETURNING id";

/// A statement with its parameters.
#[derive(Clone, Debug)]
pub struct Statement {
    pub(super) sqlite: &'static str,
    pub(super) postgres: &'static str,
    pub(super) parameters: Vec<Value>,
}

/// A parameter of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// A text.
    Text(String),
    /// A boolean.
    Boolean(bool),
}

/// A row of the result of a statement, as either database returns it.
pub trait Row {
    /// Reads a column by its place, from 0 on.
    fn get<T: FromSql + FromPostgres>(&self, column: usize) -> Result<T, EngineError>;

    /// Like [`Row::get`], for a value that is stored as another one.
    fn column<T: Column>(&self, column: usize) -> Result<T, EngineError> {
        T::from_stored(self.get(column)?)
    }
}

/// What a row is read into.
pub trait FromRow: Sized {
    /// Reads the columns of a row.
    fn from_row(row: &impl Row) -> Result<Self, EngineError>;
}

/// A value of a column.
pub trait Column: Sized {
    /// As what it is stored.
    type Stored: FromSql + FromPostgres;

    /// Converts what is stored.
    fn from_stored(stored: Self::Stored) -> Result<Self, EngineError>;

    /// Converts it to a parameter.
    fn to_value(&self) -> Value;
}

/// Without PostgreSQL, every type can be read from it.
#[cfg(not(feature = "postgres"))]
pub trait FromPostgres {}

#[cfg(not(feature = "postgres"))]
impl<T> FromPostgres for T {}

impl Statement {
    /// A statement for both databases. What it locks there, the writes of others wait for.
    pub fn new<const N: usize>(sql: &'static str, parameters: [Value; N]) -> Statement {
        Statement::of(sql, parameters.into())
    }

    pub(super) fn of(sql: &'static str, parameters: Vec<Value>) -> Statement {
        let insert = sql.starts_with("INSERT ").then_some(&RETURNING_ID);
        let mut ends = LOCKS.iter().chain(insert);
        let shorter = ends.find_map(|end| sql.strip_suffix(end));
        Statement {
            sqlite: shorter.unwrap_or(sql),
            postgres: sql,
            parameters,
        }
    }

    /// Runs other SQL on SQLite.
    #[must_use]
    pub fn on_sqlite(self, sqlite: &'static str) -> Statement {
        Statement { sqlite, ..self }
    }

    /// Whether SQLite knows the id that it returns elsewhere.
    pub(super) fn returns_last_id(&self) -> bool {
        self.postgres.ends_with(RETURNING_ID) && !self.sqlite.ends_with(RETURNING_ID)
    }

    /// Whether it locks rows.
    pub(super) fn locks(&self) -> bool {
        LOCKS.iter().any(|lock| self.postgres.ends_with(lock))
    }
}

impl<T: Column> From<T> for Value {
    fn from(value: T) -> Value {
        value.to_value()
    }
}

/// An id, or a count.
impl FromRow for i64 {
    fn from_row(row: &impl Row) -> Result<i64, EngineError> {
        row.get(0)
    }
}

impl<T: Column> Column for Option<T>
where
    Option<T::Stored>: FromSql + FromPostgres,
{
    type Stored = Option<T::Stored>;

    fn from_stored(stored: Self::Stored) -> Result<Self, EngineError> {
        stored.map(T::from_stored).transpose()
    }

    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
}

/// Types that both databases store as they are.
macro_rules! stored_as_it_is {
    ($($kind:ty => $value:ident),* $(,)?) => {
        $(impl Column for $kind {
            type Stored = $kind;

            fn from_stored(stored: $kind) -> Result<$kind, EngineError> {
                Ok(stored)
            }

            fn to_value(&self) -> Value {
                Value::$value(self.clone())
            }
        })*
    };
}

/// Types that are stored as a text, each with the function that writes it: dates and times so that the order of the texts is theirs,
/// and the values of an enum of the document.
macro_rules! stored_as_text {
    ($($kind:ty => $write:expr),* $(,)?) => {
        $(impl $crate::store::row::Column for $kind {
            type Stored = String;

            fn from_stored(stored: String) -> Result<$kind, dropspec_store::EngineError> {
                stored.parse().map_err(dropspec_store::EngineError::internal)
            }

            fn to_value(&self) -> $crate::store::row::Value {
                let write: fn(&$kind) -> String = $write;
                $crate::store::row::Value::Text(write(self))
            }
        })*
    };
}

#[allow(clippy::clone_on_copy)]
mod columns {
    use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};

    use super::{Column, EngineError, Value};

    stored_as_it_is!(i64 => Integer, f64 => Real, String => Text, bool => Boolean);
    stored_as_text!(
        // 2026-11-27
        NaiveDate => ToString::to_string,
        // In UTC and always with nine digits, so that the texts have the order of the times: 2026-11-27T10:00:00.000000000Z
        DateTime<Utc> => |time| time.to_rfc3339_opts(SecondsFormat::Nanos, true),
    );
}

pub(crate) use stored_as_text;

#[cfg(all(test, feature = "postgres"))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use chrono::{DateTime, NaiveDate, Utc};

    use super::*;
    use crate::categories::Category;
    use crate::store::Found;
    use crate::store::fixture::{ALL, Fixture, category, on_every_store};

    on_every_store!(
        values_of_every_kind_are_read_as_they_were_sent,
        text_with_the_character_0_is_stored_or_refused,
    );

    async fn values_of_every_kind_are_read_as_they_were_sent(fixture: Fixture) {
        let day: NaiveDate = "2026-11-27".parse().unwrap();
        let time: DateTime<Utc> = "2026-11-27T10:00:00.5Z".parse().unwrap();
        let reads = vec![
            Statement::new("SELECT CAST($1 AS bigint)", [None::<i64>.into()]),
            Statement::new("SELECT CAST($1 AS bigint)", [Some(7).into()]),
            Statement::new("SELECT CAST($1 AS double precision)", [1.5.into()]),
            Statement::new("SELECT CAST($1 AS text)", [Some(day).into()]),
            Statement::new("SELECT CAST($1 AS text)", [time.into()]),
        ];
        struct Read<T>(T);
        impl<T: Column> FromRow for Read<T> {
            fn from_row(row: &impl Row) -> Result<Self, EngineError> {
                row.column(0).map(Read)
            }
        }
        let check = move |found: &mut Found<'_>| {
            assert_eq!(found.next_row::<Read<Option<i64>>>()?.unwrap().0, None);
            assert_eq!(found.next_row::<Read<Option<i64>>>()?.unwrap().0, Some(7));
            assert_eq!(found.next_row::<Read<f64>>()?.unwrap().0, 1.5);
            assert_eq!(found.next_row::<Read<NaiveDate>>()?.unwrap().0, day);
            assert_eq!(found.next_row::<Read<DateTime<Utc>>>()?.unwrap().0, time);
            Ok((Vec::new(), ()))
        };
        fixture.change(reads, check).await.unwrap();
    }

    async fn text_with_the_character_0_is_stored_or_refused(fixture: Fixture) {
        let created = fixture.create::<Category>(category("Fi\0sh"), None).await;
        let filters = || vec![("name", "Fi\0sh".to_owned().into())];
        let found = fixture.list::<Category>(filters(), ALL).await.unwrap();
        match created {
            Ok(created) => {
                assert!(fixture.database().sqlite().is_some());
                assert_eq!(found.items, [created.record]);
            }
            Err(error) => {
                let expected = "/name: must not contain the character U+0000";
                assert_eq!(error.to_string(), expected);
                assert_eq!(found.items, []);
            }
        }
    }

    #[test]
    fn texts_of_times_have_the_order_of_the_times() {
        let times = [
            "0000-01-01T00:00:00Z",
            "2026-11-27T10:00:00Z",
            "2026-11-27T10:00:00.000000001Z",
            "2026-11-27T10:00:00.5Z",
            "2026-11-27T12:00:01+02:00",
            "9999-12-31T23:59:59.999999999Z",
        ];
        let texts = times.map(
            |time| match time.parse::<DateTime<Utc>>().unwrap().to_value() {
                Value::Text(text) => text,
                other => panic!("{other:?}"),
            },
        );
        assert!(texts.is_sorted(), "{texts:?}");
    }
}
