//! Writes: whole or not at all, repeated when another transaction is in the way, and within their limits.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use dropspec_store::EngineError;
use dropspec_store::postgres::{Db, PostgresEngine};
use futures::future::join;
use test_postgres::TestDatabase;
use tokio::sync::Barrier;

use crate::fixture::{NONE, config, explain, ids, insert, open, open_with, run};

/// The first attempts of two transactions, which wait for each other.
struct Collision {
    barrier: Barrier,
    attempts: AtomicUsize,
}

impl Collision {
    fn new() -> Collision {
        Collision {
            barrier: Barrier::new(2),
            attempts: AtomicUsize::new(0),
        }
    }

    /// Waits for the other transaction, but not in a further attempt.
    async fn wait(&self) {
        if self.attempts.fetch_add(1, SeqCst) < 2 {
            self.barrier.wait().await;
        }
    }
}

async fn append(db: &Db, id: i64, letter: &str) -> Result<(), EngineError> {
    let update = "UPDATE notes SET text = text || $2::text WHERE id = $1";
    db.query(update, &[&id, &letter]).await.map(|_| ())
}

async fn texts(engine: &PostgresEngine) -> Vec<String> {
    let read = engine.read(&(), |db, ()| {
        Box::pin(async move {
            let rows = db.query("SELECT text FROM notes ORDER BY id", &[]).await?;
            rows.iter()
                .map(|row| row.get(0))
                .collect::<Result<_, EngineError>>()
        })
    });
    read.await.unwrap()
}

#[tokio::test]
async fn write_that_fails_stores_nothing_and_its_connection_is_used_again() {
    let database = need!(TestDatabase::create("write_that_fails"));
    let mut config = config(database.url());
    config.max_connections = 1;
    let engine = open_with(&config).await;
    let failed = engine.write(&(), |db, ()| {
        Box::pin(async move {
            db.query("INSERT INTO notes VALUES (1, 'one')", &[]).await?;
            Err::<(), _>(EngineError::internal("a rule"))
        })
    });
    assert_eq!(
        explain(&failed.await.unwrap_err()),
        "the database failed: a rule"
    );
    let statements = &[
        "INSERT INTO notes VALUES (1, 'one')",
        "INSERT INTO novels VALUES (1)",
    ];
    let error = explain(&run(&engine, statements).await.unwrap_err());
    assert!(
        error.contains("\"novels\" does not exist (SQLSTATE 42P01)"),
        "{error}"
    );
    assert_eq!(ids(&engine).await.unwrap(), NONE);
    assert_eq!(engine.pool_stats().connections, 1);
    assert_eq!(engine.transaction_stats().commits, 0);
}

#[tokio::test]
async fn call_that_goes_on_after_an_error_is_a_defect_and_stores_nothing() {
    let database = need!(TestDatabase::create("call_that_goes_on"));
    let engine = open(&database).await;
    let careless = engine.write(&(), |db, ()| {
        Box::pin(async move {
            db.query("INSERT INTO notes VALUES (1, 'one')", &[]).await?;
            let _ = db.query("SELECT 1 / 0", &[]).await;
            Ok::<_, EngineError>(())
        })
    });
    let error = explain(&careless.await.unwrap_err());
    assert!(error.contains("went on after an error"), "{error}");
    assert_eq!(ids(&engine).await.unwrap(), NONE);
}

#[tokio::test]
async fn write_that_panics_or_is_cancelled_leaves_no_open_transaction() {
    let database = need!(TestDatabase::create("write_that_panics"));
    let mut config = config(database.url());
    config.max_connections = 1;
    let engine = std::sync::Arc::new(open_with(&config).await);
    let panicking = std::sync::Arc::clone(&engine);
    let panicked = tokio::spawn(async move {
        let work = panicking.write(&(), |db, ()| {
            Box::pin(async move {
                db.query("INSERT INTO notes VALUES (1, 'one')", &[]).await?;
                panic!("a defect");
                #[allow(unreachable_code)]
                Ok::<(), EngineError>(())
            })
        });
        work.await
    });
    assert!(panicked.await.unwrap_err().is_panic());
    let cancelled = engine.write(&(), |db, ()| {
        Box::pin(async move {
            db.query("INSERT INTO notes VALUES (2, 'two')", &[]).await?;
            std::future::pending::<Result<(), EngineError>>().await
        })
    });
    assert!(
        tokio::time::timeout(Duration::from_millis(100), cancelled)
            .await
            .is_err()
    );
    insert(&engine, 3, "three").await.unwrap();
    assert_eq!(ids(&engine).await.unwrap(), [3]);
}

#[tokio::test]
async fn deadlock_is_resolved_by_another_attempt() {
    let database = need!(TestDatabase::create("deadlock"));
    database.execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 20', current_database()); END $$");
    let engine = open(&database).await;
    insert(&engine, 1, "1").await.unwrap();
    insert(&engine, 2, "2").await.unwrap();
    let collision = Collision::new();
    let both = |ids: [i64; 2], letter: &'static str| (ids, letter, &collision);
    let (first, second) = (both([1, 2], "a"), both([2, 1], "b"));
    let write = |input| {
        engine.write(
            input,
            |db, (ids, letter, collision): &([i64; 2], &str, &Collision)| {
                Box::pin(async move {
                    append(db, ids[0], letter).await?;
                    collision.wait().await;
                    append(db, ids[1], letter).await
                })
            },
        )
    };
    let (first, second) = join(write(&first), write(&second)).await;
    first.unwrap();
    second.unwrap();
    for (text, start) in texts(&engine).await.iter().zip(["1", "2"]) {
        let letters = [format!("{start}ab"), format!("{start}ba")];
        assert!(letters.contains(text), "{text}");
    }
    assert!(engine.transaction_stats().retries > 0);
}

#[tokio::test]
async fn serialization_failure_is_resolved_by_another_attempt() {
    let database = need!(TestDatabase::create("serialization_failure"));
    database.execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = serializable', current_database()); END $$");
    let engine = open(&database).await;
    insert(&engine, 1, "1").await.unwrap();
    let collision = Collision::new();
    let (first, second) = (("a", &collision), ("b", &collision));
    let write = |input| {
        engine.write(input, |db, (letter, collision): &(&str, &Collision)| {
            Box::pin(async move {
                let rows = db.query("SELECT text FROM notes WHERE id = 1", &[]).await?;
                let text: String = rows[0].get(0)?;
                collision.wait().await;
                let text = format!("{text}{letter}");
                let update = "UPDATE notes SET text = $1 WHERE id = 1";
                db.query(update, &[&text]).await.map(|_| ())
            })
        })
    };
    let (first, second) = join(write(&first), write(&second)).await;
    first.unwrap();
    second.unwrap();
    let text = texts(&engine).await.remove(0);
    assert!(text == "1ab" || text == "1ba", "{text}");
}

#[tokio::test]
async fn conflict_that_lasts_ends_after_the_bound() {
    let database = need!(TestDatabase::create("conflict_that_lasts"));
    let mut config = config(database.url());
    config.max_attempts = 3;
    let engine = open_with(&config).await;
    let attempts = AtomicUsize::new(0);
    let conflict = engine.write(&attempts, |db, attempts| {
        Box::pin(async move {
            attempts.fetch_add(1, SeqCst);
            let raise = "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$";
            db.query(raise, &[]).await.map(|_| ())
        })
    });
    let error = conflict.await.unwrap_err();
    assert!(matches!(error, EngineError::Unavailable(_)), "{error:?}");
    assert_eq!(attempts.load(SeqCst), 3);
    let stats = engine.transaction_stats();
    assert_eq!((stats.retries, stats.unavailable), (2, 1));
}

#[tokio::test]
async fn row_that_stays_locked_makes_the_write_unavailable() {
    let database = need!(TestDatabase::create("row_that_stays_locked"));
    let mut config = config(database.url());
    config.lock_timeout = Duration::from_millis(50);
    let engine = open_with(&config).await;
    insert(&engine, 1, "1").await.unwrap();
    let nested = engine.write(&engine, |db, engine| {
        Box::pin(async move {
            append(db, 1, "a").await?;
            let other = engine.write(&(), |db, ()| Box::pin(append(db, 1, "b")));
            let error = other.await.unwrap_err();
            assert!(matches!(error, EngineError::Unavailable(_)), "{error:?}");
            assert!(explain(&error).contains("lock timeout"), "{error:?}");
            Ok::<_, EngineError>(())
        })
    });
    nested.await.unwrap();
    assert_eq!(texts(&engine).await, ["1a"]);
}

#[tokio::test]
async fn call_without_a_free_connection_is_unavailable() {
    let database = need!(TestDatabase::create("call_without_a_connection"));
    let mut config = config(database.url());
    config.max_connections = 1;
    config.pool_timeout = Duration::from_millis(200);
    let engine = open_with(&config).await;
    let nested = engine.read(&engine, |db, engine| {
        Box::pin(async move {
            db.query("SELECT 1", &[]).await?;
            let error = ids(engine).await.unwrap_err();
            assert!(matches!(error, EngineError::Unavailable(_)), "{error:?}");
            Ok::<_, EngineError>(())
        })
    });
    nested.await.unwrap();
    assert_eq!(ids(&engine).await.unwrap(), NONE);
}

#[tokio::test]
async fn statement_that_takes_too_long_is_cancelled_by_the_server() {
    let database = need!(TestDatabase::create("statement_too_long"));
    let mut config = config(database.url());
    config.statement_timeout = Duration::from_millis(50);
    let engine = open_with(&config).await;
    let slow = run(&engine, &["SELECT pg_sleep(60)"]);
    let error = slow.await.unwrap_err();
    assert!(matches!(error, EngineError::Unavailable(_)), "{error:?}");
    assert!(explain(&error).contains("statement timeout"), "{error:?}");
}

#[tokio::test]
async fn call_that_takes_too_long_is_unavailable_and_stores_nothing() {
    let database = need!(TestDatabase::create("call_too_long"));
    let mut config = config(database.url());
    config.call_timeout = Duration::from_millis(200);
    // The server notices by itself that nobody waits any more.
    config.statement_timeout = Duration::from_millis(600);
    let engine = open_with(&config).await;
    let insert_slowly = &["INSERT INTO notes VALUES (1, '1')", "SELECT pg_sleep(60)"];
    let error = run(&engine, insert_slowly).await.unwrap_err();
    assert!(matches!(error, EngineError::Unavailable(_)), "{error:?}");
    // Once the transaction is undone, the id is free.
    insert(&open(&database).await, 1, "one").await.unwrap();
}

#[tokio::test]
async fn statements_that_are_sent_together_run_in_their_order() {
    let database = need!(TestDatabase::create("statements_in_order"));
    let engine = open(&database).await;
    for round in 0..3_i64 {
        let texts = engine.write(&round, |db, round| {
            Box::pin(async move {
                let text = format!("{round}");
                let [_, before, _, after] = db
                    .query_all([
                        ("SELECT 1", &[]),
                        ("SELECT count(*) FROM notes WHERE id = $1", &[round]),
                        ("INSERT INTO notes VALUES ($1, $2)", &[round, &text]),
                        ("SELECT text FROM notes WHERE id = $1", &[round]),
                    ])
                    .await?;
                Ok::<_, EngineError>((before[0].get::<i64>(0)?, after[0].get::<String>(0)?))
            })
        });
        assert_eq!(texts.await.unwrap(), (0, round.to_string()));
    }
}
