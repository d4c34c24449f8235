//! Tables as data, and the statements that follow from it, which are put together when the program is compiled.

use dropspec_store::Sql;
use petstore_api::ErrorCode;

use crate::store::Record;
use crate::store::row::{FromRow, Value};

/// The conditions on the records of a list: columns, and their values. One without a value is none.
pub type Filters = Vec<(&'static str, Value)>;

/// A kind of records, and the table that it is stored in. Its first column is `id`, which the database assigns and never reuses.
pub trait Table: Record + FromRow {
    /// The name of the table.
    const NAME: &'static str;

    /// The other columns of the record, in the order in which it is read.
    const COLUMNS: &'static [&'static str];

    /// How many of the first of them keep the value that they are created with.
    const FIXED: usize = 0;

    /// Columns that the record does not show. Only writes set them.
    const HIDDEN: &'static [&'static str] = &[];

    /// The error code if the path of a request names none of the records.
    const NOT_FOUND: ErrorCode;

    /// The id.
    fn id(&self) -> i64;

    /// The values of the other columns.
    fn values(&self) -> Vec<Value>;

    /// The conditions of a list as those of the indexes that SQLite has.
    fn filters_on_sqlite(filters: Filters) -> Filters {
        filters
    }
}

/// The statements of a table.
pub struct Statements<T>(std::marker::PhantomData<T>);

impl<T: Table> Statements<T> {
    const LIST_SQL: &'static Sql = &push_list(Sql::EMPTY.push("SELECT id"), T::COLUMNS)
        .push(" FROM ")
        .push(T::NAME);
    const FIND_SQL: &'static Sql = &Sql::EMPTY.push(Self::LIST).push(" WHERE id = $1");
    const LOCK_SQL: &'static Sql = &Sql::EMPTY.push(Self::FIND).push(" FOR UPDATE");
    const SHARE_SQL: &'static Sql = &Sql::EMPTY.push(Self::FIND).push(" FOR KEY SHARE");
    const DELETE_SQL: &'static Sql = &Sql::EMPTY
        .push("DELETE FROM ")
        .push(T::NAME)
        .push(" WHERE id = $1");
    const INSERT_SQL: &'static Sql = &insert(T::NAME, T::COLUMNS, T::HIDDEN);
    const UPDATE_SQL: &'static Sql = &update(T::NAME, T::COLUMNS, T::FIXED, T::HIDDEN);

    pub const LIST: &'static str = Self::LIST_SQL.as_str();
    pub const FIND: &'static str = Self::FIND_SQL.as_str();
    pub const LOCK: &'static str = Self::LOCK_SQL.as_str();
    pub const SHARE: &'static str = Self::SHARE_SQL.as_str();
    pub const DELETE: &'static str = Self::DELETE_SQL.as_str();
    pub const INSERT: &'static str = Self::INSERT_SQL.as_str();
    pub const UPDATE: &'static str = Self::UPDATE_SQL.as_str();
}

/// The column of a field, which a keyword of Rust begins with `r#`. Statements quote it, as it may be a word of SQL.
pub const fn column(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}

/// Appends a comma and a name for each column.
const fn push_list(mut sql: Sql, columns: &[&str]) -> Sql {
    let mut at = 0;
    while at < columns.len() {
        sql = sql.push(", \"").push(columns[at]).push("\"");
        at += 1;
    }
    sql
}

const fn insert(table: &str, columns: &[&str], hidden: &[&str]) -> Sql {
    let names = push_list(push_list(Sql::<1024>::EMPTY, columns), hidden);
    let mut sql = Sql::EMPTY.push("INSERT INTO ").push(table).push(" (");
    sql = sql.push(names.as_str().split_at(2).1).push(") VALUES ($1");
    let mut number = 2;
    while number <= columns.len() + hidden.len() {
        sql = sql.push(", ").push_parameter(number);
        number += 1;
    }
    sql.push(") RETURNING id")
}

const fn update(table: &str, columns: &[&str], fixed: usize, hidden: &[&str]) -> Sql {
    let mut sql = Sql::EMPTY.push("UPDATE ").push(table);
    let mut number = 0;
    while number < columns.len() - fixed + hidden.len() {
        let at = fixed + number;
        sql = sql.push(match number {
            0 => " SET \"",
            _ => ", \"",
        });
        sql = sql.push(if at < columns.len() {
            columns[at]
        } else {
            hidden[at - columns.len()]
        });
        number += 1;
        sql = sql.push("\" = ").push_parameter(number);
    }
    sql.push(" WHERE id = ").push_parameter(number + 1)
}

/// Describes the table of a record whose properties are the columns, beside `id`. After `from` is a body with the same properties.
///
/// ```ignore
/// table!(Review from NewReview in "reviews", ReviewNotFound { pet_id, visited_on, stars, text });
/// ```
macro_rules! table {
    ($record:ident $(from $new:ident)? in $name:literal, $not_found:ident { $($column:ident),* $(,)? }
     $(fixed $fixed:literal)? $(hidden $hidden:literal)? $(; $($item:item)*)?) => {
        impl $crate::store::Record for $record {
            fn set_id(&mut self, id: i64) {
                self.id = id;
            }
        }

        $crate::store::table::body!($record $(from $new)? { $($column),* });

        impl $crate::store::FromRow for $record {
            fn from_row(row: &impl $crate::store::Row) -> Result<Self, dropspec_store::EngineError> {
                let mut columns = 1..;
                let mut next = || columns.next().unwrap_or_default();
                Ok(Self {
                    id: row.get(0)?,
                    $($column: row.column(next())?),*
                })
            }
        }

        impl $crate::store::Table for $record {
            const NAME: &'static str = $name;
            const COLUMNS: &'static [&'static str] = &[$($crate::store::column(stringify!($column))),*];
            $(const FIXED: usize = $fixed;)?
            $(const HIDDEN: &'static [&'static str] = &[$hidden];)?
            const NOT_FOUND: petstore_api::ErrorCode = petstore_api::ErrorCode::$not_found;

            fn id(&self) -> i64 {
                self.id
            }

            fn values(&self) -> Vec<$crate::store::Value> {
                let Self { id: _, $($column),* } = self;
                vec![$($crate::store::Column::to_value($column)),*]
            }

            $($($item)*)?
        }
    };
}

macro_rules! body {
    ($record:ident { $($column:ident),* }) => {};
    ($record:ident from $new:ident { $($column:ident),* }) => {
        impl $crate::store::Body<$record> for $new {
            fn to_record(&self) -> $record {
                let Self { $($column),* } = self.clone();
                $record { id: 0, $($column),* }
            }
        }
    };
}

pub(crate) use {body, table};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_may_be_words_of_rust_and_sql() {
        let columns = ["type", "order"];
        assert_eq!(["r#type", "order"].map(column), columns);
        let expected = r#"INSERT INTO t ("type", "order") VALUES ($1, $2) RETURNING id"#;
        assert_eq!(insert("t", &columns, &[]).as_str(), expected);
        let expected = r#"UPDATE t SET "order" = $1, "key" = $2 WHERE id = $3"#;
        assert_eq!(update("t", &columns, 1, &["key"]).as_str(), expected);
    }
}
