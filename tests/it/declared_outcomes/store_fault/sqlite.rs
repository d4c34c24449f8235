//! Faults of SQLite: tables of keys that are gone, a lock that another process holds, a pool without a free connection, and a log
//! that is removed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use petstore_server::api::Petstore;
use petstore_server::store::{EngineConfig, EngineError, PageRequest};
use rusqlite::Connection;
use spec_gate::Gate;
use sqlite_engine::Engine;
use test_support::TestApp;

use super::{ActiveFault, StoreFault};

/// A thread that uses the only read connection nearly all of the time. It ends when it is dropped.
pub struct BusyReader {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Shortens the waits that a fault makes fail.
pub fn shorten_waits(config: &mut EngineConfig, fault: StoreFault) {
    match fault {
        StoreFault::LedgerLocked => config.busy_timeout = Duration::from_millis(1),
        StoreFault::SecretsBusy => {
            config.read_connections = 1;
            config.read_timeout = Duration::from_millis(1);
        }
        // The lock of a connection that changes the tables is waited for.
        _ => {}
    }
}

/// Begins a fault.
pub fn begin(fault: StoreFault, app: &TestApp) -> ActiveFault {
    match fault {
        StoreFault::None | StoreFault::TablesDropped => {}
        StoreFault::SecretsBusy => return ActiveFault::Reader(BusyReader::start(app)),
        StoreFault::OutcomeLost => remove_log_in_next_batch(app),
        StoreFault::LedgerLocked => return ActiveFault::Lock(app.storage().lock_writes()),
        StoreFault::SecretsDropped => {
            let sql = "DROP TABLE api_key_secrets; DROP TABLE api_key_changes;";
            app.storage().execute(sql);
        }
    }
    ActiveFault::None
}

impl BusyReader {
    /// Runs a slow query again and again.
    fn start(app: &TestApp) -> BusyReader {
        let slow = "DROP TABLE categories;
            CREATE VIEW categories AS
            WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 30000)
            SELECT max(id) AS id, 'Cat' AS name, 'cat' AS name_key, NULL AS description FROM n;";
        app.storage().execute(slow);
        let stop = Arc::new(AtomicBool::new(false));
        let gate = Arc::clone(app.server().gate());
        let stopped = Arc::clone(&stop);
        let runtime = tokio::runtime::Handle::current();
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                let page = PageRequest { after: 0, limit: 1 };
                let list = gate.service().store.list_categories(page);
                // It fails while the request under test has the connection.
                let _ = futures::executor::block_on(list);
                // After a change of any key, the next request needs a connection to find its own.
                let change = |db: &Connection| {
                    db.execute("UPDATE api_key_changes SET count = count + 1", [])?;
                    Ok::<_, EngineError>(())
                };
                runtime.block_on(engine(&gate).write(change)).unwrap();
            }
        });
        BusyReader {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for BusyReader {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Holds up the writer until the next request has queued its write, so that the log is removed in the same transaction.
fn remove_log_in_next_batch(app: &TestApp) {
    let log = app.storage().database_file().with_extension("db-wal");
    let (begin, begun) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let hold = move |_: &Connection| {
        begin.send(()).unwrap();
        released.recv().unwrap();
        Ok::<_, EngineError>(())
    };
    let remove = move |_: &Connection| {
        std::fs::remove_file(&log).unwrap();
        Ok::<_, EngineError>(())
    };
    let runtime = tokio::runtime::Handle::current();
    let engine = Arc::clone(engine(app.server().gate()));
    let held = Arc::clone(&engine);
    let blocked = runtime.clone();
    thread::spawn(move || blocked.block_on(held.write(hold)));
    begun.recv().unwrap();
    thread::spawn(move || {
        let release_when_queued = async {
            // The removal and the write of the request.
            while engine.writer_stats().queued < 2 {
                tokio::task::yield_now().await;
            }
            release.send(()).unwrap();
        };
        // The removal itself gets the error, too.
        runtime.block_on(async {
            let _ = tokio::join!(engine.write(remove), release_when_queued);
        });
    });
}

/// The engine of a server on SQLite.
fn engine(gate: &Gate<Petstore>) -> &Arc<Engine> {
    gate.service().store.database().sqlite().unwrap()
}
