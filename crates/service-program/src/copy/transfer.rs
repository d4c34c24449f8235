//! Copies all rows from one database to another, compares both, and finishes the copy.
//!
//! What an interrupted copy left is deleted, and the copy begins anew.

use std::io::{self, IsTerminal};

use engine_types::EngineError;
use engine_types::transfer::{Checksum, Checksums, Row, Side, Table, Value};
use thiserror::Error;

use super::plan::plan;

/// The largest number of rows that are inserted at a time.
const BATCH_ROWS: usize = 1_000;

/// About the largest size of the rows that are inserted at a time, in bytes.
const BATCH_SIZE: usize = 1 << 20;

/// The largest number of values that an error names.
const SHOWN_VALUES: usize = 10;

/// How a copy came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// By this run.
    Copied,
    /// An earlier run finished it. Nothing was changed.
    WasComplete,
}

/// A table that is equal in both databases.
#[derive(Debug, serde::Serialize)]
pub(super) struct CopiedTable {
    pub(super) name: String,
    pub(super) rows: u64,
    pub(super) sha256: String,
    /// The id that the target gives next, as far as it is known.
    pub(super) next_id: Option<i64>,
}

/// Why a database was not copied.
#[derive(Debug, Error)]
pub(super) enum CopyError {
    #[error("their tables differ: {}", .0.join("; "))]
    Tables(Vec<String>),

    #[error("{}; change these records, then run the same command again", .0.join("; "))]
    Values(Vec<String>),

    #[error("the target is not empty, and is no copy of the source as it is now; name a new one")]
    NotEmpty,

    #[error(
        "the table {table} of the target differs from that of the source: {target} instead of {from}"
    )]
    Differs {
        table: String,
        from: String,
        target: String,
    },

    #[error("the copy was interrupted; run the same command again, which begins anew")]
    Interrupted(#[from] EngineError),
}

/// Copies all tables from `source` to `target`, unless it `is_complete` already.
///
/// # Errors
///
/// If there is no complete copy.
pub(super) async fn copy(
    source: &impl Side,
    target: impl Side,
    is_complete: bool,
) -> Result<(Outcome, Vec<CopiedTable>), CopyError> {
    let tables = plan(&source.tables().await?, &target.tables().await?);
    let tables = tables.map_err(CopyError::Tables)?;
    if is_complete {
        return match compare(source, &target, &tables).await {
            Ok(tables) => Ok((Outcome::WasComplete, tables)),
            Err(CopyError::Differs { .. }) => Err(CopyError::NotEmpty),
            Err(error) => Err(error),
        };
    }
    target.begin(&tables).await?;
    let mut refused = Refused::default();
    for table in &tables {
        report_progress("copying", table);
        fill(source, &target, table, &mut refused).await?;
    }
    refused.into_result()?;
    for table in &tables {
        let last = source.last_id(table).await?;
        target.set_last_id(table, last).await?;
    }
    let compared = compare(source, &target, &tables).await?;
    target.finish(&tables).await?;
    Ok((Outcome::Copied, compared))
}

/// Tells an operator who waits at a terminal what is done.
fn report_progress(step: &str, table: &Table) {
    if io::stderr().is_terminal() {
        eprintln!("{step} {}", table.name);
    }
}

/// The values that one of the engines cannot store.
#[derive(Default)]
struct Refused {
    named: Vec<String>,
    more: usize,
}

impl Refused {
    /// Adds the values of a row that are refused. Returns whether none is, in this row and all before.
    fn check(&mut self, table: &Table, row: &[Value]) -> bool {
        for (column, value) in table.columns.iter().zip(row) {
            let Some(reason) = column.kind.refusal(value) else {
                continue;
            };
            if self.named.len() < SHOWN_VALUES {
                let row = name_row(table, row);
                self.named.push(format!("{row}: {} {reason}", column.name));
            } else {
                self.more += 1;
            }
        }
        self.named.is_empty()
    }

    fn into_result(mut self) -> Result<(), CopyError> {
        if self.more > 0 {
            self.named.push(format!("and {} more values", self.more));
        }
        if self.named.is_empty() {
            Ok(())
        } else {
            Err(CopyError::Values(self.named))
        }
    }
}

/// Names a row by its table and its key, such as `pets with id 7`.
fn name_row(table: &Table, row: &[Value]) -> String {
    let values = table.columns.iter().zip(row);
    let key = values.filter(|(column, _)| table.key.contains(&column.name));
    let key: Vec<String> = key
        .map(|(column, value)| format!("{} {value}", column.name))
        .collect();
    if key.is_empty() {
        format!("a row of {}", table.name)
    } else {
        format!("{} with {}", table.name, key.join(", "))
    }
}

/// Copies the rows of a table in batches, until a value is refused.
async fn fill(
    source: &impl Side,
    target: &impl Side,
    table: &Table,
    refused: &mut Refused,
) -> Result<(), CopyError> {
    let mut batch = Vec::new();
    let mut size = 0;
    let copy = async |row: Row| {
        if !refused.check(table, &row) {
            return Ok(());
        }
        size += row.iter().map(Value::size).sum::<usize>();
        batch.push(row);
        if batch.len() == BATCH_ROWS || size >= BATCH_SIZE {
            target.insert(table, &batch).await?;
            batch.clear();
            size = 0;
        }
        Ok::<(), CopyError>(())
    };
    source.read_rows(table, copy).await?;
    if !batch.is_empty() {
        target.insert(table, &batch).await?;
    }
    Ok(())
}

/// Reads all tables of both databases, and checks that they are equal.
async fn compare(
    source: &impl Side,
    target: &impl Side,
    tables: &[Table],
) -> Result<Vec<CopiedTable>, CopyError> {
    let mut compared = Vec::new();
    for table in tables {
        report_progress("comparing", table);
        let (from, checksum) = (
            checksum(source, table).await?,
            checksum(target, table).await?,
        );
        let describe = |it: &Checksum| format!("{} rows with checksum {it}", it.rows);
        let differs = |from: String, target: String| CopyError::Differs {
            table: table.name.clone(),
            from,
            target,
        };
        if from != checksum {
            return Err(differs(describe(&from), describe(&checksum)));
        }
        let (last, given) = (source.last_id(table).await?, target.last_id(table).await?);
        if let (Some(last), Some(given)) = (last, given)
            && last != given
        {
            let describe = |id: i64| format!("last id {id}");
            return Err(differs(describe(last), describe(given)));
        }
        compared.push(CopiedTable {
            name: table.name.clone(),
            rows: checksum.rows,
            sha256: checksum.to_string(),
            next_id: given.map(|id| id + 1),
        });
    }
    Ok(compared)
}

async fn checksum(side: &impl Side, table: &Table) -> Result<Checksum, EngineError> {
    let mut checksums = Checksums::default();
    let add = async |row: Row| {
        checksums.add(&row);
        Ok::<(), EngineError>(())
    };
    side.read_rows(table, add).await?;
    Ok(checksums.current())
}

#[cfg(test)]
mod tests;
