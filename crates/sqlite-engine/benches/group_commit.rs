//! Measures group commit: 64 callers write notes, first with shared commits and then with one commit for each note.
//!
//! Both use `synchronous=FULL`; only `max_batch` differs. The database must be on a real disk, since a commit in memory
//! costs nothing: it is created in the target directory of this package, or in the directory in the environment
//! variable `SQLITE_BENCH_DIR`. Use a release build: `cargo bench -p sqlite-engine --bench group_commit`.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use futures::future::join_all;
use sqlite_engine::{Engine, EngineConfig, EngineError, Schema};
use tempfile::TempDir;

const SCHEMA: Schema = Schema {
    application_id: 1,
    migrations: &[
        "PRAGMA application_id = 1; CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;",
    ],
};
const CALLERS: usize = 64;
const NOTES_EACH: usize = 200;
/// The two configurations run in turns, this often each; the medians are compared.
const ROUNDS: usize = 5;

fn main() {
    let directory = bench_directory();
    println!(
        "{CALLERS} callers, {NOTES_EACH} notes each, synchronous=FULL, in {}",
        directory.display()
    );
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let grouped = EngineConfig::new("grouped.db").max_batch;
    let (mut shared, mut single) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        shared.push(runtime.block_on(measure_rate(&directory, grouped)));
        single.push(runtime.block_on(measure_rate(&directory, 1)));
    }
    let (shared, single) = (median(shared), median(single));
    println!("group commit:        {shared:>8.0} notes/s");
    println!("one commit per note: {single:>8.0} notes/s");
    println!("ratio:               {:>8.1}", shared / single);
}

/// Returns the notes written per second with at most `max_batch` notes in a commit.
async fn measure_rate(directory: &Path, max_batch: usize) -> f64 {
    let directory = TempDir::new_in(directory).unwrap();
    let config = EngineConfig {
        max_batch,
        ..EngineConfig::new(directory.path().join("bench.db"))
    };
    let engine = Arc::new(Engine::open(SCHEMA, &config).unwrap());
    let before = engine.writer_stats();

    let start = Instant::now();
    let callers = (0..CALLERS).map(|_| tokio::spawn(write_notes(Arc::clone(&engine))));
    for caller in join_all(callers).await {
        caller.unwrap();
    }
    let rate = (CALLERS * NOTES_EACH) as f64 / start.elapsed().as_secs_f64();

    let after = engine.writer_stats();
    let mean = (after.writes - before.writes) as f64 / (after.commits - before.commits) as f64;
    println!("  up to {max_batch:>3} in a commit, {mean:>4.1} on average: {rate:>8.0} notes/s");
    engine.close().await.unwrap();
    rate
}

async fn write_notes(engine: Arc<Engine>) {
    for _ in 0..NOTES_EACH {
        let written = engine.write::<_, EngineError>(|db| {
            db.prepare_cached("INSERT INTO notes (text) VALUES ('')")?
                .execute([])?;
            Ok(())
        });
        written.await.unwrap();
    }
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

fn bench_directory() -> PathBuf {
    match std::env::var_os("SQLITE_BENCH_DIR") {
        Some(directory) => directory.into(),
        None => PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
    }
}
