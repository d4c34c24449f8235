//! The schema of an application: its name, and the migrations that create its tables.

use sha2::{Digest, Sha256};

/// The database schema of an application.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// The name of the application, by which it recognizes its databases.
    pub application: &'static str,
    /// The SQL of each migration, in order and in groups, which others may define. A released migration never changes; a change
    /// of the schema is a new one.
    pub migrations: &'static [&'static [&'static str]],
}

impl Schema {
    /// The schema version after all migrations.
    pub fn version(&self) -> i64 {
        self.each_migration().count() as i64
    }

    /// The SQL of each migration.
    pub(crate) fn each_migration(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.migrations.iter().copied().flatten().copied()
    }

    /// The hash of each migration, by which an edited one is noticed, whichever line breaks a checkout gave it.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = Vec<u8>> {
        let hash = |sql: &str| Sha256::digest(sql.replace('\r', "")).to_vec();
        self.each_migration().map(hash)
    }
}
