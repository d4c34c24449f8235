//! What a copy to another engine reads and writes: tables as data, rows of plain values, and their checksums.
//!
//! A database is one *side* of a copy. Each engine implements [`Side`]; what is copied, and in which order, is decided
//! elsewhere.

mod checksum;
mod value;

pub use self::checksum::{Checksum, Checksums};
pub use self::value::{Kind, Row, Value};

use crate::error::EngineError;

/// The table that marks an unfinished copy.
pub const UNFINISHED_COPY: &str = "unfinished_copy";

/// The tables that an engine itself writes. They are not part of a copy.
pub const ENGINE_TABLES: [&str; 2] = ["applied_migrations", UNFINISHED_COPY];

/// A table whose rows are copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns, without those that the database computes.
    pub columns: Vec<Column>,
    /// The columns of the primary key; empty if there is none.
    pub key: Vec<String>,
    /// The tables that its foreign keys name.
    pub references: Vec<String>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it stores.
    pub kind: Kind,
}

/// A database from or to which rows are copied, locked against servers.
///
/// Only generic code calls it, on one thread, so its futures need not be `Send`.
#[allow(async_fn_in_trait)]
pub trait Side {
    /// Its tables, without [`ENGINE_TABLES`].
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    async fn tables(&self) -> Result<Vec<Table>, EngineError>;

    /// Calls `each` with all rows of a table, in the order of [`Table::order`].
    ///
    /// # Errors
    ///
    /// That of `each`, or if the rows cannot be read.
    async fn read_rows<E: From<EngineError>>(
        &self,
        table: &Table,
        each: impl AsyncFnMut(Row) -> Result<(), E>,
    ) -> Result<(), E>;

    /// The largest id that the table has ever given, if it gives each only once.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    async fn last_id(&self, table: &Table) -> Result<Option<i64>, EngineError>;

    /// Deletes all rows of an unfinished copy, and switches triggers off.
    ///
    /// # Errors
    ///
    /// If that fails; then nothing has changed.
    async fn begin(&self, tables: &[Table]) -> Result<(), EngineError>;

    /// Inserts all of these rows or none.
    ///
    /// # Errors
    ///
    /// If they cannot be stored, or if it is not known whether they are.
    async fn insert(&self, table: &Table, rows: &[Row]) -> Result<(), EngineError>;

    /// Sees to it that the table gives no id up to `last`, nor one that it has.
    ///
    /// # Errors
    ///
    /// If that cannot be stored.
    async fn set_last_id(&self, table: &Table, last: Option<i64>) -> Result<(), EngineError>;

    /// Makes a complete copy a database that servers accept.
    ///
    /// # Errors
    ///
    /// If it is not complete, or the mark of an unfinished copy could not be removed.
    async fn finish(self, tables: &[Table]) -> Result<(), EngineError>;
}

impl Table {
    /// The columns by which the rows are ordered: the primary key, or else all columns.
    pub fn order(&self) -> impl Iterator<Item = &Column> {
        let is_part = |column: &&Column| self.key.is_empty() || self.key.contains(&column.name);
        self.columns.iter().filter(is_part)
    }

    /// The column that holds the id of a row: an integer that is the whole key.
    pub fn id(&self) -> Option<&Column> {
        let mut order = self.order();
        let (first, second) = (order.next(), order.next());
        first.filter(|it| second.is_none() && !self.key.is_empty() && it.kind == Kind::Integer)
    }
}
