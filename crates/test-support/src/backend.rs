//! What the servers of end-to-end tests run on: the variable `PETSTORE_TEST_BACKEND` chooses it for all tests of a process.

/// The variable: `sqlite` (as without it), `postgres` or `postgres+redis`.
const VARIABLE: &str = "PETSTORE_TEST_BACKEND";

/// Where servers store records, and where they count requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Both in a file.
    Sqlite,
    /// Both in a database on a PostgreSQL server.
    Postgres,
    /// Records in a database on a PostgreSQL server, counts in Redis.
    PostgresRedis,
}

impl Backend {
    /// The backend that the variable names.
    ///
    /// # Panics
    ///
    /// If it names another one.
    pub fn chosen() -> Backend {
        match std::env::var(VARIABLE).as_deref() {
            Err(_) | Ok("sqlite") => Backend::Sqlite,
            Ok("postgres") => Backend::Postgres,
            Ok("postgres+redis") => Backend::PostgresRedis,
            Ok(other) => {
                panic!("{VARIABLE}={other}: write sqlite, postgres or postgres+redis")
            }
        }
    }

    /// Whether records are in a file, of which a server is sole owner.
    pub fn is_file(self) -> bool {
        self == Backend::Sqlite
    }

    /// Whether Redis counts requests.
    pub fn has_redis(self) -> bool {
        self == Backend::PostgresRedis
    }
}
