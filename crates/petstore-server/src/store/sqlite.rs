//! The calls of the store on SQLite.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, params_from_iter};
use sqlite_engine::{Select, run_idempotent};

use crate::pet_status::PetStatus;
use crate::store::row::{FromPostgres, FromRow, Row, Statement, Value};
use crate::store::{
    Created, Decide, EngineError, Found, IdempotentRequest, Page, PageRequest, Record, StoreError,
};

/// How a statement ends that locks rows on PostgreSQL.
const LOCKS: [&str; 2] = [" FOR UPDATE", " FOR KEY SHARE"];

/// Reads the record that a statement finds by its id.
pub fn find<T: FromRow>(db: &Connection, sql: &str, id: i64) -> Result<Option<T>, EngineError> {
    let mut prepared = db.prepare_cached(sql)?;
    let mut rows = prepared.query([id])?;
    rows.next()?.map(T::from_row).transpose()
}

/// Runs a statement to its end, and reads its first row.
pub fn run<T: FromRow>(db: &Connection, statement: &Statement) -> Result<Option<T>, EngineError> {
    let sql = statement.sql;
    let without_lock = LOCKS.iter().find_map(|lock| sql.strip_suffix(lock));
    let mut prepared = db.prepare_cached(without_lock.unwrap_or(sql))?;
    let mut rows = prepared.query(params_from_iter(&statement.parameters))?;
    let first = rows.next()?.map(T::from_row).transpose()?;
    while rows.next()?.is_some() {}
    Ok(first)
}

/// Reads a page of a list, with a condition for each filter that has a value.
pub fn page<T: FromRow, const N: usize>(
    db: &Connection,
    from: &'static str,
    filters: [(&'static str, Value); N],
    page: PageRequest,
) -> Result<Page<T>, EngineError> {
    let filters = filters.into_iter();
    let select = filters.fold(Select::new(from), |select, (column, value)| {
        select.where_equal(column, (!matches!(value, Value::Null)).then_some(value))
    });
    select.page(db, page, |row| T::from_row(row))
}

/// Reads, decides and writes.
pub fn write<T: Record, const R: usize, const W: usize>(
    db: &Connection,
    request: Option<&IdempotentRequest>,
    reads: &[Statement; R],
    decide: &impl Decide<T, W>,
) -> Result<Created<T>, StoreError> {
    run_idempotent(db, request, || {
        let (writes, record) = decide(&mut Found::Sqlite(db, reads.iter()))?;
        let mut id = None;
        for statement in &writes {
            id = run(db, statement)?;
        }
        Ok(record.with_id(id))
    })
}

impl Row for rusqlite::Row<'_> {
    fn get<T: FromSql + FromPostgres>(&self, column: usize) -> Result<T, EngineError> {
        Ok(self.get(column)?)
    }
}

impl FromSql for PetStatus {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<PetStatus> {
        PetStatus::read(value.as_str()?).map_err(|error| FromSqlError::Other(error.into()))
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Value::Null => Ok(ToSqlOutput::Borrowed(ValueRef::Null)),
            Value::Integer(number) => number.to_sql(),
            Value::Text(text) => text.to_sql(),
            Value::Boolean(value) => value.to_sql(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sqlite_engine::{Engine, EngineConfig};

    use super::*;
    use crate::store::SCHEMA;

    fn open() -> (tempfile::TempDir, Engine) {
        let directory = tempfile::TempDir::new().unwrap();
        let config = EngineConfig::new(directory.path().join("db"));
        let engine = Engine::open(SCHEMA, &config).unwrap();
        (directory, engine)
    }

    #[test]
    fn first_migration_sets_the_application_id_of_the_schema() {
        let (_directory, engine) = open();
        let id = engine.read::<i32, EngineError>(|db| {
            Ok(db.query_row("PRAGMA application_id", [], |row| row.get(0))?)
        });
        assert_eq!(id.unwrap(), SCHEMA.application_id);
    }

    #[test]
    fn every_combination_of_filters_has_an_index_that_returns_rows_by_id() {
        let (_directory, engine) = open();
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
                &[
                    &[],
                    &["pet_id"],
                    &["complete"],
                    &["open_pet_id"],
                    &["completed_pet_id"],
                ],
            ),
        ];
        for (from, combinations) in tables {
            for columns in combinations {
                let select = columns.iter().fold(Select::new(from), |select, column| {
                    select.where_equal(column, Some(1))
                });
                let plan = query_plan(&engine, &select.sql());
                for column in *columns {
                    let searched = plan.contains(&format!("{column}=?"));
                    assert!(searched, "{column} of {from} is not searched by: {plan}");
                }
                assert!(plan.starts_with("SEARCH"), "{columns:?} of {from}: {plan}");
                let sorted = plan.contains("TEMP B-TREE");
                assert!(!sorted, "{columns:?} of {from} are sorted: {plan}");
            }
        }
    }

    fn query_plan(engine: &Engine, sql: &str) -> String {
        let plan = engine.read::<_, EngineError>(|db| {
            let mut explain = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
            let lines = explain.raw_query().mapped(|row| row.get("detail"));
            let lines: Vec<String> = lines.collect::<rusqlite::Result<_>>()?;
            Ok(lines.join("; "))
        });
        plan.unwrap()
    }
}
