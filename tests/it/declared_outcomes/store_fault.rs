//! Faults of the database, as seen by a running server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use petstore_server::api::Petstore;
use petstore_server::server::Config;
use petstore_server::store::{AnyStore, CategoryStore, EngineError, PageRequest, SqliteStore};
use rusqlite::Connection;
use spec_gate::Gate;
use test_support::TestApp;

/// A fault of the database, which a test provokes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFault {
    None,
    TablesDropped,
    SecretsDropped,
    /// Another process holds the write lock.
    DatabaseLocked,
    /// The only read connection is in use nearly all of the time.
    ConnectionBusy,
    /// The write-ahead log is removed while the transaction of the request runs.
    LogRemoved,
}

/// A fault of the database that has begun. It ends when the value is dropped.
pub enum ActiveFault {
    None,
    Connection(#[expect(dead_code, reason = "it holds a lock")] Connection),
    Reader {
        stop: Arc<AtomicBool>,
        thread: Option<JoinHandle<()>>,
    },
}

impl StoreFault {
    /// Shortens the server's waits for the database.
    pub fn configure(self, config: &mut Config) {
        config.store.sqlite_mut().busy_timeout = Duration::from_millis(1);
        if self == StoreFault::ConnectionBusy {
            config.store.sqlite_mut().read_connections = 1;
            config.store.sqlite_mut().read_timeout = Duration::from_millis(1);
        }
    }

    /// Whether some requests succeed despite the fault.
    pub fn is_intermittent(self) -> bool {
        self == StoreFault::ConnectionBusy
    }

    /// Begins the fault.
    pub fn begin(self, app: &TestApp) -> ActiveFault {
        let sql = match self {
            StoreFault::None => return ActiveFault::None,
            StoreFault::ConnectionBusy => return keep_connection_busy(app),
            StoreFault::LogRemoved => {
                remove_log_in_next_batch(app);
                return ActiveFault::None;
            }
            StoreFault::TablesDropped => {
                "DROP TABLE orders; DROP TABLE pets; DROP TABLE categories;"
            }
            StoreFault::SecretsDropped => "DROP TABLE api_key_secrets; DROP TABLE api_key_changes;",
            StoreFault::DatabaseLocked => "BEGIN IMMEDIATE;",
        };
        ActiveFault::Connection(execute(app, sql))
    }
}

impl Drop for ActiveFault {
    fn drop(&mut self) {
        if let ActiveFault::Reader { stop, thread } = self {
            stop.store(true, Ordering::Relaxed);
            thread.take().unwrap().join().unwrap();
        }
    }
}

fn execute(app: &TestApp, sql: &str) -> Connection {
    let connection = Connection::open(app.database()).unwrap();
    let sql = format!("PRAGMA foreign_keys = OFF; {sql}");
    connection.execute_batch(&sql).unwrap();
    connection
}

/// Runs a slow query again and again.
fn keep_connection_busy(app: &TestApp) -> ActiveFault {
    let slow = "DROP TABLE categories;
        CREATE VIEW categories AS
        WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 30000)
        SELECT max(id) AS id, 'Cat' AS name, 'cat' AS name_key, NULL AS description FROM n;";
    execute(app, slow);
    let stop = Arc::new(AtomicBool::new(false));
    let gate = Arc::clone(app.server().gate());
    let stopped = Arc::clone(&stop);
    let runtime = tokio::runtime::Handle::current();
    let thread = thread::spawn(move || {
        while !stopped.load(Ordering::Relaxed) {
            let page = PageRequest { after: 0, limit: 1 };
            let store = sqlite(&gate);
            // It fails while the request under test has the connection.
            let _ = futures::executor::block_on(store.list_categories(page));
            // After a change of any key, the next request needs a connection to find its own.
            let change = |db: &Connection| {
                db.execute("UPDATE api_key_changes SET count = count + 1", [])?;
                Ok::<_, EngineError>(())
            };
            runtime.block_on(store.engine().write(change)).unwrap();
        }
    });
    ActiveFault::Reader {
        stop,
        thread: Some(thread),
    }
}

/// Holds up the writer until the next request has queued its write, so that the log is removed in the same transaction.
fn remove_log_in_next_batch(app: &TestApp) {
    let log = app.database().with_extension("db-wal");
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
    let store = sqlite(app.server().gate()).clone();
    let held = store.clone();
    let blocked = runtime.clone();
    thread::spawn(move || blocked.block_on(held.engine().write(hold)));
    begun.recv().unwrap();
    thread::spawn(move || {
        let release_when_queued = async {
            // The removal and the write of the request.
            while store.engine().writer_stats().queued < 2 {
                tokio::task::yield_now().await;
            }
            release.send(()).unwrap();
        };
        // The removal itself gets the error, too.
        runtime.block_on(async {
            let _ = tokio::join!(store.engine().write(remove), release_when_queued);
        });
    });
}

/// The store of a server on SQLite.
fn sqlite(gate: &Gate<Petstore>) -> &SqliteStore {
    match &gate.service().store {
        AnyStore::Sqlite(store) => store,
        AnyStore::Postgres(_) => panic!("the faults are those of SQLite"),
    }
}
