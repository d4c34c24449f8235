//! Statements that both engines understand, so that each is written once: `$1`, `$2`, … are the parameters, and columns are
//! read by their place.

use std::future::ready;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use dropspec_rate_limit::Ban;
use dropspec_store::EngineError;
#[cfg(feature = "postgres")]
use dropspec_store::postgres::types as postgres;
use rusqlite::Connection;
use rusqlite::types::{FromSql, ToSql, Value, ValueRef};

/// A connection of an engine, in a transaction if the call is a write.
pub(crate) trait Db {
    /// What a `SELECT` ends with so that others cannot change the row before the transaction ends.
    const FOR_UPDATE: &'static str;

    /// What servers may not have used yet of the claims in a row of `usage`.
    const LEASED: &'static str;

    /// Whether several servers use the engine at the same time. Then no credit is given.
    const IS_SHARED: bool;

    /// Runs a statement, and returns its rows.
    fn query(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> impl Future<Output = Result<Vec<Row>, EngineError>> + Send;

    /// Runs a statement once for each of these rows of parameters, in their order.
    fn query_each(
        &self,
        sql: &str,
        rows: &[Vec<&dyn Parameter>],
    ) -> impl Future<Output = Result<(), EngineError>> + Send;
}

/// A row of the result of a statement.
pub(crate) enum Row {
    Sqlite(Vec<Value>),
    #[cfg(feature = "postgres")]
    Postgres(dropspec_store::postgres::Row),
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
    const LEASED: &'static str = "usage.leased";
    const IS_SHARED: bool = false;

    fn query(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> impl Future<Output = Result<Vec<Row>, EngineError>> + Send {
        ready(self.run(sql, parameters))
    }

    fn query_each(
        &self,
        sql: &str,
        rows: &[Vec<&dyn Parameter>],
    ) -> impl Future<Output = Result<(), EngineError>> + Send {
        let mut rows = rows.iter();
        ready(rows.try_for_each(|parameters| self.run(sql, parameters).map(drop)))
    }
}

#[cfg(feature = "postgres")]
impl Db for dropspec_store::postgres::Db {
    const FOR_UPDATE: &'static str = "FOR UPDATE";
    const LEASED: &'static str = "(SELECT sum(split_part(lease, '=', 2)::bigint)::bigint
        FROM unnest(string_to_array(usage.leases, ' ')) lease)";
    const IS_SHARED: bool = true;

    async fn query(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<Vec<Row>, EngineError> {
        let parameters: Vec<_> = parameters.iter().map(|it| it.postgres()).collect();
        let rows = dropspec_store::postgres::Db::query(self, sql, &parameters).await?;
        Ok(rows.into_iter().map(Row::Postgres).collect())
    }

    async fn query_each(&self, sql: &str, rows: &[Vec<&dyn Parameter>]) -> Result<(), EngineError> {
        let rows = rows.iter().map(|row| row.iter().map(|it| it.postgres()));
        let rows: Vec<Vec<_>> = rows.map(Iterator::collect).collect();
        dropspec_store::postgres::Db::query_each(self, sql, &rows).await
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

/// Runs a function of a connection and an input as a write, in one transaction.
macro_rules! write {
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
                Box::pin(write).await
            }
        }
    }};
}

/// Runs a function of a connection and an input as a change of keys, in one transaction.
macro_rules! change {
    ($tables:expr, $input:expr, $work:path) => {{
        let result = write!($tables, $input, $work);
        $tables.note_change();
        result
    }};
}

pub(crate) use {change, read, write};
