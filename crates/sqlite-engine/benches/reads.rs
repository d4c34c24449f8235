//! Measures the two optimizations that avoid system calls of reads: the standing read, against an engine without one, and the
//! data version in the index of the log, against `PRAGMA data_version`.
//!
//! Only a server has a standing read, so the same database is opened beside no server for the comparison. Use a release build:
//! `cargo bench -p sqlite-engine --bench reads`.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Instant;

use sqlite_engine::{Engine, EngineConfig, EngineError, Schema};
use tempfile::TempDir;

const SCHEMA: Schema = Schema {
    application_id: 1,
    migrations: &[
        "PRAGMA application_id = 1; CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT; INSERT INTO notes VALUES (1, 'x');",
    ],
};
const READS: u32 = 100_000;
/// The configurations run in turns, this often each; the best times are compared.
const ROUNDS: usize = 5;

#[tokio::main]
async fn main() {
    let directory = TempDir::new().unwrap();
    let config = EngineConfig::new(directory.path().join("bench.db"));
    let (mut standing, mut without) = (f64::MAX, f64::MAX);
    let (mut mapped, mut pragma) = (f64::MAX, f64::MAX);
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
    }
    println!("read of a row with the standing read: {standing:>6.0} ns");
    println!("read of a row without it:             {without:>6.0} ns");
    println!("data version of the index of the log: {mapped:>6.0} ns");
    println!("PRAGMA data_version:                  {pragma:>6.0} ns");
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
