//! The tables `api_keys` and `api_key_secrets`, read. `changes` writes them, and `authenticate` verifies keys by them.

use std::error::Error;
use std::sync::Arc;

use postgres_engine::Outage;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row};
use spec_runtime::{PlanInfo, RateLimits, SecuritySchemeInfo};
use sqlite_engine::{Engine, EngineError, Fault};

use super::authenticate::KeyIdentity;
use super::cache::{KeyCache, StoredSecret, Version};
use super::postgres::PostgresKeys;
use super::record::{KeyRecord, SecretRecord};
use super::scopes::KeyScopes;
use crate::auth::{Access, KeyHash, KeyPrefix, MAX_MARK, PlanLimits, Principal, Unauthenticated};
use crate::database::Database;
use crate::rate_limit::{Account, Ban, MemoryLedger, TimeSource};
use crate::storage_error::StorageError;

/// The SQL migration that creates the tables of API keys and their usage. Without [`KEY_LIMITS_SQL`] it allows limits of its
/// own only for a key of the plan `enterprise`.
pub const API_KEYS_SQL: &str = include_str!("../../migrations/api_keys.sql");

/// The SQL migration that counts changes of the tables of [`API_KEYS_SQL`], so that keys need not be read with each
/// request.
pub const API_KEY_CHANGES_SQL: &str = include_str!("../../migrations/api_key_changes.sql");

/// The SQL migration that creates the table of requests on credit.
pub const CREDIT_SQL: &str = include_str!("../../migrations/credit.sql");

/// The SQL migration that adds the scopes of keys to the tables of [`API_KEYS_SQL`] and [`API_KEY_CHANGES_SQL`].
pub const KEY_SCOPES_SQL: &str = include_str!("../../migrations/key_scopes.sql");

/// The SQL migration that allows limits of a key's own on any plan, in the tables of [`API_KEYS_SQL`].
pub const KEY_LIMITS_SQL: &str = include_str!("../../migrations/key_limits.sql");

/// The API keys of a service, in its database. It authenticates requests and is the ledger of the limiter. Changes
/// apply from a key's next request on; on PostgreSQL within half a second.
#[derive(Debug)]
pub struct ApiKeys {
    pub(super) tables: Tables,
    pub(super) settings: KeySettings,
    cache: KeyCache,
    /// The usage and bans of principals that have no key.
    pub(super) subjects: MemoryLedger,
}

/// The tables of API keys.
#[derive(Debug)]
pub(super) enum Tables {
    Sqlite(Arc<Engine>),
    Postgres(Box<PostgresKeys>),
}

/// The settings of a service's API keys: how secrets begin, where they are sent, and which plans exist.
#[derive(Clone, Copy, Debug)]
pub struct KeySettings {
    /// The first characters of every secret, such as `pst_`: ASCII, at most [`MAX_MARK`].
    pub mark: &'static str,
    /// The security scheme by which the texts of commands show how a key is sent; `None` if no operation has one.
    pub scheme: Option<SecuritySchemeInfo>,
    /// The plans that a key can have.
    pub plans: &'static [PlanInfo],
}

impl ApiKeys {
    /// Creates the access to the keys in a database that has the tables of [`API_KEYS_SQL`], [`API_KEY_CHANGES_SQL`],
    /// [`CREDIT_SQL`], [`KEY_SCOPES_SQL`], [`OPERATION_USAGE_SQL`] and [`KEY_LIMITS_SQL`], or on PostgreSQL those of [`POSTGRES_API_KEYS_SQL`] and
    /// [`POSTGRES_OPERATION_USAGE_SQL`].
    ///
    /// [`OPERATION_USAGE_SQL`]: super::OPERATION_USAGE_SQL
    /// [`POSTGRES_API_KEYS_SQL`]: super::POSTGRES_API_KEYS_SQL
    /// [`POSTGRES_OPERATION_USAGE_SQL`]: super::POSTGRES_OPERATION_USAGE_SQL
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
                Database::Postgres(engine) => {
                    Tables::Postgres(Box::new(PostgresKeys::new(engine, settings)))
                }
            },
            settings,
            cache: KeyCache::new(),
            subjects: MemoryLedger::default(),
        }
    }

    /// Sets by whose clock windows begin and end on PostgreSQL: by default that of the caller. A file has one server.
    ///
    /// # Errors
    ///
    /// If the clock of the engine cannot be read.
    pub async fn with_time(mut self, time: TimeSource) -> Result<ApiKeys, EngineError> {
        if let Tables::Postgres(keys) = &mut self.tables {
            keys.time = time;
            keys.read_clock().await?;
        }
        Ok(self)
    }

    /// Finds the API key with this id.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn find(&self, id: i64) -> Result<Option<KeyRecord>, EngineError> {
        let engine = sqlite_or_return!(self.tables, keys => keys.find(id));
        engine.read(|db| {
            let found = db
                .prepare_cached("SELECT * FROM api_keys WHERE id = ?")?
                .query_row([id], |row| self.read_key_record(row))
                .optional()?;
            found.map(|key| add_secrets(db, key)).transpose()
        })
    }

    /// Finds the ids of keys that have a secret with this prefix; at most two ids, enough to notice that it is
    /// ambiguous.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn find_ids_by_prefix(&self, prefix: &str) -> Result<Vec<i64>, EngineError> {
        let engine = sqlite_or_return!(self.tables, keys => keys.find_ids_by_prefix(prefix));
        engine.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT DISTINCT key_id FROM api_key_secrets WHERE prefix = ? ORDER BY key_id LIMIT 2",
            )?;
            let ids = statement.query_map([prefix], |row| row.get(0))?;
            Ok(ids.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Reads all keys in the order of their ids.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn list(&self) -> Result<Vec<KeyRecord>, EngineError> {
        let engine = sqlite_or_return!(self.tables, keys => keys.list());
        engine.read(|db| {
            db.prepare_cached("SELECT * FROM api_keys ORDER BY id")?
                .query_map([], |row| self.read_key_record(row))?
                .map(|key| add_secrets(db, key?))
                .collect()
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
            Tables::Postgres(keys) => Some(keys.version()),
        };
        if let Some(version) = &version
            && let Some((secret, changes)) = self.cache.find(hash)
            && changes == self.count_changes(version).await?
        {
            return Ok(Some(secret));
        }
        let (changes, found) = match &self.tables {
            Tables::Sqlite(engine) => engine.read(|db| self.read_secret(db, hash))?,
            Tables::Postgres(keys) => Box::pin(keys.read_secret(hash)).await?,
        };
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
        let changes = match &self.tables {
            Tables::Sqlite(engine) => engine.read(|db| {
                let mut select = db.prepare_cached("SELECT count FROM api_key_changes")?;
                Ok::<_, EngineError>(select.query_row([], |row| row.get(0))?)
            })?,
            Tables::Postgres(keys) => Box::pin(keys.count_changes()).await?,
        };
        self.cache.set_changes(version, changes);
        Ok(changes)
    }

    /// Reads the count of changes of keys, and the secret with this hash, in one statement.
    fn read_secret(
        &self,
        db: &Connection,
        hash: &KeyHash,
    ) -> Result<(i64, Option<StoredSecret>), EngineError> {
        let mut select = db.prepare_cached(
            "SELECT c.count, k.id, k.plan, k.per_minute, k.per_day, k.access, k.scopes, k.revoked_at,
                    k.strikes, k.banned_until, k.ban_epoch, s.expires_at, s.prefix
             FROM api_key_changes c
             LEFT JOIN api_key_secrets s ON s.hash = ?
             LEFT JOIN api_keys k ON k.id = s.key_id",
        )?;
        let read = select.query_row([hash.0], |row| {
            let changes = row.get("count")?;
            let Some(key_id) = row.get("id")? else {
                return Ok((changes, None));
            };
            // The clock that recorded the revocation may be ahead, so its time does not matter.
            let revoked_at: Option<i64> = row.get("revoked_at")?;
            let key = match revoked_at {
                Some(_) => Err(Unauthenticated::Revoked),
                None => Ok(self.read_principal(row, key_id)?),
            };
            let expires_at = row.get("expires_at")?;
            Ok((changes, Some(StoredSecret { key, expires_at })))
        });
        Ok(read?)
    }

    fn read_principal(
        &self,
        row: &Row<'_>,
        key_id: i64,
    ) -> rusqlite::Result<Principal<KeyIdentity>> {
        let limits = self.settings.read_plan_limits(row)?;
        let prefix: String = row.get("prefix")?;
        let identity = KeyIdentity {
            id: key_id,
            scopes: read_scopes(row)?,
        };
        Ok(Principal {
            identity: Arc::new(identity),
            account: Account {
                key_id,
                limits: limits.limits(),
                ban: read_ban(row)?,
            },
            plan: limits.plan(),
            access: read_access(row)?,
            prefix: KeyPrefix::new(&prefix),
        })
    }

    fn read_key_record(&self, row: &Row<'_>) -> rusqlite::Result<KeyRecord> {
        Ok(KeyRecord {
            id: row.get("id")?,
            name: row.get("name")?,
            limits: self.settings.read_plan_limits(row)?,
            access: read_access(row)?,
            scopes: read_scopes(row)?,
            created_at: row.get("created_at")?,
            revoked_at: row.get("revoked_at")?,
            last_used_at: row.get("last_used_at")?,
            ban: read_ban(row)?,
            secrets: Vec::new(),
        })
    }
}

impl KeySettings {
    /// The plan and the limits in the columns `plan`, `per_minute` and `per_day`.
    pub(super) fn read_plan_limits(&self, row: &Row<'_>) -> rusqlite::Result<PlanLimits> {
        let plan: String = row.get("plan")?;
        let custom: (Option<u64>, Option<u64>) = (row.get("per_minute")?, row.get("per_day")?);
        let custom = match custom {
            (Some(per_minute), Some(per_day)) => Some(RateLimits {
                per_minute,
                per_day,
            }),
            _ => None,
        };
        PlanLimits::find(self.plans, &plan, custom)
            .map_err(|error| conversion_error(row, "plan", error))
    }
}

impl From<EngineError> for StorageError {
    fn from(error: EngineError) -> StorageError {
        match error {
            EngineError::Unavailable(cause) if cause.is::<Fault>() || cause.is::<Outage>() => {
                StorageError::OutOfUse(cause)
            }
            EngineError::Unavailable(cause) => StorageError::Unavailable(cause),
            EngineError::Internal(cause) => StorageError::Internal(cause),
            EngineError::OutcomeUnknown(cause) => StorageError::OutcomeUnknown(cause),
        }
    }
}

/// Reads the ban from a row of the table `api_keys`.
pub(super) fn read_ban(row: &Row<'_>) -> rusqlite::Result<Ban> {
    Ok(Ban {
        strikes: row.get("strikes")?,
        until: row.get("banned_until")?,
        epoch: row.get("ban_epoch")?,
    })
}

fn add_secrets(db: &Connection, key: KeyRecord) -> Result<KeyRecord, EngineError> {
    let mut statement = db.prepare_cached(
        "SELECT prefix, last4, created_at, expires_at FROM api_key_secrets WHERE key_id = ?
         ORDER BY expires_at IS NOT NULL, expires_at DESC, created_at DESC",
    )?;
    let secrets = statement.query_map([key.id], |row| {
        Ok(SecretRecord {
            prefix: row.get("prefix")?,
            last4: row.get("last4")?,
            created_at: row.get("created_at")?,
            expires_at: row.get("expires_at")?,
        })
    })?;
    Ok(KeyRecord {
        secrets: secrets.collect::<rusqlite::Result<_>>()?,
        ..key
    })
}

fn read_scopes(row: &Row<'_>) -> rusqlite::Result<KeyScopes> {
    let text: Option<String> = row.get("scopes")?;
    Ok(KeyScopes::of_column(text.as_deref()))
}

fn read_access(row: &Row<'_>) -> rusqlite::Result<Access> {
    let text: String = row.get("access")?;
    Access::find(&text)
        .ok_or_else(|| conversion_error(row, "access", format!("no access {text:?}")))
}

fn conversion_error(
    row: &Row<'_>,
    column: &str,
    error: impl Into<Box<dyn Error + Send + Sync>>,
) -> rusqlite::Error {
    let index = row.as_ref().column_index(column).unwrap_or_default();
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, error.into())
}
