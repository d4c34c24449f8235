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
        self,
        db: &Connection,
        page: PageRequest,
        from_row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Page<T>, StoreError> {
        // One more than asked for tells whether there is more.
        let limit = page.bound() as i64 + 1;
        let mut statement = db.prepare_cached(&self.text())?;
        let values = std::iter::once(&page.after as &dyn ToSql)
            .chain(self.values.iter().map(|value| &**value))
            .chain(std::iter::once(&limit as &dyn ToSql));
        let rows = statement.query_map(rusqlite::params_from_iter(values), from_row)?;
        Ok(Page::of(rows.collect::<rusqlite::Result<Vec<T>>>()?, page))
    }

    fn text(&self) -> String {
        format!("{} ORDER BY id LIMIT ?", self.sql)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::store::open;

    #[test]
    fn every_combination_of_filters_has_an_index_that_gives_the_order_of_ids() {
        let db = open::in_memory().unwrap();
        let tables: [(&'static str, &[&[&'static str]]); 3] = [
            ("SELECT id FROM categories", &[&[]]),
            (
                "SELECT id, name FROM pets",
                &[
                    &[],
                    &["id"],
                    &["category_id"],
                    &["status"],
                    &["category_id", "status"],
                ],
            ),
            (
                "SELECT id, quantity FROM orders",
                &[&[], &["pet_id"], &["complete"], &["pet_id", "complete"]],
            ),
        ];
        for (from, combinations) in tables {
            for columns in combinations {
                let select = columns.iter().fold(Select::new(from), |select, column| {
                    select.equal(column, Some(1))
                });
                let plan = plan(&db, &select.text());
                let searched: usize = columns
                    .iter()
                    .filter(|column| plan.contains(&format!("{column}=?")))
                    .count();
                assert_eq!(
                    searched,
                    columns.len(),
                    "{columns:?} of {from} are not searched by: {plan}"
                );
                assert!(plan.starts_with("SEARCH"), "{columns:?} of {from}: {plan}");
                assert!(
                    !plan.contains("TEMP B-TREE"),
                    "{columns:?} of {from} are sorted: {plan}"
                );
            }
        }
    }

    fn plan(db: &Connection, sql: &str) -> String {
        let mut explain = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let lines = explain.raw_query();
        let lines: Vec<String> = lines
            .mapped(|row| row.get("detail"))
            .map(Result::unwrap)
            .collect();
        lines.join("; ")
    }
}
