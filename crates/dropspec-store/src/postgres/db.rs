//! Statements on a connection: prepared once, and sent together where they do not depend on each other.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use deadpool_postgres::Object;
use futures::future::{BoxFuture, join_all, try_join_all};
use tokio_postgres::RowStream;
use tokio_postgres::types::ToSql;

use crate::EngineError;
use crate::postgres::row::Row;
use crate::postgres::sql_error::{Failure, classify, to_engine_error};

/// The SQL of a statement, and its parameters `$1`, `$2`, ….
pub type Statement<'a> = (&'a str, &'a [&'a (dyn ToSql + Sync)]);

/// The statements of a call: a function of its connection and its input. It may run several times, so it changes rows and
/// nothing else. It must return at its first error of the database, and neither commits nor rolls back.
pub trait Work<I, T, E>:
    for<'a> Fn(&'a Db, &'a I) -> BoxFuture<'a, Result<T, E>> + Send + Sync
{
}

impl<I, T, E, F> Work<I, T, E> for F where
    F: for<'a> Fn(&'a Db, &'a I) -> BoxFuture<'a, Result<T, E>> + Send + Sync
{
}

/// A connection on which the statements of a call run, in a transaction if the call is a write.
pub struct Db {
    connection: Object,
    /// The first [`Failure`] of a statement; 0 if there is none.
    failure: AtomicU8,
}

impl Db {
    pub(crate) fn new(connection: Object) -> Db {
        Db {
            connection,
            failure: AtomicU8::new(0),
        }
    }

    /// Runs a statement, and returns its rows.
    ///
    /// # Errors
    ///
    /// If it fails. In a transaction, no further statement can run then.
    pub async fn query(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, EngineError> {
        let [rows] = self.query_all([(sql, parameters)]).await?;
        Ok(rows)
    }

    /// Runs statements in their order, sent together: they take the time of one round trip to the server.
    ///
    /// # Errors
    ///
    /// That of the first one that fails.
    pub async fn query_all<const N: usize>(
        &self,
        statements: [Statement<'_>; N],
    ) -> Result<[Vec<Row>; N], EngineError> {
        let rows = self.query_list(&statements).await?;
        let missing = |_| EngineError::internal("a statement has no result");
        rows.try_into().map_err(missing)
    }

    /// Like [`Db::query_all`], for a number of statements that is not known before.
    ///
    /// # Errors
    ///
    /// That of the first one that fails.
    pub async fn query_list(
        &self,
        statements: &[Statement<'_>],
    ) -> Result<Vec<Vec<Row>>, EngineError> {
        // All are prepared first, as a statement that is not known yet would be overtaken by the next one.
        let prepared = statements
            .iter()
            .map(|(sql, _)| self.connection.prepare_cached(sql));
        let prepared = try_join_all(prepared).await;
        let prepared = prepared.map_err(|error| self.note(error))?;
        let runs = prepared.iter().zip(statements);
        // They are sent in this order, when they are polled for the first time.
        let runs =
            runs.map(|(statement, (_, parameters))| self.connection.query(statement, parameters));
        let to_rows = |found: Vec<_>| found.into_iter().map(Row).collect();
        let results = join_all(runs).await.into_iter();
        results
            .map(|found| found.map(to_rows).map_err(|error| self.note(error)))
            .collect()
    }

    /// Runs a statement once for each of these rows of parameters, in their order, sent together.
    ///
    /// # Errors
    ///
    /// That of the first one that fails.
    pub async fn query_each(
        &self,
        sql: &str,
        rows: &[Vec<&(dyn ToSql + Sync)>],
    ) -> Result<(), EngineError> {
        let prepared = self.connection.prepare_cached(sql).await;
        let statement = prepared.map_err(|error| self.note(error))?;
        let runs = rows
            .iter()
            .map(|row| self.connection.query(&statement, row));
        for result in join_all(runs).await {
            result.map_err(|error| self.note(error))?;
        }
        Ok(())
    }

    /// Runs a statement without parameters, and returns its rows as they arrive.
    pub(crate) async fn query_stream(&self, sql: &str) -> Result<RowStream, EngineError> {
        let none: [&(dyn ToSql + Sync); 0] = [];
        let rows = self.connection.query_raw(sql, none).await;
        rows.map_err(|error| self.note(error))
    }

    /// Runs SQL with several statements and without parameters.
    pub(crate) async fn execute_batch(&self, sql: &str) -> Result<(), tokio_postgres::Error> {
        self.connection.batch_execute(sql).await
    }

    pub(crate) fn failure(&self) -> Option<Failure> {
        let kinds = [
            Failure::Conflict,
            Failure::Lost,
            Failure::Unavailable,
            Failure::Defect,
        ];
        let noted = self.failure.load(Relaxed);
        kinds.into_iter().find(|kind| *kind as u8 == noted)
    }

    pub(crate) fn into_connection(self) -> Object {
        self.connection
    }

    /// Notes the first failure, and converts the error.
    fn note(&self, error: tokio_postgres::Error) -> EngineError {
        let kind = classify(&error) as u8;
        let _ = self.failure.compare_exchange(0, kind, Relaxed, Relaxed);
        to_engine_error(error)
    }
}

/// The only row, if there is one.
pub(crate) fn at_most_one(mut rows: Vec<Row>) -> Result<Option<Row>, EngineError> {
    match rows.len() {
        0 | 1 => Ok(rows.pop()),
        count => Err(EngineError::internal(format!(
            "{count} rows instead of one"
        ))),
    }
}
