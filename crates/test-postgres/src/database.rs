//! A database for one test.

use std::sync::OnceLock;

use tokio_postgres::NoTls;

use crate::server::TestServer;
use crate::skip::skip;

/// Names a server on which databases can be created.
const VARIABLE: &str = "PETSTORE_TEST_POSTGRES";

/// The server of this machine, as Debian and CI have it.
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
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let Some(server) = server_url() {
            // A server that the test has stopped takes its databases along.
            let _ = execute(server, &format!("DROP DATABASE {} WITH (FORCE)", self.name));
        }
    }
}

/// Runs SQL on the database at a URL, on a thread of its own, so that it can be called from async tests.
///
/// # Errors
///
/// If there is no server, or it refuses the SQL.
pub fn execute(url: &str, sql: &str) -> Result<(), tokio_postgres::Error> {
    std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
                let connection = tokio::spawn(connection);
                let executed = client.batch_execute(sql).await;
                connection.abort();
                executed
            })
        });
        run.join().unwrap()
    })
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
    let find = || {
        if let Ok(url) = std::env::var(VARIABLE) {
            return Some(url);
        }
        if execute(OF_MACHINE, "SELECT 1").is_ok() {
            return Some(OF_MACHINE.to_owned());
        }
        let server = TestServer::try_start(&[])?;
        let url = server.url("postgres");
        // Until the process ends, which ends the server.
        std::mem::forget(server);
        Some(url)
    };
    URL.get_or_init(find).as_deref()
}
