//! A database for one test.

use std::sync::OnceLock;

use crate::programs::delete_at_exit;
use crate::proxy::CommitProxy;
use crate::server::{TestServer, execute, query};
use crate::skip::skip;
use crate::transaction::OpenTransaction;

/// Names a server on which databases can be created.
const VARIABLE: &str = "PETSTORE_TEST_POSTGRES";

/// The server of this machine, as Debian has it.
const OF_MACHINE: &str = "postgres://postgres@127.0.0.1:5432/postgres";

/// A new database. It is deleted when it is dropped.
pub struct TestDatabase {
    name: String,
    url: String,
}

impl TestDatabase {
    /// Creates an empty database. `None` if there is no server; then the test is reported as skipped and must return.
    ///
    /// # Panics
    ///
    /// See [`skip`].
    pub fn create(test: &str) -> Option<TestDatabase> {
        let Some(server) = server_url() else {
            skip(test, "there is no PostgreSQL server, and none is installed");
            return None;
        };
        let name = format!("test_{:016x}", fastrand::u64(..));
        execute(server, &format!("CREATE DATABASE {name}")).unwrap();
        let url = with_database(server, &name);
        Some(TestDatabase { name, url })
    }

    /// The URL of the database.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Runs SQL on the database.
    pub fn execute(&self, sql: &str) {
        execute(&self.url, sql).unwrap();
    }

    /// Runs a query on the database, and returns the first column of its rows as texts. Null is an empty text.
    pub fn query(&self, sql: &str) -> Vec<String> {
        query(&self.url, sql).unwrap()
    }

    /// Begins a transaction, and runs SQL in it, such as one that locks a table.
    pub fn begin(&self, sql: &str) -> OpenTransaction {
        OpenTransaction::begin(&self.url, sql)
    }

    /// Starts a proxy before the server. Returns it with the URL of the database behind it.
    pub fn proxy(&self) -> (CommitProxy, String) {
        let config: tokio_postgres::Config = self.url.parse().unwrap();
        let proxy = CommitProxy::start(*config.get_ports().first().unwrap_or(&5432));
        let url = proxy.url(&self.name);
        (proxy, url)
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let Some(server) = server_url() {
            // A server that the test has stopped takes its databases along.
            let _ = execute(server, &format!("DROP DATABASE {} WITH (FORCE)", self.name));
        }
    }
}

/// The URL of a database on the same server.
pub(crate) fn with_database(server: &str, name: &str) -> String {
    let (base, query) = server.split_once('?').unwrap_or((server, ""));
    let (base, _) = base.rsplit_once('/').unwrap();
    match query {
        "" => format!("{base}/{name}"),
        query => format!("{base}/{name}?{query}"),
    }
}

/// The server of all databases of this process.
fn server_url() -> Option<&'static str> {
    static URL: OnceLock<Option<String>> = OnceLock::new();
    let of_machine = || {
        let answers = execute(OF_MACHINE, "SELECT 1").is_ok();
        answers.then(|| OF_MACHINE.to_owned())
    };
    let find = || {
        if let Ok(url) = std::env::var(VARIABLE) {
            return Some(url);
        }
        // A process for each test would start as many servers.
        let is_process_of_one_test = std::env::var_os("NEXTEST").is_some();
        if is_process_of_one_test && let Some(url) = of_machine() {
            return Some(url);
        }
        start_server().or_else(of_machine)
    };
    URL.get_or_init(find).as_deref()
}

/// Starts a server that ends with the process. It is faster than that of a machine, as it keeps nothing that must survive.
fn start_server() -> Option<String> {
    let settings = [
        "full_page_writes=off",
        "synchronous_commit=off",
        "autovacuum=off",
        "max_connections=500",
    ];
    let server = TestServer::create(&settings, &[], None)?;
    let url = server.url("postgres");
    delete_at_exit(server.directory());
    std::mem::forget(server);
    Some(url)
}
