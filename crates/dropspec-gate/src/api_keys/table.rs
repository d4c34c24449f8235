//! The tables of API keys on either engine, and the secrets that are valid by them.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use dropspec_rate_limit::clock::Clock;
use dropspec_rate_limit::storage_error::StorageError;
use dropspec_rate_limit::{MemoryLedger, TimeSource};
use dropspec_store::EngineError;
use dropspec_store::sqlite::Engine;

use super::cache::{KeyCache, StoredSecret, Version};
use super::db::{Sqlite, read, run};
use super::engine_error::to_storage_error;
#[cfg(feature = "postgres")]
use super::postgres::PostgresKeys;
use super::read::{count_changes, find_ids_by_prefix, read_keys, read_secret};
use super::record::{KeyIdentity, KeyRecord, has_ended};
#[cfg(feature = "redis")]
use super::redis_ledger::RedisLedger;
use super::settings::KeySettings;
use crate::api_keys::{Database, KeyHash, MAX_MARK, Principal, Unauthenticated};

/// The first migrations of the tables of API keys on SQLite. Those of [`KEY_TABLES_2`] have to come later; a service's own may
/// stand between them.
pub const KEY_TABLES: &[&str] = &[
    include_str!("../../migrations/api_keys.sql"),
    include_str!("../../migrations/api_key_changes.sql"),
    include_str!("../../migrations/credit.sql"),
];

/// The migrations of the tables of API keys on SQLite after [`KEY_TABLES`].
pub const KEY_TABLES_2: &[&str] = &[
    include_str!("../../migrations/key_scopes.sql"),
    include_str!("../../migrations/operation_usage.sql"),
    include_str!("../../migrations/key_limits.sql"),
    include_str!("../../migrations/key_log.sql"),
];

/// The API keys of a service, in its database. It authenticates requests and is the ledger of the limiter. Changes
/// apply from a key's next request on; on PostgreSQL within half a second.
#[derive(Debug)]
pub struct ApiKeys {
    pub(super) tables: Tables,
    pub(super) settings: KeySettings,
    cache: KeyCache,
    /// The usage and bans of principals that have no key.
    pub(super) subjects: MemoryLedger,
    /// Counts requests in place of the database, if there is one.
    #[cfg(feature = "redis")]
    pub(super) engine: Option<Box<RedisLedger>>,
}

/// The tables of API keys.
#[derive(Debug)]
pub(super) enum Tables {
    Sqlite(Arc<Engine>),
    #[cfg(feature = "postgres")]
    Postgres(Box<PostgresKeys>),
}

impl Tables {
    #[cfg(feature = "redis")]
    pub(super) fn database(&self) -> Database {
        match self {
            Tables::Sqlite(engine) => Arc::clone(engine).into(),
            #[cfg(feature = "postgres")]
            Tables::Postgres(keys) => Arc::clone(&keys.engine).into(),
        }
    }

    /// Notes that this process may have changed a key. Whatever the result of the write is: a commit without an answer may
    /// have been stored.
    pub(super) fn note_change(&self) {
        #[cfg(feature = "postgres")]
        if let Tables::Postgres(keys) = self {
            keys.note_change();
        }
    }
}

impl ApiKeys {
    /// Creates the access to the keys in a database that has the tables of [`KEY_TABLES`] and [`KEY_TABLES_2`], or on PostgreSQL
    /// those of [`POSTGRES_KEY_TABLES`](super::POSTGRES_KEY_TABLES).
    ///
    /// # Panics
    ///
    /// If the mark is not ASCII or too long.
    pub fn new(database: impl Into<Database>, settings: KeySettings) -> ApiKeys {
        let mark = settings.mark;
        assert!(
            mark.is_ascii() && mark.len() <= MAX_MARK,
            "the mark {mark:?} of API keys has to be ASCII and at most {MAX_MARK} characters"
        );
        ApiKeys {
            tables: match database.into() {
                Database::Sqlite(engine) => Tables::Sqlite(engine),
                #[cfg(feature = "postgres")]
                Database::Postgres(engine) => Tables::Postgres(Box::new(PostgresKeys::new(engine))),
            },
            settings,
            cache: KeyCache::new(),
            subjects: MemoryLedger::default(),
            #[cfg(feature = "redis")]
            engine: None,
        }
    }

    /// Sets by whose clock windows begin and end on PostgreSQL: by default that of the caller. A file has one server. For times
    /// that are stored, see [`ApiKeys::clock`].
    ///
    /// # Errors
    ///
    /// If the clock of the engine cannot be read.
    pub async fn with_time(self, time: TimeSource) -> Result<ApiKeys, EngineError> {
        match self.tables {
            Tables::Sqlite(_) => {
                let _ = time;
                Ok(self)
            }
            #[cfg(feature = "postgres")]
            Tables::Postgres(mut keys) => {
                keys.source = time;
                keys.read_clock().await?;
                Ok(ApiKeys {
                    tables: Tables::Postgres(keys),
                    ..self
                })
            }
        }
    }

    /// The clock of the database, of which every call should get its time; `None` if a file or the caller has the clock that
    /// counts. It is an estimate that [`ApiKeys::read_clock`] and leases keep right.
    pub fn clock(&self) -> Option<Arc<dyn Clock>> {
        match &self.tables {
            Tables::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Tables::Postgres(keys) => keys.clock(),
        }
    }

    /// Reads the clock of the database, if that is not a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub async fn read_clock(&self) -> Result<(), EngineError> {
        match &self.tables {
            Tables::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Tables::Postgres(keys) => keys.read_clock().await,
        }
    }

    /// Finds the API key with this id.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn find(&self, id: i64) -> Result<Option<KeyRecord>, EngineError> {
        let mut found = read!(self.tables, (Some(id), self.settings), read_keys)?;
        Ok(found.pop())
    }

    /// Reads all keys in the order of their ids.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn list(&self) -> Result<Vec<KeyRecord>, EngineError> {
        read!(self.tables, (None, self.settings), read_keys)
    }

    /// Finds the ids of keys that have a secret which begins so, as lists show it (`prefix…last4`); at most
    /// [`MAX_FOUND`](super::MAX_FOUND).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn find_ids_by_prefix(&self, prefix: &str) -> Result<Vec<i64>, EngineError> {
        // PostgreSQL knows no text with this character.
        read!(self.tables, prefix.replace('\0', ""), find_ids_by_prefix)
    }

    /// The settings of the keys.
    pub fn settings(&self) -> &KeySettings {
        &self.settings
    }

    /// Finds the key that is the first well-formed one of `texts`, at `now`. Every change of a key applies from its next
    /// request on, as a secret in the cache is used only while no key has changed.
    ///
    /// # Errors
    ///
    /// If the database cannot be read; the inner error if the key is not valid.
    pub async fn verify_secret(
        &self,
        texts: &[&str],
        now: DateTime<Utc>,
    ) -> Result<Result<Principal<KeyIdentity>, Unauthenticated>, StorageError> {
        let mark = self.settings.mark;
        let mut hashes = texts
            .iter()
            .filter_map(|text| KeyHash::of_text(mark, text.as_bytes()));
        let Some(hash) = hashes.next() else {
            return Ok(Err(Unauthenticated::Invalid));
        };
        let found = self.find_secret(&hash).await.map_err(to_storage_error)?;
        Ok(match found {
            None => Err(Unauthenticated::Invalid),
            Some(secret) => {
                let has_ended = |end| has_ended(end, now.timestamp());
                match secret.key {
                    Err(reason) => Err(reason),
                    Ok(_) if has_ended(secret.key_expires_at) => Err(Unauthenticated::Expired),
                    Ok(_) if has_ended(secret.expires_at) => Err(Unauthenticated::Replaced),
                    Ok(key) => Ok(key),
                }
            }
        })
    }

    /// Finds the secret with this hash, in the cache if the data has not changed since it was read.
    pub(super) async fn find_secret(
        &self,
        hash: &KeyHash,
    ) -> Result<Option<StoredSecret>, EngineError> {
        // Before anything is read: if it changes meanwhile, the next request sees another version.
        let version = match &self.tables {
            Tables::Sqlite(engine) => engine.data_version().map(Version::Data),
            #[cfg(feature = "postgres")]
            Tables::Postgres(keys) => Some(keys.version()),
        };
        if let Some(version) = &version
            && let Some((secret, changes)) = self.cache.find(hash)
            && changes == self.count_changes(version).await?
        {
            return Ok(Some(secret));
        }
        let input = (*hash, self.settings);
        let (changes, found) = read!(self.tables, input, read_secret)?;
        if let Some(version) = &version {
            self.cache.set_changes(version, changes);
            if let Some(secret) = &found {
                self.cache.insert(*hash, secret.clone(), changes);
            }
        }
        Ok(found)
    }

    /// The count of changes of keys in the data of this version or a later one.
    async fn count_changes(&self, version: &Version) -> Result<i64, EngineError> {
        if let Some(known) = self.cache.changes_of(version) {
            return Ok(known);
        }
        let changes = read!(self.tables, (), count_changes)?;
        self.cache.set_changes(version, changes);
        Ok(changes)
    }
}
