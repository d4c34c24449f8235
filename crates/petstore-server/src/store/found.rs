//! What a write has read, as the rules find it.

use petstore_api::ErrorCode;
use rusqlite::{Connection, params_from_iter};

use crate::rule_violation::RuleViolation;
use crate::store::row::{FromRow, Statement};
use crate::store::table::Table;
use crate::store::{EngineError, StoreError};

/// What the statements find that a write reads: a row of each, in their order.
#[derive(Debug)]
pub struct Found<'a> {
    results: Results<'a>,
    next: usize,
    /// The statement whose row was taken out of order.
    taken: Option<usize>,
}

#[derive(Debug)]
pub(super) enum Results<'a> {
    /// SQLite runs each statement when its row is read.
    Sqlite(&'a Connection, &'a [Statement]),
    #[cfg(feature = "postgres")]
    Postgres(Vec<Vec<dropspec_store::postgres::Row>>),
}

impl<'a> Found<'a> {
    pub(super) fn new(results: Results<'a>) -> Found<'a> {
        Found {
            results,
            next: 0,
            taken: None,
        }
    }

    /// The first row of the next statement, if it has returned one.
    pub fn next_row<T: FromRow>(&mut self) -> Result<Option<T>, EngineError> {
        self.next += usize::from(self.taken == Some(self.next));
        self.next += 1;
        self.at(self.next - 1)
    }

    /// The first row of the statement at this place, which [`Found::next_row`] leaves out then.
    pub(super) fn take<T: FromRow>(&mut self, place: usize) -> Result<Option<T>, EngineError> {
        self.taken = Some(place);
        self.at(place)
    }

    fn at<T: FromRow>(&self, place: usize) -> Result<Option<T>, EngineError> {
        let missing = || EngineError::internal("no statement is left");
        match &self.results {
            Results::Sqlite(db, statements) => {
                run_on_sqlite(db, statements.get(place).ok_or_else(missing)?)
            }
            #[cfg(feature = "postgres")]
            Results::Postgres(results) => first_of(results.get(place).ok_or_else(missing)?),
        }
    }
}

impl Found<'_> {
    /// The record that a body refers to, for which the next statement is [`find_referenced`](super::find_referenced).
    ///
    /// # Errors
    ///
    /// The violation `unknown`, such as `unknown_pet`, if it is not there.
    pub fn referenced<T: Table>(&mut self, id: i64, unknown: ErrorCode) -> Result<T, StoreError> {
        let record = self.next_row()?;
        record.ok_or_else(|| RuleViolation::unknown(unknown, id).into())
    }

    /// Checks that the next statement has found no record but the one with this id, which is replaced.
    ///
    /// # Errors
    ///
    /// A violation with this code, and with the message for the id of the record that is found.
    pub fn unique(
        &mut self,
        id: Option<i64>,
        code: ErrorCode,
        message: impl FnOnce(i64) -> String,
    ) -> Result<(), StoreError> {
        let other = self.next_row()?.filter(|other| Some(*other) != id);
        other.map_or(Ok(()), |other| {
            Err(RuleViolation::new(code, message(other)).into())
        })
    }
}

/// Runs a statement to its end, and reads its first row.
pub(super) fn run_on_sqlite<T: FromRow>(
    db: &Connection,
    statement: &Statement,
) -> Result<Option<T>, EngineError> {
    let mut prepared = db.prepare_cached(statement.sqlite)?;
    let mut rows = prepared.query(params_from_iter(&statement.parameters))?;
    let first = rows.next()?.map(T::from_row).transpose()?;
    while rows.next()?.is_some() {}
    Ok(first)
}

#[cfg(feature = "postgres")]
/// The first row, if there is one.
pub(super) fn first_of<T: FromRow>(
    rows: &[dropspec_store::postgres::Row],
) -> Result<Option<T>, EngineError> {
    rows.first().map(T::from_row).transpose()
}
