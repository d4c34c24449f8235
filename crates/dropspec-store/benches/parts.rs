//! Measures the parts that only make the engine faster: the standing read, against an engine without one; the data version in the
//! index of the log, against `PRAGMA data_version`; and group commit, against one commit for each write.
//!
//! Only a server has a standing read, so the same database is opened beside no server for the comparison. The database is in the
//! target directory of this package, which must be on a real disk: a commit in memory costs nothing. Use a release build:
//! `cargo bench -p dropspec-store --bench parts`.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use dropspec_store::EngineError;
use dropspec_store::sqlite::{Engine, EngineConfig, Schema};
use futures::future::join_all;
use tempfile::TempDir;

const SCHEMA: Schema = Schema {
    application_id: 1,
    migrations: &[&[
        "PRAGMA application_id = 1; CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT; INSERT INTO notes VALUES (1, 'x');",
    ]],
};
const READS: u32 = 100_000;
const CALLERS: usize = 64;
const WRITES_EACH: usize = 200;
/// The configurations run in turns, this often each; the best times are compared.
const ROUNDS: usize = 5;

#[tokio::main]
async fn main() {
    let directory = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let config = EngineConfig::new(directory.path().join("bench.db"));
    let (mut standing, mut without) = (f64::MAX, f64::MAX);
    let (mut mapped, mut pragma) = (f64::MAX, f64::MAX);
    let (mut grouped, mut single) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        let server = Engine::open(SCHEMA, &config).unwrap();
        let write = server.write::<_, EngineError>(|db| {
            db.execute("UPDATE notes SET text = 'y'", [])?;
            Ok(())
        });
        write.await.unwrap();
        standing = standing.min(measure(|| read_note(&server)));
        mapped = mapped.min(measure(|| {
            black_box(server.data_version().unwrap());
        }));
        pragma = pragma.min(measure(|| read_pragma(&server)));
        server.close().await.unwrap();
        drop(server);
        let beside = Engine::open_beside_server(SCHEMA, &config).unwrap();
        without = without.min(measure(|| read_note(&beside)));
        beside.close().await.unwrap();
        grouped = grouped.min(write_notes(directory.path(), config.max_batch).await);
        single = single.min(write_notes(directory.path(), 1).await);
    }
    println!("read of a row with the standing read: {standing:>6.0} ns");
    println!("read of a row without it:             {without:>6.0} ns");
    println!("data version of the index of the log: {mapped:>6.0} ns");
    println!("PRAGMA data_version:                  {pragma:>6.0} ns");
    println!("write of {CALLERS} callers, group commit:   {grouped:>6.0} ns");
    println!("the same with a commit for each:      {single:>6.0} ns");
}

/// The nanoseconds that a call takes.
fn measure(call: impl Fn()) -> f64 {
    let start = Instant::now();
    (0..READS).for_each(|_| call());
    start.elapsed().as_nanos() as f64 / f64::from(READS)
}

fn read_note(engine: &Engine) {
    let read = engine.read::<String, EngineError>(|db| {
        let mut select = db.prepare_cached("SELECT text FROM notes WHERE id = 1")?;
        Ok(select.query_row([], |row| row.get(0))?)
    });
    black_box(read.unwrap());
}

fn read_pragma(engine: &Engine) {
    let read = engine.read::<i64, EngineError>(|db| {
        let mut select = db.prepare_cached("PRAGMA data_version")?;
        Ok(select.query_row([], |row| row.get(0))?)
    });
    black_box(read.unwrap());
}

/// The nanoseconds that a write takes, if many callers write at the same time and at most so many writes share a commit.
async fn write_notes(directory: &Path, max_batch: usize) -> f64 {
    let config = EngineConfig {
        max_batch,
        ..EngineConfig::new(directory.join(format!("writes-{max_batch}.db")))
    };
    let engine = Arc::new(Engine::open(SCHEMA, &config).unwrap());
    let start = Instant::now();
    let callers = (0..CALLERS).map(|_| {
        let engine = Arc::clone(&engine);
        tokio::spawn(async move {
            for _ in 0..WRITES_EACH {
                let written = engine.write::<_, EngineError>(|db| {
                    db.prepare_cached("INSERT INTO notes (text) VALUES ('')")?
                        .execute([])?;
                    Ok(())
                });
                written.await.unwrap();
            }
        })
    });
    for caller in join_all(callers).await {
        caller.unwrap();
    }
    let nanoseconds = start.elapsed().as_nanos() as f64 / (CALLERS * WRITES_EACH) as f64;
    engine.close().await.unwrap();
    nanoseconds
}
