//! The open database: reads, and writes in transactions, each repeated within a bound if others are in the way.

use std::error::Error;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::EngineError;
use crate::postgres::channel::NotifyChannel;
use crate::postgres::config::PostgresConfig;
use crate::postgres::connection::{Lender, Lent, in_transaction, roll_back};
use crate::postgres::db::Work;
use crate::postgres::error::OpenError;
use crate::postgres::migrations;
use crate::postgres::outage::{Outage, OutageWatch};
use crate::postgres::pool;
use crate::postgres::schema::Schema;
use crate::postgres::sql_error::{Failure, cause, is_undone};
use crate::postgres::stats::{Counters, PoolStats, TransactionStats};

/// The longest pause before the second attempt; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(4);

/// The longest pause between two attempts.
const MAX_PAUSE: Duration = Duration::from_millis(200);

/// An open PostgreSQL database: a pool of connections. Share it in an `Arc`.
#[derive(Debug)]
pub struct PostgresEngine {
    lender: Lender,
    config: PostgresConfig,
    schema: Schema,
    counters: Counters,
    outage: OutageWatch,
    is_new: bool,
}

/// Whether the statements of a call run in a transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Read,
    Write,
}

/// How an attempt ended.
enum Attempt<T, E> {
    Done(Result<T, E>),
    /// Nothing is stored, and another attempt may succeed.
    Again(E),
}

impl PostgresEngine {
    /// Connects to the database, and creates or migrates its tables if necessary. However many servers start at the same
    /// time, each migration is applied once.
    ///
    /// # Errors
    ///
    /// See [`OpenError`]; then nothing was created or changed.
    pub async fn open(
        schema: Schema,
        config: &PostgresConfig,
    ) -> Result<PostgresEngine, OpenError> {
        let pool = pool::create(config)?;
        // Without a lock, which other servers may hold: most starts find everything in place.
        let is_new = match migrations::count_missing_in(&pool, schema, config).await? {
            Some(0) => false,
            _ => migrations::migrate(&pool, schema, config).await?,
        };
        Ok(PostgresEngine {
            outage: OutageWatch::new(pool.clone()),
            lender: Lender::new(pool, config),
            config: config.clone(),
            schema,
            counters: Counters::default(),
            is_new,
        })
    }

    /// Opens a database that has the tables of the application, for a command of the operator. It is migrated if necessary.
    ///
    /// # Errors
    ///
    /// See [`OpenError`]; an error if it has none. Then nothing was created or changed.
    pub async fn open_existing(
        schema: Schema,
        config: &PostgresConfig,
    ) -> Result<PostgresEngine, OpenError> {
        migrations::read_version(schema, config).await?;
        PostgresEngine::open(schema, config).await
    }

    /// Runs `query` without a transaction: each statement sees what is committed when it begins.
    ///
    /// # Errors
    ///
    /// That of `query`; [`EngineError::Unavailable`] if the server is away, no connection becomes free, or the call takes
    /// too long.
    pub async fn read<I, T, E>(&self, input: &I, query: impl Work<I, T, E>) -> Result<T, E>
    where
        I: Sync,
        T: Send,
        E: From<EngineError> + Send,
    {
        self.run(Mode::Read, input, query).await
    }

    /// Runs `work` in a transaction, and returns its result after the commit. If another transaction is in the way (a
    /// deadlock, a serialization failure, a duplicate that came between), it runs again. Its first statement should only
    /// read.
    ///
    /// # Errors
    ///
    /// That of `work`, which is rolled back. [`EngineError::Unavailable`] if the server is away, no connection becomes free,
    /// a lock is not free in time, or other transactions were in the way too often; nothing is stored then.
    /// [`EngineError::OutcomeUnknown`] if the connection was lost during the commit, or the commit took too long.
    pub async fn write<I, T, E>(&self, input: &I, work: impl Work<I, T, E>) -> Result<T, E>
    where
        I: Sync,
        T: Send,
        E: From<EngineError> + Send,
    {
        self.run(Mode::Write, input, work).await
    }

    /// Starts to listen to a channel of the database. `name` has to be an identifier of SQL.
    ///
    /// # Errors
    ///
    /// If the certificates of the configuration cannot be used.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn listen(&self, name: &'static str) -> Result<NotifyChannel, OpenError> {
        NotifyChannel::open(&self.config, name)
    }

    /// Checks that the database can be read and has the schema version of this program.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or has another schema version.
    pub async fn check(&self) -> Result<(), EngineError> {
        let found = self.read(&(), |db, ()| Box::pin(migrations::version_of(db)));
        let (found, expected) = (found.await?, self.schema.version());
        if found == expected {
            Ok(())
        } else {
            Err(EngineError::internal(format!(
                "the database has schema version {found} instead of {expected}"
            )))
        }
    }

    /// Closes the connections. Calls that come later fail as unavailable.
    pub fn close(&self) {
        self.lender.close();
    }

    /// The settings of the database.
    pub fn config(&self) -> &PostgresConfig {
        &self.config
    }

    /// The outage if the database cannot be reached, and each beginning and end of one.
    pub fn watch_outage(&self) -> watch::Receiver<Option<Outage>> {
        self.outage.subscribe()
    }

    /// Whether the database had no tables of the application, and this process has created them.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns how many transactions were committed and repeated since the engine was opened.
    pub fn transaction_stats(&self) -> TransactionStats {
        self.counters.read()
    }

    /// Returns how many connections are open and in use now.
    pub fn pool_stats(&self) -> PoolStats {
        self.lender.stats()
    }

    async fn run<I, T, E>(&self, mode: Mode, input: &I, work: impl Work<I, T, E>) -> Result<T, E>
    where
        I: Sync,
        T: Send,
        E: From<EngineError> + Send,
    {
        let deadline = Instant::now() + self.config.call_timeout;
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            match self.attempt(mode, input, &work, deadline).await {
                Attempt::Done(result) => return result,
                Attempt::Again(error) => {
                    let next = Instant::now() + pause.mul_f64(fastrand::f64());
                    if attempt >= self.config.max_attempts || next >= deadline {
                        self.counters.count(|it| &mut it.unavailable);
                        return Err(error);
                    }
                    self.counters.count(|it| &mut it.retries);
                    tokio::time::sleep_until(next).await;
                    pause = (pause * 2).min(MAX_PAUSE);
                }
            }
        }
        unreachable!("the attempts are counted")
    }

    async fn attempt<I, T, E>(
        &self,
        mode: Mode,
        input: &I,
        work: &impl Work<I, T, E>,
        deadline: Instant,
    ) -> Attempt<T, E>
    where
        I: Sync,
        E: From<EngineError>,
    {
        let unavailable = |error: EngineError| {
            self.counters.count(|it| &mut it.unavailable);
            Attempt::Done(Err(error.into()))
        };
        let lent = match timeout_at(deadline, self.lender.lend()).await {
            Ok(Ok(lent)) => lent,
            Ok(Err(error)) => return unavailable(self.outage.note(error)),
            Err(_) => return unavailable(EngineError::unavailable(self.too_slow())),
        };
        let db = lent.db();
        let ran = async {
            match mode {
                Mode::Read => Ok(work(db, input).await),
                Mode::Write => in_transaction(db, work(db, input)).await,
            }
        };
        let result = match timeout_at(deadline, ran).await {
            Err(_) => return unavailable(EngineError::unavailable(self.too_slow())),
            Ok(Err(begin)) => {
                return Attempt::Again(EngineError::Unavailable(cause(begin).into()).into());
            }
            Ok(Ok(result)) => result,
        };
        match (db.failure(), mode, result) {
            (Some(Failure::Lost), _, Err(error)) => Attempt::Again(error),
            (None, Mode::Write, Ok(value)) => self.commit(lent, value, deadline).await,
            (failure, mode, result) => {
                if mode == Mode::Read || roll_back(db, deadline).await {
                    lent.give_back();
                }
                match (failure, result) {
                    (None, result) => Attempt::Done(result),
                    (Some(Failure::Conflict), Err(error)) => Attempt::Again(error),
                    (Some(Failure::Unavailable), Err(error)) => {
                        self.counters.count(|it| &mut it.unavailable);
                        Attempt::Done(Err(error))
                    }
                    (Some(_), Err(error)) => Attempt::Done(Err(error)),
                    (Some(_), Ok(_)) => Attempt::Done(Err(EngineError::internal(
                        "a call went on after an error of the database",
                    )
                    .into())),
                }
            }
        }
    }

    async fn commit<T, E>(&self, lent: Lent, value: T, deadline: Instant) -> Attempt<T, E>
    where
        E: From<EngineError>,
    {
        let unknown = |cause: Box<dyn Error + Send + Sync>| {
            self.counters.count(|it| &mut it.outcome_unknown);
            Attempt::Done(Err(EngineError::outcome_unknown(cause).into()))
        };
        match timeout_at(deadline, lent.db().execute_batch("COMMIT")).await {
            Ok(Ok(())) => {
                self.counters.count(|it| &mut it.commits);
                lent.give_back();
                Attempt::Done(Ok(value))
            }
            Ok(Err(error)) if is_undone(&error) => {
                Attempt::Again(EngineError::Unavailable(cause(error).into()).into())
            }
            Ok(Err(error)) => unknown(cause(error)),
            Err(_) => unknown(self.too_slow().into()),
        }
    }

    fn too_slow(&self) -> String {
        let seconds = self.config.call_timeout.as_secs_f64();
        format!("the database did not answer within {seconds} seconds")
    }
}
