//! What a copy to another engine reads and writes: tables as data, rows of plain values, and their checksums.
//!
//! A database is one *side* of a copy. Each engine implements [`Side`]; what is copied is decided elsewhere.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::error::EngineError;

/// The table that an engine itself writes. It is not part of a copy.
pub const APPLIED_MIGRATIONS: &str = "applied_migrations";

/// A table whose rows are copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns in the order of their names, without those that the database computes.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it stores.
    pub kind: Kind,
    /// Whether it is a part of the primary key.
    pub is_key: bool,
}

/// What a column stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// A database from or to which rows are copied, in one transaction of its engine.
///
/// Only generic code calls it, on one thread, so its futures need not be `Send`.
#[allow(async_fn_in_trait)]
pub trait Side {
    /// Its tables without [`APPLIED_MIGRATIONS`], each after those that it references.
    ///
    /// # Errors
    ///
    /// If they cannot be read, or have columns that cannot be copied.
    async fn tables(&self) -> Result<Vec<Table>, EngineError>;

    /// Calls `each` with all rows of a table, in any order.
    ///
    /// # Errors
    ///
    /// That of `each`, or if the rows cannot be read.
    async fn read_rows(
        &self,
        table: &Table,
        each: impl AsyncFnMut(Row) -> Result<(), EngineError>,
    ) -> Result<(), EngineError>;

    /// Inserts rows.
    ///
    /// # Errors
    ///
    /// If they cannot be stored.
    async fn insert(&self, table: &Table, rows: &[Row]) -> Result<(), EngineError>;

    /// The largest id that the table has ever given; 0 if it has given none, or does not remember it.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    async fn last_id(&self, table: &Table) -> Result<i64, EngineError>;

    /// Sees to it that the table gives no id up to `last`, nor one that it has.
    ///
    /// # Errors
    ///
    /// If that cannot be stored.
    async fn set_last_id(&self, table: &Table, last: i64) -> Result<(), EngineError>;
}

impl Table {
    /// Makes tables of their columns: the name of the table, that of the column, its type in SQL, and whether it is a part of
    /// the primary key. The columns of a table follow each other.
    ///
    /// # Errors
    ///
    /// If a column has a type that cannot be copied.
    pub fn group_columns(
        columns: impl IntoIterator<Item = (String, String, String, bool)>,
    ) -> Result<Vec<Table>, EngineError> {
        let mut tables: Vec<Table> = Vec::new();
        for (table, name, declared, is_key) in columns {
            let kind = Kind::of_type(&declared).ok_or_else(|| {
                let message = format!("{table}.{name} is {declared}, which cannot be copied");
                EngineError::internal(message)
            })?;
            if tables.last().is_none_or(|last| last.name != table) {
                tables.push(Table {
                    name: table,
                    columns: Vec::new(),
                });
            }
            if let Some(table) = tables.last_mut() {
                table.columns.push(Column { name, kind, is_key });
            }
        }
        Ok(tables)
    }

    /// The name of the table in SQL.
    pub fn quoted(&self) -> String {
        quote(&self.name)
    }

    /// The names of the columns in SQL.
    pub fn column_list(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|it| quote(&it.name)).collect();
        names.join(", ")
    }
}

/// A name in SQL.
pub fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Kind {
    fn of_type(declared: &str) -> Option<Kind> {
        Some(match declared.to_ascii_lowercase().as_str() {
            "smallint" | "integer" | "int" | "bigint" => Kind::Integer,
            "boolean" => Kind::Boolean,
            "real" | "double precision" => Kind::Real,
            "text" | "character varying" => Kind::Text,
            "blob" | "bytea" => Kind::Bytes,
            _ => return None,
        })
    }
}

impl Value {
    /// Its type and bytes, different for any two values.
    fn encode(&self) -> (u8, Vec<u8>) {
        match self {
            Value::Null => (0, Vec::new()),
            Value::Integer(number) => (1, number.to_be_bytes().to_vec()),
            // SQLite stores -0.0 as 0.0.
            Value::Real(number) => (2, (number + 0.0).to_bits().to_be_bytes().to_vec()),
            Value::Text(text) => (3, text.as_bytes().to_vec()),
            Value::Bytes(bytes) => (4, bytes.clone()),
        }
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

/// The number of rows of a table, and the sum of their hashes, so that their order does not matter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksum {
    /// The number of rows.
    pub rows: u64,
    sum: [u64; 4],
}

impl Checksum {
    /// Adds a row.
    pub fn add(&mut self, row: &[Value]) {
        let mut hash = Sha256::new();
        for value in row {
            // With its length, so that values cannot run into each other.
            let (kind, bytes) = value.encode();
            hash.update([kind]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        self.rows += 1;
        for (sum, part) in self.sum.iter_mut().zip(hash.finalize().as_chunks().0) {
            *sum = sum.wrapping_add(u64::from_be_bytes(*part));
        }
    }
}

/// The sum in hexadecimal digits.
impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sum
            .iter()
            .try_for_each(|part| write!(f, "{part:016x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checksum(rows: &[&[Value]]) -> Checksum {
        let mut checksum = Checksum::default();
        rows.iter().for_each(|row| checksum.add(row));
        checksum
    }

    #[test]
    fn only_rows_that_differ_have_other_checksums() {
        let text = |text: &str| Value::Text(text.to_owned());
        let all = [
            checksum(&[]),
            checksum(&[&[Value::Null]]),
            checksum(&[&[Value::Null], &[Value::Null]]),
            checksum(&[&[Value::Integer(1)]]),
            checksum(&[&[Value::Real(1.0)]]),
            checksum(&[&[text("1")]]),
            checksum(&[&[Value::Bytes(b"1".to_vec())]]),
            checksum(&[&[text("ab"), text("c")]]),
            checksum(&[&[text("a"), text("bc")]]),
            checksum(&[&[text("c"), text("ab")]]),
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one), "{index}");
        }
        let [one, two] = [[text("a")], [text("b")]];
        assert_eq!(checksum(&[&one, &two]), checksum(&[&two, &one]));
        let zeros = [0.0, -0.0].map(|zero| checksum(&[&[Value::Real(zero)]]));
        assert_eq!(zeros[0], zeros[1]);
    }
}
