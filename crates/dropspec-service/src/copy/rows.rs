//! Copies all rows from one database to another, and compares both.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use dropspec_store::EngineError;
use dropspec_store::transfer::{Checksum, Column, Kind, Row, Side, Table, Value};
use serde::Serialize;

/// The largest number of rows that are inserted at a time.
const BATCH_ROWS: usize = 1_000;

/// The columns that only one engine has. What is in them means nothing to the other: on PostgreSQL no credit is given, and
/// servers that have stopped hold no leases.
const OF_ONE_ENGINE: [&str; 3] = ["credit.", "usage.leased", "usage.leases"];

/// A table that is equal in both databases.
#[derive(Debug, Serialize)]
pub(super) struct CopiedTable {
    pub(super) name: String,
    pub(super) rows: u64,
    pub(super) checksum: String,
    /// The id that the target gives next.
    pub(super) next_id: i64,
}

pub(super) async fn copy_rows(source: &impl Side, target: &impl Side) -> Result<Vec<CopiedTable>> {
    let mut copied = Vec::new();
    for table in plan(source.tables().await?, target.tables().await?)? {
        let inserted = fill(source, target, &table).await?;
        target
            .set_last_id(&table, source.last_id(&table).await?)
            .await?;
        let mut stored = Checksum::default();
        let add = async |row: Row| {
            stored.add(&row);
            Ok(())
        };
        target.read_rows(&table, add).await?;
        ensure!(
            stored == inserted,
            "the table {} of the target differs from that of the source: {} rows with checksum {stored} instead of {} with {inserted}",
            table.name,
            stored.rows,
            inserted.rows
        );
        copied.push(CopiedTable {
            rows: stored.rows,
            checksum: stored.to_string(),
            next_id: target.last_id(&table).await?.saturating_add(1),
            name: table.name,
        });
    }
    Ok(copied)
}

/// The tables to copy, in the order of the target, with the columns that both databases have.
///
/// # Errors
///
/// Everything in which the databases differ: what only one of them has would be lost.
fn plan(source: Vec<Table>, mut target: Vec<Table>) -> Result<Vec<Table>> {
    let mut differences = Vec::new();
    let mut unpaired: BTreeMap<String, Kind> = BTreeMap::new();
    for table in &source {
        let columns = table.columns.iter();
        unpaired.extend(columns.map(|it| (format!("{}.{}", table.name, it.name), it.kind)));
    }
    let is_of_one = |path: &str| OF_ONE_ENGINE.iter().any(|it| path.starts_with(it));
    for Table { name, columns } in &mut target {
        let mut pair = |column: &mut Column| {
            let path = format!("{name}.{}", column.name);
            match unpaired.remove(&path) {
                Some(kind) if kind == column.kind => {}
                // SQLite has no booleans.
                Some(Kind::Integer | Kind::Boolean)
                    if matches!(column.kind, Kind::Integer | Kind::Boolean) =>
                {
                    column.kind = Kind::Boolean;
                }
                Some(_) => differences.push(format!("{path} has another type in the target")),
                None if is_of_one(&path) => {}
                None => differences.push(format!("the source has no column {path}")),
            }
            !is_of_one(&path)
        };
        columns.retain_mut(&mut pair);
    }
    let lost = unpaired.into_keys().filter(|path| !is_of_one(path));
    differences.extend(lost.map(|path| format!("the target has no column {path}")));
    ensure!(
        differences.is_empty(),
        "their tables differ: {}",
        differences.join("; ")
    );
    target.retain(|table| !table.columns.is_empty());
    Ok(target)
}

/// Copies the rows of a table in batches, and returns their checksum.
async fn fill(
    source: &impl Side,
    target: &impl Side,
    table: &Table,
) -> Result<Checksum, EngineError> {
    let (mut checksum, mut batch) = (Checksum::default(), Vec::new());
    let copy = async |row: Row| {
        check_values(table, &row)?;
        checksum.add(&row);
        batch.push(row);
        if batch.len() == BATCH_ROWS {
            target.insert(table, &batch).await?;
            batch.clear();
        }
        Ok(())
    };
    source.read_rows(table, copy).await?;
    if !batch.is_empty() {
        target.insert(table, &batch).await?;
    }
    Ok(checksum)
}

/// Names the row of a text that PostgreSQL cannot store. Other values that do not fit are refused by the target.
fn check_values(table: &Table, row: &[Value]) -> Result<(), EngineError> {
    for (column, value) in table.columns.iter().zip(row) {
        let reason = match (column.kind, value) {
            (Kind::Text, Value::Text(text)) if text.contains('\0') => {
                "contains the character U+0000, which PostgreSQL cannot store"
            }
            (Kind::Text, Value::Bytes(_)) => "is not valid UTF-8",
            _ => continue,
        };
        let values = table.columns.iter().zip(row).filter(|(it, _)| it.is_key);
        let key: Vec<String> = values
            .map(|(it, value)| format!("{} {value}", it.name))
            .collect();
        return Err(EngineError::internal(format!(
            "{} with {}: {} {reason}; change this record, then run the same command again",
            table.name,
            key.join(", "),
            column.name
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// A database with one table of texts, in memory.
    #[derive(Default)]
    struct Memory {
        rows: RefCell<Vec<Row>>,
        /// The text that it does not store.
        loses: Option<&'static str>,
    }

    fn memory(texts: &[&str]) -> Memory {
        let rows = texts.iter().map(|it| vec![Value::Text((*it).to_owned())]);
        Memory {
            rows: RefCell::new(rows.collect()),
            loses: None,
        }
    }

    impl Side for Memory {
        async fn tables(&self) -> Result<Vec<Table>, EngineError> {
            Ok(tables(&[("texts", "text", "text")]))
        }

        async fn read_rows(
            &self,
            _: &Table,
            mut each: impl AsyncFnMut(Row) -> Result<(), EngineError>,
        ) -> Result<(), EngineError> {
            let rows = self.rows.borrow().clone();
            for row in rows {
                each(row).await?;
            }
            Ok(())
        }

        async fn insert(&self, _: &Table, rows: &[Row]) -> Result<(), EngineError> {
            let lost = self.loses.map(|it| Value::Text(it.to_owned()));
            let stored = rows.iter().filter(|row| Some(&row[0]) != lost.as_ref());
            self.rows.borrow_mut().extend(stored.cloned());
            Ok(())
        }

        async fn last_id(&self, _: &Table) -> Result<i64, EngineError> {
            Ok(0)
        }

        async fn set_last_id(&self, _: &Table, _: i64) -> Result<(), EngineError> {
            Ok(())
        }
    }

    fn tables(columns: &[(&str, &str, &str)]) -> Vec<Table> {
        let columns = columns.iter().map(|(table, name, declared)| {
            let [table, name, declared] = [table, name, declared].map(|it| (*it).to_owned());
            (table, name, declared, true)
        });
        Table::group_columns(columns).unwrap()
    }

    #[tokio::test]
    async fn copy_that_differs_from_its_source_is_an_error() {
        let source = memory(&["a", "b", "c"]);
        let target = memory(&[]);
        let copied = copy_rows(&source, &target).await.unwrap();
        assert_eq!((copied[0].rows, target.rows.borrow().len()), (3, 3));
        for text in ["a", "c"] {
            let target = Memory {
                loses: Some(text),
                ..memory(&[])
            };
            let error = copy_rows(&source, &target).await.unwrap_err();
            assert!(error.to_string().contains("differs"), "{error}");
        }
        let unfit = copy_rows(&memory(&["x\0"]), &target).await.unwrap_err();
        let expected = "texts with text \"x\\0\": text contains the character U+0000";
        let cause = unfit.root_cause().to_string();
        assert!(cause.starts_with(expected), "{cause}");
    }

    #[test]
    fn everything_that_only_one_side_has_is_named() {
        let source = tables(&[
            ("a", "i", "INTEGER"),
            ("a", "x", "TEXT"),
            ("b", "i", "TEXT"),
        ]);
        let target = tables(&[("a", "i", "text"), ("a", "y", "text"), ("c", "i", "text")]);
        let expected = "their tables differ: a.i has another type in the target; the source has no column a.y; \
            the source has no column c.i; the target has no column a.x; the target has no column b.i";
        assert_eq!(plan(source, target).unwrap_err().to_string(), expected);
    }

    #[test]
    fn leases_and_credit_are_not_copied_and_booleans_are_those_of_postgres() {
        let sqlite = || tables(&[("credit", "i", "INTEGER"), ("usage", "is", "INTEGER")]);
        let postgres = || tables(&[("usage", "is", "boolean"), ("usage", "leases", "text")]);
        let expected = tables(&[("usage", "is", "boolean")]);
        assert_eq!(plan(sqlite(), postgres()).unwrap(), expected);
        assert_eq!(plan(postgres(), sqlite()).unwrap(), expected);
    }
}
