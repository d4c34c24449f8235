//! List queries composed of the given filters, so that each combination can use its own index.

use rusqlite::types::ToSql;
use rusqlite::{Connection, Row};

use crate::{EngineError, Page, PageRequest};

/// Builds and runs the SQL query for a page of a list, with a condition for each filter that is given. The SQL consists
/// of literals of the program; input is bound as parameters.
pub struct Select {
    conditions: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Select {
    /// Creates a query from its start, `SELECT … FROM …`. The table must have a column `id`.
    pub fn new(from: &'static str) -> Select {
        Select {
            conditions: format!("{from} WHERE id > ?"),
            values: Vec::new(),
        }
    }

    /// Selects only rows whose `column` is `value`; `None` adds no condition.
    pub fn where_equal(
        mut self,
        column: &'static str,
        value: Option<impl ToSql + 'static>,
    ) -> Select {
        if let Some(value) = value {
            self.conditions.push_str(" AND \"");
            self.conditions.push_str(column);
            self.conditions.push_str("\" = ?");
            self.values.push(Box::new(value));
        }
        self
    }

    /// Runs the query, and returns the page of rows that `page` requests, each converted by `from_row`.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn page<T>(
        self,
        db: &Connection,
        page: PageRequest,
        from_row: impl FnMut(&Row<'_>) -> Result<T, EngineError>,
    ) -> Result<Page<T>, EngineError> {
        // One more than requested shows whether more items follow.
        let limit = page.effective_limit() as i64 + 1;
        let mut statement = db.prepare_cached(&self.sql())?;
        let values = std::iter::once(&page.after as &dyn ToSql)
            .chain(self.values.iter().map(|value| &**value))
            .chain(std::iter::once(&limit as &dyn ToSql));
        let rows = statement.query_and_then(rusqlite::params_from_iter(values), from_row)?;
        let items = rows.collect::<Result<Vec<T>, EngineError>>()?;
        Ok(Page::from_items(items, page))
    }

    /// Returns the SQL of the query, with `?` for each parameter.
    pub fn sql(&self) -> String {
        // SQLite compiles a statement anew whenever the parameter of `LIMIT ?` is bound; not so that of `+?`.
        format!("{} ORDER BY id LIMIT +?", self.conditions)
    }
}
