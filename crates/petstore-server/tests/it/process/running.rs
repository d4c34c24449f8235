//! A server as a process of its own, with a client for it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, ExitStatus};

use chrono::Utc;
use petstore_api::Plan;
use petstore_client::{Client, RetryPolicy};
use petstore_server::auth::{Access, ApiKey, NewKey, Terms};
use petstore_server::rate_limit::Limits;
use petstore_server::store::{EngineConfig, Store};

use crate::binary::{PATIENCE, Process, petstore};

/// The key that the tests use, one that is never used up. It is the same in every database, so that a client knows it
/// after the server was killed.
pub const KEY: &str = "pst_0123456789ABCDEFGHIJKLMNOPQRST4O7hJx";

/// `petstore serve` on a free port, with this database.
pub fn serve(database: &Path) -> Command {
    let mut command = petstore();
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "error"])
        .arg("--database")
        .arg(database);
    command
}

/// A server that listens. It is killed when it is dropped.
pub struct Running {
    pub client: Client,
    pub address: SocketAddr,
    process: Process,
}

impl Running {
    /// Starts a server on a free port, and waits until it says where it listens.
    pub fn start(database: &Path) -> Running {
        Running::of(&mut serve(database), database)
    }

    /// Runs a command that starts a server with this database.
    pub fn of(command: &mut Command, database: &Path) -> Running {
        let mut process = Process::run(command);
        let address = process.address();
        make_known(database);
        Running {
            client: client(address, KEY),
            address,
            process,
        }
    }

    /// The generated client with another key.
    pub fn client_of(&self, key: &str) -> Client {
        client(self.address, key)
    }

    /// See [`Process::line_beginning`].
    pub fn line_beginning(&mut self, with: &str) -> String {
        self.process.line_beginning(with)
    }

    /// What else it prints on standard output, until it ends.
    pub fn rest(&mut self) -> String {
        self.process.rest()
    }

    /// Ends the process at once (SIGKILL), and waits until it is gone.
    pub fn kill(self) {
        drop(self.process);
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        self.process.signal(name);
    }

    /// Sends a signal over and over, until the process has ended.
    pub fn insist(&mut self, name: &str) {
        self.process.insist(name);
    }

    /// Waits for the end of the process, and returns how it ended and what it said on standard error.
    pub fn end(self) -> (ExitStatus, String) {
        self.process.end()
    }
}

fn client(address: SocketAddr, key: &str) -> Client {
    // A test wants to see each answer, and counts what it sends; and the client's own patience is too short for a
    // machine that is busy with other tests.
    let once = RetryPolicy {
        attempt_timeout: PATIENCE,
        ..RetryPolicy::off()
    };
    Client::new(&format!("http://{address}"), key).with_retries(once)
}

/// Puts [`KEY`] into the database, unless an earlier server did.
fn make_known(database: &Path) {
    let store = Store::open_beside_server(&EngineConfig::at(database)).unwrap();
    let key = ApiKey::parse(KEY).unwrap();
    if store.find_key(&key.hash()).unwrap().is_some() {
        return;
    }
    let plenty = Limits {
        per_minute: 1_000_000_000,
        per_day: 1_000_000_000,
    };
    let new = NewKey {
        name: "the tests".to_owned(),
        terms: Terms::new(Plan::Enterprise, Some(plenty)).unwrap(),
        access: Access::Write,
    };
    futures::executor::block_on(store.create_key(new, &key, Utc::now())).unwrap();
}
