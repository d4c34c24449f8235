//! Faults of SQLite: tables of keys that are gone, a lock that another process holds, a pool without a free connection, and a log
//! that is removed.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use dropspec_gate::Gate;
use dropspec_store::sqlite::Engine;
use petstore_server::api::Petstore;
use petstore_server::store::{EngineConfig, EngineError};
use rusqlite::Connection;
use test_support::TestApp;

use super::{ActiveFault, StoreFault};

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
        StoreFault::SecretsBusy => return ActiveFault::Reader(use_the_reader(app)),
        StoreFault::OutcomeLost => remove_log_in_next_batch(app),
        StoreFault::LedgerLocked => return ActiveFault::Lock(app.storage().lock_writes()),
        StoreFault::SecretsDropped => {
            let sql = "DROP TABLE api_key_secrets; DROP TABLE api_key_changes;";
            app.storage().execute(sql);
        }
    }
    ActiveFault::None
}

/// Reads with the only connection until the other end is dropped.
fn use_the_reader(app: &TestApp) -> mpsc::Sender<()> {
    let (begin, begun) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    let engine = Arc::clone(engine(app.server().gate()));
    thread::spawn(move || {
        engine.read(|_| {
            begin.send(()).unwrap();
            let _ = ended.recv();
            Ok::<_, EngineError>(())
        })
    });
    begun.recv().unwrap();
    end
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
