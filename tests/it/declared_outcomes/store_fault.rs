//! Faults of the store, as seen by a running server. Each backend has its own way to provoke them.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use petstore_server::api::Petstore;
use petstore_server::server::Settings;
use petstore_server::store::EngineError;
use rusqlite::Connection;
use spec_gate::{DatabaseConfig, Gate};
use sqlite_engine::Engine;
use test_postgres::{CommitProxy, TestDatabase};
use test_redis::TestRedis;
use test_support::{Lock, Storage, TestApp};

/// A fault of the store, which a test provokes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFault {
    None,
    TablesDropped,
    SecretsDropped,
    /// No lease can be had: others hold the lock of the ledger, or Redis refuses scripts.
    LedgerLocked,
    /// The secret of a key cannot be read in time.
    SecretsBusy,
    /// It stays unknown whether the write of the request is stored.
    OutcomeLost,
}

/// What a fault needs before the server starts.
pub struct PreparedFault {
    fault: StoreFault,
    storage: Option<Storage>,
    commits: Option<(CommitProxy, String)>,
    engine: Option<Arc<TestRedis>>,
}

/// A fault of the store that has begun. It ends when the value is dropped.
#[expect(dead_code, reason = "they end by being dropped")]
pub enum ActiveFault {
    None,
    Lock(Lock),
    Reader(mpsc::Sender<()>),
    Engine(RefusingEngine),
}

/// An engine that refuses the scripts by which leases are taken, until this is dropped.
pub struct RefusingEngine(Arc<TestRedis>);

impl StoreFault {
    /// Prepares the fault.
    pub fn prepare(self) -> PreparedFault {
        let storage = Storage::new();
        let is_lost = self == StoreFault::OutcomeLost;
        let is_locked = self == StoreFault::LedgerLocked;
        let engine = (is_locked && storage.has_redis()).then(|| TestRedis::start("LedgerLocked"));
        PreparedFault {
            fault: self,
            commits: storage.postgres().filter(|_| is_lost).map(|it| it.proxy()),
            engine: engine.map(|it| Arc::new(it.expect("Redis is installed"))),
            storage: Some(storage),
        }
    }

    /// Begins a fault that needs no preparation.
    fn begin(self, app: &TestApp) -> ActiveFault {
        let storage = app.storage();
        let lock_table = |database: &TestDatabase, lock: &str| {
            ActiveFault::Lock(Lock::Postgres(database.begin(lock)))
        };
        match (self, storage.postgres()) {
            (StoreFault::None, _) => {}
            (StoreFault::TablesDropped, _) => storage.drop_records(),
            (StoreFault::SecretsDropped, _) => {
                storage.execute("DROP TABLE api_key_secrets; DROP TABLE api_key_changes;");
            }
            (StoreFault::LedgerLocked, Some(database)) => {
                return lock_table(database, "LOCK TABLE usage IN EXCLUSIVE MODE");
            }
            (StoreFault::LedgerLocked, None) => return ActiveFault::Lock(storage.lock_writes()),
            (StoreFault::SecretsBusy, Some(database)) => {
                return lock_table(
                    database,
                    "LOCK TABLE api_key_secrets IN ACCESS EXCLUSIVE MODE",
                );
            }
            (StoreFault::SecretsBusy, None) => return ActiveFault::Reader(use_the_reader(app)),
            // A proxy loses the answer.
            (StoreFault::OutcomeLost, Some(_)) => {}
            (StoreFault::OutcomeLost, None) => remove_log_in_next_batch(app),
        }
        ActiveFault::None
    }
}

impl PreparedFault {
    /// Starts a server whose waits for the database are short.
    pub async fn start_app(&mut self, configure: impl FnOnce(&mut Settings)) -> TestApp {
        let storage = self.storage.take().unwrap();
        let change = |config: &mut Settings| {
            match (config.database.as_mut().unwrap(), self.fault) {
                (DatabaseConfig::Sqlite(config), StoreFault::LedgerLocked) => {
                    config.busy_timeout = Duration::from_millis(1);
                }
                (DatabaseConfig::Sqlite(config), StoreFault::SecretsBusy) => {
                    config.read_connections = 1;
                    config.read_timeout = Duration::from_millis(1);
                }
                // The lock of a connection that changes the tables is waited for.
                (DatabaseConfig::Sqlite(_), _) => {}
                (DatabaseConfig::Postgres(config), _) => {
                    if let Some((_, url)) = &self.commits {
                        **config = url.parse().unwrap();
                    }
                    // Servers of tests lock each other out for less.
                    config.lock_timeout = Duration::from_millis(200);
                }
            }
            if let (Some(limits), Some(engine)) = (&mut config.limits, &self.engine) {
                *limits = engine.url().parse().unwrap();
            }
            configure(config);
        };
        TestApp::start_on(storage, change).await
    }

    /// Begins the fault.
    pub fn begin(&self, app: &TestApp) -> ActiveFault {
        if let Some(engine) = &self.engine {
            return ActiveFault::Engine(RefusingEngine::new(Arc::clone(engine)));
        }
        if let Some((proxy, _)) = &self.commits {
            // The next commit may be one in the background.
            proxy.lose_commit_answers();
            return ActiveFault::None;
        }
        self.fault.begin(app)
    }
}

impl RefusingEngine {
    fn new(engine: Arc<TestRedis>) -> RefusingEngine {
        engine.command(&["ACL", "SETUSER", "default", "-@scripting"]);
        RefusingEngine(engine)
    }
}

impl Drop for RefusingEngine {
    fn drop(&mut self) {
        self.0.command(&["ACL", "SETUSER", "default", "+@all"]);
    }
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
