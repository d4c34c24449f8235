//! The schema of an application: how its database is recognized, and the migrations that create it.

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

/// The database schema of an application: the id of its files, and the migrations that create its tables.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// The `application_id` in the header of the database file, by which the application recognizes its databases.
    /// The first migration sets it (`PRAGMA application_id`).
    pub application_id: i32,
    /// The SQL of each migration, in order and in groups, which others may define. A released migration never changes; a change
    /// of the schema is a new one.
    pub migrations: &'static [&'static [&'static str]],
}

impl Schema {
    /// The schema version after all migrations, stored as `user_version`.
    pub fn version(&self) -> i64 {
        self.each_migration().count() as i64
    }

    /// The SQL of each migration.
    pub(crate) fn each_migration(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.migrations.iter().copied().flatten().copied()
    }

    /// Applies the migrations that the database does not have yet.
    pub(crate) fn migrate(&self, connection: &mut Connection) -> rusqlite_migration::Result<()> {
        let migrations = self.each_migration().map(M::up).collect();
        Migrations::new(migrations).to_latest(connection)
    }
}
