//! Copies all rows from one database to another, compares both, and finishes the copy.
//!
//! Rows are read in the order of their key, and each batch is inserted whole. So what an interrupted copy has of a table is
//! the beginning of the source's rows, and the number of its rows says where to go on.

use engine_types::EngineError;
use engine_types::transfer::{Checksum, Checksums, Progress, Row, Side, Table, Value};
use thiserror::Error;

use super::plan::plan;
use super::progress::Step;

/// Is called with what is done, the table, and how many of its rows are done.
pub(super) type Watch<'a> = &'a dyn Fn(Step, &str, u64);

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
    /// In one run.
    Copied,
    /// In several runs.
    Resumed,
    /// Rows of an earlier run were deleted, as the source has changed since.
    Restarted,
    /// An earlier run had finished it. Nothing was changed.
    WasComplete,
}

/// A complete copy.
#[derive(Debug)]
pub(super) struct Copied {
    pub(super) outcome: Outcome,
    pub(super) tables: Vec<CopiedTable>,
}

/// A table that is equal in both databases.
#[derive(Debug)]
pub(super) struct CopiedTable {
    pub(super) name: String,
    pub(super) checksum: Checksum,
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
        "the source changes while it is copied; stop what writes to it, then run the same command again"
    )]
    Changed,

    #[error(
        "the table {table} of the target differs from that of the source: {target} instead of {from}"
    )]
    Differs {
        table: String,
        from: String,
        target: String,
    },

    #[error("the copy was interrupted; run the same command again, which goes on")]
    Interrupted(#[from] EngineError),
}

/// Copies all tables from `source` to `target`, which held this `progress` when it was opened.
///
/// # Errors
///
/// If there is no complete copy. What was copied stays, unless there is nothing to go on with.
pub(super) async fn copy(
    source: &impl Side,
    target: impl Side,
    progress: Progress,
    watch: Watch<'_>,
) -> Result<Copied, CopyError> {
    let tables = plan(&source.tables().await?, &target.tables().await?);
    let tables = tables.map_err(CopyError::Tables)?;
    if progress == Progress::Complete {
        let compared = compare(source, &target, &tables, watch).await;
        return match compared {
            Ok(tables) => Ok(Copied {
                outcome: Outcome::WasComplete,
                tables,
            }),
            Err(CopyError::Differs { .. }) => Err(CopyError::NotEmpty),
            Err(error) => Err(error),
        };
    }
    check_values(source, &tables, watch).await?;
    let mut outcome = Outcome::Resumed;
    if progress == Progress::New {
        target.begin(&tables).await?;
        outcome = Outcome::Copied;
    }
    if !fill(source, &target, &tables, watch).await? {
        target.begin(&tables).await?;
        outcome = Outcome::Restarted;
        if !fill(source, &target, &tables, watch).await? {
            return Err(CopyError::Changed);
        }
    }
    for table in &tables {
        let last = source.last_id(table).await?;
        target.set_last_id(table, last).await?;
    }
    let compared = compare(source, &target, &tables, watch).await?;
    target.finish(&tables).await?;
    Ok(Copied {
        outcome,
        tables: compared,
    })
}

/// Checks that both engines can store all values, before any is copied.
async fn check_values(
    source: &impl Side,
    tables: &[Table],
    watch: Watch<'_>,
) -> Result<(), CopyError> {
    let mut refused = Vec::new();
    let mut left_out = 0;
    for table in tables {
        let mut rows = 0;
        let check = async |row: Row| {
            rows += 1;
            watch(Step::Check, &table.name, rows);
            for (column, value) in table.columns.iter().zip(&row) {
                let Some(reason) = column.kind.refusal(value) else {
                    continue;
                };
                if refused.len() < SHOWN_VALUES {
                    refused.push(format!(
                        "{}: {} {reason}",
                        name_row(table, &row),
                        column.name
                    ))
                } else {
                    left_out += 1
                }
            }
            Ok::<(), CopyError>(())
        };
        source.read_rows(table, check).await?;
    }
    if left_out > 0 {
        refused.push(format!("and {left_out} more values"));
    }
    if refused.is_empty() {
        Ok(())
    } else {
        Err(CopyError::Values(refused))
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

/// Copies the rows that the target lacks. Returns whether those that it had are still the first ones of the source.
async fn fill(
    source: &impl Side,
    target: &impl Side,
    tables: &[Table],
    watch: Watch<'_>,
) -> Result<bool, CopyError> {
    for table in tables {
        if !fill_table(source, target, table, watch).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn fill_table(
    source: &impl Side,
    target: &impl Side,
    table: &Table,
    watch: Watch<'_>,
) -> Result<bool, CopyError> {
    let had = checksum(target, table, watch).await?;
    let mut seen = Checksums::default();
    let mut is_same = had == seen.current();
    let mut batch = Vec::new();
    let mut size = 0;
    let copy = async |row: Row| {
        seen.add(&row);
        watch(Step::Copy, &table.name, seen.rows());
        if seen.rows() <= had.rows {
            is_same = seen.rows() == had.rows && seen.current() == had;
            return Ok(());
        }
        if !is_same {
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
    Ok(is_same)
}

/// Reads all tables of both databases, and checks that they are equal.
async fn compare(
    source: &impl Side,
    target: &impl Side,
    tables: &[Table],
    watch: Watch<'_>,
) -> Result<Vec<CopiedTable>, CopyError> {
    let mut compared = Vec::new();
    for table in tables {
        let (from, checksum) = (
            checksum(source, table, watch).await?,
            checksum(target, table, watch).await?,
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
            checksum,
            next_id: given.map(|id| id + 1),
        });
    }
    Ok(compared)
}

async fn checksum(
    side: &impl Side,
    table: &Table,
    watch: Watch<'_>,
) -> Result<Checksum, EngineError> {
    let mut checksums = Checksums::default();
    let add = async |row: Row| {
        checksums.add(&row);
        watch(Step::Compare, &table.name, checksums.rows());
        Ok::<(), EngineError>(())
    };
    side.read_rows(table, add).await?;
    Ok(checksums.current())
}

#[cfg(test)]
mod tests;
