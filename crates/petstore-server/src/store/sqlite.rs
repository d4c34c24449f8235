//! The calls of the store on SQLite.

use dropspec_store::sqlite::{Select, run_idempotent};
use rusqlite::Connection;
use rusqlite::types::{FromSql, ToSql, ToSqlOutput, ValueRef};

use crate::store::found::{Results, run_on_sqlite};
use crate::store::row::{FromPostgres, FromRow, Row, Statement, Value};
use crate::store::{
    Created, Decide, EngineError, Filters, Found, IdempotentRequest, Page, PageRequest, Record,
    StoreError,
};

/// Reads the record that a statement finds by its id.
pub fn find<T: FromRow>(db: &Connection, sql: &str, id: i64) -> Result<Option<T>, EngineError> {
    let mut prepared = db.prepare_cached(sql)?;
    let mut rows = prepared.query([id])?;
    rows.next()?.map(T::from_row).transpose()
}

/// Reads a page of a list.
pub fn page<T: FromRow>(
    db: &Connection,
    from: &'static str,
    filters: Filters,
    page: PageRequest,
) -> Result<Page<T>, EngineError> {
    let filters = filters.into_iter();
    let select = filters.fold(Select::new(from), |select, (column, value)| {
        select.where_equal(column, Some(value))
    });
    select.page(db, page, |row| T::from_row(row))
}

/// Reads, decides and writes.
pub fn write<T: Record>(
    db: &Connection,
    request: Option<&IdempotentRequest>,
    reads: &[Statement],
    decide: &impl Decide<T>,
) -> Result<Created<T>, StoreError> {
    run_idempotent(db, request, || {
        let (writes, record) = decide(&mut Found::new(Results::Sqlite(db, reads)))?;
        let mut id = None;
        for statement in &writes {
            let last_id = || statement.returns_last_id().then(|| db.last_insert_rowid());
            id = run_on_sqlite(db, statement)?.or_else(last_id);
        }
        Ok(record.with_id(id))
    })
}

impl Row for rusqlite::Row<'_> {
    fn get<T: FromSql + FromPostgres>(&self, column: usize) -> Result<T, EngineError> {
        Ok(self.get(column)?)
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Value::Null => Ok(ToSqlOutput::Borrowed(ValueRef::Null)),
            Value::Integer(number) => number.to_sql(),
            Value::Real(number) => number.to_sql(),
            Value::Text(text) => text.to_sql(),
            Value::Boolean(value) => value.to_sql(),
        }
    }
}

#[cfg(test)]
mod tests {
    use dropspec_store::sqlite::{Engine, EngineConfig};
    use petstore_api::{DOCUMENT, Operation};

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

    /// The lists of the document: the table, and the parameters that filter it. A list has the name of its table.
    fn lists() -> Vec<(String, Vec<String>)> {
        let operations = Operation::ALL.iter().map(|it| it.info());
        let lists = operations.filter_map(|operation| {
            let names = (0..).map_while(|index| {
                let pointer = format!("{}/parameters/{index}", operation.pointer());
                let text = |name| DOCUMENT.find(&format!("{pointer}/{name}"))?.as_str();
                Some((text("name")?.to_owned(), text("in")?))
            });
            let names = names.filter(|(_, place)| *place == "query");
            let names: Vec<String> = names.map(|(name, _)| name).collect();
            let path = operation.path.rsplit('/').next()?;
            let is_list = names.iter().any(|it| it == "after");
            is_list.then(|| (path.replace('-', "_").replace("inventory", "pets"), names))
        });
        lists.collect()
    }

    /// The column of a parameter: `pet_id` for `petId`.
    fn column_of(parameter: &str) -> &'static str {
        let mut column = String::new();
        for letter in parameter.chars() {
            column.extend(letter.is_uppercase().then_some('_'));
            column.extend(letter.to_lowercase());
        }
        column.leak()
    }

    #[test]
    fn every_combination_of_filters_has_an_index_that_returns_rows_by_id() {
        let (_directory, engine) = open();
        let mut combinations = Vec::new();
        for (table, names) in lists() {
            let of_page = ["limit", "after"];
            let filters: Vec<&str> = names.iter().map(|it| column_of(it)).collect();
            let filters: Vec<_> = filters
                .into_iter()
                .filter(|it| !of_page.contains(it))
                .collect();
            for chosen in 0..1 << filters.len() {
                let columns = (0..filters.len()).filter(|place| chosen >> place & 1 == 1);
                combinations.push((table.clone(), columns.map(|it| filters[it]).collect()));
            }
        }
        // At most one row has an id. On SQLite, `Order::filters_on_sqlite` replaces the two of an order.
        let is_other = |columns: &Vec<_>| {
            columns.len() > 1 && (columns.contains(&"id") || columns.contains(&"complete"))
        };
        combinations.retain(|(_, columns)| !is_other(columns));
        for column in ["open_pet_id", "completed_pet_id"] {
            combinations.push(("orders".to_owned(), vec![column]));
        }
        assert!(combinations.len() > 10, "{combinations:?}");
        for (table, columns) in combinations {
            let from = format!("SELECT * FROM {table}").leak();
            let select = columns.iter().fold(Select::new(from), |select, column| {
                select.where_equal(column, Some(1))
            });
            let plan = query_plan(&engine, &select.sql());
            for column in &columns {
                let searched = plan.contains(&format!("{column}=?"));
                assert!(searched, "{column} of {table} is not searched by: {plan}");
            }
            assert!(plan.starts_with("SEARCH"), "{columns:?} of {table}: {plan}");
            let sorted = plan.contains("TEMP B-TREE");
            assert!(!sorted, "{columns:?} of {table} are sorted: {plan}");
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
