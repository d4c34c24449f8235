//! A list query put together from the filters that are given, so that each combination can use the index made for it.

use rusqlite::types::ToSql;
use rusqlite::{Connection, Row};

use crate::store::error::StoreError;
use crate::store::page::{Page, PageRequest};

/// A `SELECT` of rows with an `id`, in the making. Its text comes from this crate alone, never from a client.
pub(super) struct Select {
    sql: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Select {
    /// Starts from `SELECT … FROM …`.
    pub(super) fn new(from: &'static str) -> Select {
        Select {
            sql: format!("{from} WHERE id > ?"),
            values: Vec::new(),
        }
    }

    /// Keeps only rows whose `column` is `value`, if there is one.
    pub(super) fn equal(
        mut self,
        column: &'static str,
        value: Option<impl ToSql + 'static>,
    ) -> Select {
        if let Some(value) = value {
            self.sql.push_str(" AND ");
            self.sql.push_str(column);
            self.sql.push_str(" = ?");
            self.values.push(Box::new(value));
        }
        self
    }

    /// Runs the query for one page.
    pub(super) fn page<T>(
        mut self,
        db: &Connection,
        page: PageRequest,
        from_row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Page<T>, StoreError> {
        self.sql.push_str(" ORDER BY id LIMIT ?");
        // One more than asked for tells whether there is more.
        let limit = page.bound() as i64 + 1;
        let mut statement = db.prepare_cached(&self.sql)?;
        let values = std::iter::once(&page.after as &dyn ToSql)
            .chain(self.values.iter().map(|value| &**value))
            .chain(std::iter::once(&limit as &dyn ToSql));
        let rows = statement.query_map(rusqlite::params_from_iter(values), from_row)?;
        Ok(Page::of(rows.collect::<rusqlite::Result<Vec<T>>>()?, page))
    }
}
