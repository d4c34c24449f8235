//! What can befall the store of a scene.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use petstore_server::config::Config;
use petstore_server::store::PageRequest;
use rusqlite::Connection;
use test_support::TestApp;

/// What is wrong with the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    None,
    /// Somebody dropped the tables.
    TablesAreGone,
    /// Somebody dropped the secrets of the keys.
    KeysAreGone,
    /// Another process is writing, for longer than anyone waits.
    DatabaseIsTaken,
    /// Somebody else reads, over the one connection that there is, nearly all of the time.
    ConnectionIsTaken,
}

/// The trouble lasts as long as this is held.
pub enum Lasting {
    Nothing,
    Held(#[expect(dead_code, reason = "it holds a lock")] Connection),
    Reading {
        done: Arc<AtomicBool>,
        reader: Option<JoinHandle<()>>,
    },
}

impl Trouble {
    /// Makes a server impatient that would otherwise wait for the trouble to pass.
    pub fn prepare(self, config: &mut Config) {
        config.store.busy_timeout = Duration::from_millis(1);
        if self == Trouble::ConnectionIsTaken {
            config.store.read_connections = 1;
            config.store.read_timeout = Duration::from_millis(1);
        }
    }

    /// Whether a request can slip through.
    pub fn comes_and_goes(self) -> bool {
        self == Trouble::ConnectionIsTaken
    }

    /// Makes it so.
    pub async fn begin(self, app: &TestApp) -> Lasting {
        match self {
            Trouble::None => Lasting::Nothing,
            Trouble::TablesAreGone => {
                let drop = "DROP TABLE orders; DROP TABLE pets; DROP TABLE categories;";
                Lasting::Held(execute(app, drop))
            }
            Trouble::KeysAreGone => Lasting::Held(execute(app, "DROP TABLE api_key_secrets;")),
            Trouble::DatabaseIsTaken => Lasting::Held(execute(app, "BEGIN IMMEDIATE;")),
            Trouble::ConnectionIsTaken => keep_reading(app),
        }
    }
}

impl Drop for Lasting {
    fn drop(&mut self) {
        if let Lasting::Reading { done, reader } = self {
            done.store(true, Ordering::Relaxed);
            let reader = reader.take().unwrap();
            reader.join().unwrap();
        }
    }
}

fn execute(app: &TestApp, sql: &str) -> Connection {
    let other = Connection::open(app.database()).unwrap();
    let sql = format!("PRAGMA foreign_keys = OFF; {sql}");
    other.execute_batch(&sql).unwrap();
    other
}

/// Reads a table that takes its time, again and again.
fn keep_reading(app: &TestApp) -> Lasting {
    let slow = "DROP TABLE categories;
        CREATE VIEW categories AS
        WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 30000)
        SELECT max(id) AS id, 'Cat' AS name, 'cat' AS name_key, NULL AS description FROM n;";
    execute(app, slow);
    let done = Arc::new(AtomicBool::new(false));
    let service = Arc::clone(app.server().service());
    let stop = Arc::clone(&done);
    let reader = thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            let page = PageRequest { after: 0, limit: 1 };
            // Whoever is faster has the connection; the other one is told that there is none.
            let _ = futures::executor::block_on(service.store.categories(page));
        }
    });
    Lasting::Reading {
        done,
        reader: Some(reader),
    }
}
