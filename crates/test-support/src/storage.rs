//! What a server of a test stores, on any [`Backend`]: made for the test, and deleted with it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use dropspec_gate::{Database, DatabaseConfig};
use dropspec_store::postgres::PostgresEngine;
use dropspec_store::sqlite::Engine;
use petstore_server::server::Settings;
use petstore_server::store::{EngineConfig, POSTGRES_SCHEMA, SCHEMA};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use tempfile::TempDir;
use test_postgres::{OpenTransaction, TestDatabase};
use test_redis::RedisDatabase;

use crate::Backend;

/// The tables that every service has: those of the engine, and those of the gate.
const SHARED_TABLES: [&str; 8] = [
    "applied_migrations",
    "idempotency_keys",
    "api_keys",
    "api_key_secrets",
    "api_key_changes",
    "usage",
    "operation_usage",
    "credit",
];

/// A folder for a server, and the database of the server: a file in it, or one on a server. Several servers may use the latter
/// at the same time.
pub struct Storage {
    directory: TempDir,
    postgres: Option<Arc<TestDatabase>>,
    redis: Option<Arc<RedisDatabase>>,
}

/// A lock that a test holds until it drops it.
pub enum Lock {
    /// A transaction on the file.
    Sqlite(Connection),
    /// A transaction on the server.
    Postgres(OpenTransaction),
}

/// A folder whose database is a file, whichever backend the tests run on.
impl From<TempDir> for Storage {
    fn from(directory: TempDir) -> Storage {
        Storage {
            directory,
            postgres: None,
            redis: None,
        }
    }
}

impl Storage {
    /// An empty folder and an empty database on the backend of the tests.
    #[expect(clippy::new_without_default, reason = "it makes a database")]
    pub fn new() -> Storage {
        let backend = Backend::chosen();
        let postgres = (!backend.is_file()).then(|| TestDatabase::create("Storage"));
        let redis = backend
            .has_redis()
            .then(|| RedisDatabase::create("Storage"));
        Storage {
            directory: TempDir::new().unwrap(),
            postgres: postgres.map(|it| Arc::new(it.expect("PostgreSQL is installed"))),
            redis: redis.map(|it| Arc::new(it.expect("Redis is installed"))),
        }
    }

    /// An empty folder, whose database is a file on every backend. For tests that are about files.
    pub fn file() -> Storage {
        TempDir::new().unwrap().into()
    }

    /// Another folder with the same database, for another server.
    ///
    /// # Panics
    ///
    /// If it is a file.
    pub fn for_another_server(&self) -> Storage {
        assert!(self.postgres.is_some(), "one server uses a file");
        Storage {
            directory: TempDir::new().unwrap(),
            postgres: self.postgres.clone(),
            redis: self.redis.clone(),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The database file.
    ///
    /// # Panics
    ///
    /// If the database is on a server.
    pub fn database_file(&self) -> PathBuf {
        assert!(self.postgres.is_none(), "the database is not a file");
        self.path().join("petstore.db")
    }

    /// The database on a server.
    pub fn postgres(&self) -> Option<&TestDatabase> {
        self.postgres.as_deref()
    }

    /// Whether Redis counts requests.
    pub fn has_redis(&self) -> bool {
        self.redis.is_some()
    }

    /// Replaces the addresses of the engines in a text.
    pub fn hide_engines(&self, text: &str) -> String {
        let urls = self.postgres.iter().map(|it| it.url());
        let urls = urls.chain(self.redis.iter().map(|it| it.url()));
        urls.fold(text.to_owned(), |text, url| {
            let host = url.split("//").nth(1).unwrap().split('/').next().unwrap();
            text.replace(host.rsplit('@').next().unwrap(), "engine")
        })
    }

    /// Makes a command use the database, unless its arguments say otherwise.
    pub fn set_environment(&self, command: &mut Command) {
        command.current_dir(self.path());
        if let Some(database) = &self.postgres {
            command.env("PETSTORE_DATABASE", database.url());
        }
        if let Some(database) = &self.redis {
            command.env("PETSTORE_LIMITS", database.url());
        }
    }

    /// Makes a server of this process use the database, by the clock of the server.
    pub(crate) fn configure(&self, settings: &mut Settings) {
        settings.database = Some(match &self.postgres {
            Some(database) => DatabaseConfig::Postgres(Box::new(database.url().parse().unwrap())),
            None => DatabaseConfig::file(self.database_file()),
        });
        settings.limits = self
            .redis
            .as_ref()
            .map(|database| database.url().parse().unwrap());
    }

    /// Opens the database beside a running server, as the commands do.
    pub async fn open_beside_server(&self) -> Database {
        match &self.postgres {
            Some(database) => {
                let config = database.url().parse().unwrap();
                let opened = PostgresEngine::open_existing(POSTGRES_SCHEMA, &config);
                Arc::new(opened.await.unwrap()).into()
            }
            None => {
                let config = EngineConfig::new(self.database_file());
                let engine = Engine::open_beside_server(SCHEMA, &config).unwrap();
                Arc::new(engine).into()
            }
        }
    }

    /// Runs SQL on the database.
    pub fn execute(&self, sql: &str) {
        match &self.postgres {
            Some(database) => database.execute(sql),
            None => drop(self.run_on_file(sql)),
        }
    }

    /// Runs a query, and returns the first column of its rows as texts.
    pub fn query(&self, sql: &str) -> Vec<String> {
        if let Some(database) = &self.postgres {
            return database.query(sql);
        }
        let connection = Connection::open(self.database_file()).unwrap();
        let mut statement = connection.prepare(sql).unwrap();
        let text = |value: ValueRef<'_>| match value {
            ValueRef::Null => String::new(),
            ValueRef::Integer(number) => number.to_string(),
            ValueRef::Text(text) => String::from_utf8(text.to_vec()).unwrap(),
            other => panic!("{other:?} is no text"),
        };
        let rows = statement.query_map([], |row| Ok(text(row.get_ref(0)?)));
        rows.unwrap().map(Result::unwrap).collect()
    }

    /// The tables of the database.
    fn tables(&self) -> Vec<String> {
        self.query(match &self.postgres {
            Some(_) => "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
            None => {
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            }
        })
    }

    /// Removes the tables of all records.
    pub fn drop_records(&self) {
        let is_of_records = |it: &String| !SHARED_TABLES.contains(&it.as_str());
        let tables = self.tables().into_iter().filter(is_of_records);
        match &self.postgres {
            Some(database) => {
                let tables: Vec<String> = tables.collect();
                database.execute(&format!("DROP TABLE {}", tables.join(", ")));
            }
            None => self.execute(
                &tables
                    .map(|it| format!("DROP TABLE {it};"))
                    .collect::<String>(),
            ),
        }
    }

    /// The hashes of all secrets, in hexadecimal digits.
    pub fn key_hashes(&self) -> Vec<String> {
        let hash = match &self.postgres {
            Some(_) => "encode(hash, 'hex')",
            None => "lower(hex(hash))",
        };
        self.query(&format!("SELECT {hash} FROM api_key_secrets"))
    }

    /// Prevents writes, as another process does that writes for a long time. Reads go on.
    pub fn lock_writes(&self) -> Lock {
        match &self.postgres {
            Some(database) => {
                // Whoever reads the count of changes of keys must not wait.
                let is_locked =
                    |it: &String| !["applied_migrations", "api_key_changes"].contains(&it.as_str());
                let tables: Vec<String> = self.tables().into_iter().filter(is_locked).collect();
                let sql = format!("LOCK TABLE {} IN EXCLUSIVE MODE", tables.join(", "));
                Lock::Postgres(database.begin(&sql))
            }
            None => Lock::Sqlite(self.run_on_file("BEGIN IMMEDIATE")),
        }
    }

    /// Runs SQL on the file, and returns the connection, with a transaction that the SQL has begun.
    fn run_on_file(&self, sql: &str) -> Connection {
        let connection = Connection::open(self.database_file()).unwrap();
        let sql = format!("PRAGMA foreign_keys = OFF; {sql}");
        connection.execute_batch(&sql).unwrap();
        connection
    }
}
