//! Statements that both engines understand, so that each is written once: `$1`, `$2`, … are the parameters, and columns are
//! read by their place.

use std::future::ready;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use engine_types::EngineError;
#[cfg(feature = "postgres")]
use postgres_engine::types as postgres;
use rate_limit::{Ban, RateLimits};
use rusqlite::Connection;
use rusqlite::types::{FromSql, ToSql, Value, ValueRef};

use super::lost_credit::claim_lost_credit;

/// A connection of an engine, in a transaction if the call is a write.
pub(crate) trait Db {
    /// What a `SELECT` ends with so that others cannot change the row before the transaction ends.
    const FOR_UPDATE: &'static str;

    /// The statement by which only one transaction at a time creates keys, if the engine needs one.
    const LOCK_KEYS: Option<&'static str>;

    /// Runs a statement, and returns its rows.
    fn query(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> impl Future<Output = Result<Vec<Row>, EngineError>> + Send;

    /// Claims what a key may have spent on the credit of its limits before and not on that of its new ones, at `now` (Unix
    /// seconds). An engine that several servers use gives no credit.
    fn claim_lost_credit(
        &self,
        key_id: i64,
        before: RateLimits,
        after: RateLimits,
        now: i64,
    ) -> Result<(), EngineError>;
}

/// A row of the result of a statement.
#[derive(Debug)]
pub(crate) enum Row {
    Sqlite(Vec<Value>),
    #[cfg(feature = "postgres")]
    Postgres(postgres_engine::Row),
}

/// A value that both engines can read from a column.
#[cfg(feature = "postgres")]
pub(crate) trait Column: FromSql + for<'a> postgres::FromSql<'a> {}
#[cfg(feature = "postgres")]
impl<T: FromSql + for<'a> postgres::FromSql<'a>> Column for T {}

/// A value that can be read from a column.
#[cfg(not(feature = "postgres"))]
pub(crate) trait Column: FromSql {}
#[cfg(not(feature = "postgres"))]
impl<T: FromSql> Column for T {}

impl Row {
    /// Reads a column by its place, from 0 on.
    pub(crate) fn get<T: Column>(&self, column: usize) -> Result<T, EngineError> {
        match self {
            Row::Sqlite(values) => {
                let value = values.get(column).unwrap_or(&Value::Null);
                T::column_result(ValueRef::from(value)).map_err(EngineError::internal)
            }
            #[cfg(feature = "postgres")]
            Row::Postgres(row) => row.get(column),
        }
    }

    /// Reads a count: an integer from 0 on.
    pub(crate) fn get_count(&self, column: usize) -> Result<u64, EngineError> {
        u64::try_from(self.get::<i64>(column)?).map_err(EngineError::internal)
    }

    /// Reads a ban: its strikes, end and epoch, in three columns from `first` on.
    pub(crate) fn get_ban(&self, first: usize) -> Result<Ban, EngineError> {
        Ok(Ban {
            strikes: u32::try_from(self.get::<i64>(first)?).map_err(EngineError::internal)?,
            until: self.get(first + 1)?,
            epoch: self.get(first + 2)?,
        })
    }
}

/// A parameter of a statement.
pub(crate) trait Parameter: Sync {
    fn sqlite(&self) -> &dyn ToSql;

    #[cfg(feature = "postgres")]
    fn postgres(&self) -> &(dyn postgres::ToSql + Sync);
}

#[cfg(feature = "postgres")]
impl<T: ToSql + postgres::ToSql + Sync> Parameter for T {
    fn sqlite(&self) -> &dyn ToSql {
        self
    }

    fn postgres(&self) -> &(dyn postgres::ToSql + Sync) {
        self
    }
}

#[cfg(not(feature = "postgres"))]
impl<T: ToSql + Sync> Parameter for T {
    fn sqlite(&self) -> &dyn ToSql {
        self
    }
}

/// A connection to a file. Its statements end before they return, so their futures are ready.
pub(crate) struct Sqlite<'c>(pub(crate) &'c Connection);

impl Sqlite<'_> {
    fn run(&self, sql: &str, parameters: &[&dyn Parameter]) -> Result<Vec<Row>, EngineError> {
        let mut statement = self.0.prepare_cached(&sql.replace('$', "?"))?;
        let columns = statement.column_count();
        let parameters: Vec<_> = parameters.iter().map(|it| it.sqlite()).collect();
        let rows = statement.query_map(&*parameters, |row| {
            let values = (0..columns).map(|column| row.get(column));
            Ok(Row::Sqlite(values.collect::<rusqlite::Result<_>>()?))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Db for Sqlite<'_> {
    const FOR_UPDATE: &'static str = "";
    const LOCK_KEYS: Option<&'static str> = None;

    fn query(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> impl Future<Output = Result<Vec<Row>, EngineError>> + Send {
        ready(self.run(sql, parameters))
    }

    fn claim_lost_credit(
        &self,
        key_id: i64,
        before: RateLimits,
        after: RateLimits,
        now: i64,
    ) -> Result<(), EngineError> {
        claim_lost_credit(self.0, key_id, before, after, now)
    }
}

#[cfg(feature = "postgres")]
impl Db for postgres_engine::Db {
    const FOR_UPDATE: &'static str = "FOR UPDATE";
    const LOCK_KEYS: Option<&'static str> = Some("LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE");

    async fn query(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<Vec<Row>, EngineError> {
        let parameters: Vec<_> = parameters.iter().map(|it| it.postgres()).collect();
        let rows = postgres_engine::Db::query(self, sql, &parameters).await?;
        Ok(rows.into_iter().map(Row::Postgres).collect())
    }

    fn claim_lost_credit(
        &self,
        _: i64,
        _: RateLimits,
        _: RateLimits,
        _: i64,
    ) -> Result<(), EngineError> {
        Ok(())
    }
}

/// Runs work on a file, which never waits.
pub(crate) fn run<T, E: From<EngineError>>(
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => Err(EngineError::internal("a call on a file waits").into()),
    }
}

/// Runs a function of a connection and an input as a read, on the engine of the tables. What is done on PostgreSQL is boxed, so
/// that it does not make the future of SQLite larger.
macro_rules! read {
    ($tables:expr, $input:expr, $work:path) => {{
        let input = $input;
        match &$tables {
            Tables::Sqlite(engine) => engine.read(|db| run($work(&Sqlite(db), &input))),
            #[cfg(feature = "postgres")]
            Tables::Postgres(keys) => {
                let read = keys
                    .engine
                    .read(&input, |db, input| Box::pin($work(db, input)));
                Box::pin(read).await
            }
        }
    }};
}

/// Runs a function of a connection and an input as a change of keys, in one transaction.
macro_rules! change {
    ($tables:expr, $input:expr, $work:path) => {{
        let input = $input;
        match &$tables {
            Tables::Sqlite(engine) => {
                engine
                    .write(move |db| run($work(&Sqlite(db), &input)))
                    .await
            }
            #[cfg(feature = "postgres")]
            Tables::Postgres(keys) => {
                let write = keys
                    .engine
                    .write(&input, |db, input| Box::pin($work(db, input)));
                Box::pin(keys.apply_own_change(write)).await
            }
        }
    }};
}

pub(crate) use {change, read};
