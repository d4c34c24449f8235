//! Faults of the store, as seen by a running server. Each backend has its own way to provoke them.

mod postgres;
mod sqlite;

use std::sync::{Arc, mpsc};

use dropspec_gate::DatabaseConfig;
use petstore_server::server::Settings;
use test_postgres::CommitProxy;
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
    pub fn begin(self, app: &TestApp) -> ActiveFault {
        if self == StoreFault::TablesDropped {
            app.storage().drop_records();
            return ActiveFault::None;
        }
        match app.storage().postgres() {
            Some(database) => postgres::begin(self, database),
            None => sqlite::begin(self, app),
        }
    }
}

impl PreparedFault {
    /// Starts a server whose waits for the database are short.
    pub async fn start_app(&mut self, configure: impl FnOnce(&mut Settings)) -> TestApp {
        let storage = self.storage.take().unwrap();
        let change = |config: &mut Settings| {
            match config.database.as_mut().unwrap() {
                DatabaseConfig::Sqlite(config) => sqlite::shorten_waits(config, self.fault),
                DatabaseConfig::Postgres(config) => {
                    if let Some((_, url)) = &self.commits {
                        **config = url.parse().unwrap();
                    }
                    postgres::shorten_waits(config);
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
