//! A database with a table of notes, and writes and reads of it.

use dropspec_store::EngineError;
use dropspec_store::postgres::{PostgresConfig, PostgresEngine, Schema};
use test_postgres::TestDatabase;

pub const SCHEMA: Schema = Schema {
    application: "notes",
    migrations: &[&["CREATE TABLE notes (id bigint PRIMARY KEY, text text NOT NULL UNIQUE)"]],
};

/// No ids.
pub const NONE: [i64; 0] = [];

pub fn config(url: &str) -> PostgresConfig {
    url.parse().unwrap()
}

pub async fn open(database: &TestDatabase) -> PostgresEngine {
    open_with(&config(database.url())).await
}

pub async fn open_with(config: &PostgresConfig) -> PostgresEngine {
    PostgresEngine::open(SCHEMA, config).await.unwrap()
}

/// What a test needs; without it the test ends.
macro_rules! need {
    ($needed:expr) => {
        match $needed {
            Some(needed) => needed,
            None => return,
        }
    };
}

/// Runs statements in a transaction.
pub async fn run(
    engine: &PostgresEngine,
    statements: &'static [&'static str],
) -> Result<(), EngineError> {
    let work = engine.write(&statements, |db, statements| {
        Box::pin(async move {
            for sql in *statements {
                db.query(sql, &[]).await?;
            }
            Ok(())
        })
    });
    work.await
}

/// Stores a note in a transaction.
pub async fn insert(engine: &PostgresEngine, id: i64, text: &str) -> Result<(), EngineError> {
    let note = (id, text.to_owned());
    let work = engine.write(&note, |db, (id, text)| {
        Box::pin(async move {
            db.query("SELECT 1", &[]).await?;
            db.query("INSERT INTO notes VALUES ($1, $2)", &[id, text])
                .await?;
            Ok(())
        })
    });
    work.await
}

/// The ids of all notes.
pub async fn ids(engine: &PostgresEngine) -> Result<Vec<i64>, EngineError> {
    let read = engine.read(&(), |db, ()| {
        Box::pin(async move {
            let rows = db.query("SELECT id FROM notes ORDER BY id", &[]).await?;
            rows.iter().map(|row| row.get(0)).collect()
        })
    });
    read.await
}

/// The error and its causes in a line.
pub fn explain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |it| (*it).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
