//! List queries composed of the given filters, so that each combination can use its own index.

use tokio_postgres::types::ToSql;

use crate::postgres::db::Db;
use crate::postgres::row::Row;
use crate::{EngineError, Page, PageRequest};

/// Builds and runs the SQL query for a page of a list, with a condition for each filter that is given. The SQL consists
/// of literals of the program; input is bound as parameters.
pub struct Select {
    conditions: String,
    values: Vec<Box<dyn ToSql + Send + Sync>>,
}

impl Select {
    /// Creates a query from its start, `SELECT … FROM …`. The table must have a column `id`.
    pub fn new(from: &'static str) -> Select {
        Select {
            conditions: format!("{from} WHERE id > $1"),
            values: Vec::new(),
        }
    }

    /// Selects only rows whose `column` is `value`; `None` adds no condition.
    pub fn where_equal(
        mut self,
        column: &'static str,
        value: Option<impl ToSql + Send + Sync + 'static>,
    ) -> Select {
        if let Some(value) = value {
            self.values.push(Box::new(value));
            // The first two parameters are those of the page.
            let number = self.values.len() + 2;
            self.conditions
                .push_str(&format!(" AND \"{column}\" = ${number}"));
        }
        self
    }

    /// Runs the query, and returns the page of rows that `page` requests, each converted by `from_row`.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub async fn page<T>(
        self,
        db: &Db,
        page: PageRequest,
        from_row: impl Fn(&Row) -> Result<T, EngineError>,
    ) -> Result<Page<T>, EngineError> {
        // One more than requested shows whether more items follow.
        let limit = page.effective_limit() as i64 + 1;
        let sql = format!("{} ORDER BY id LIMIT $2", self.conditions);
        let mut values: Vec<&(dyn ToSql + Sync)> = vec![&page.after, &limit];
        values.extend(
            self.values
                .iter()
                .map(|value| &**value as &(dyn ToSql + Sync)),
        );
        let [rows] = db.query_all([(sql.as_str(), values.as_slice())]).await?;
        let items = rows.iter().map(from_row).collect::<Result<Vec<T>, _>>()?;
        Ok(Page::from_items(items, page))
    }
}
