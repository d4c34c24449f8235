//! The tables `api_keys` and `api_key_secrets`: what is kept of keys, as it is read. Their rows are written in
//! `keys/changes.rs`.

mod changes;

use petstore_api::Plan;
use rusqlite::{Connection, OptionalExtension, Row};
use sqlite_engine::{Page, PageRequest};

pub use self::changes::KeyError;
use crate::auth::{Access, Caller, FoundKey, KeyHash, KeyRecord, SecretRecord, Terms};
use crate::rate_limit::{Account, Ban, Limits};
use crate::store::Store;
use crate::store::error::StoreError;

impl Store {
    /// The key that a secret belongs to.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn find_key(&self, hash: &KeyHash) -> Result<Option<FoundKey>, StoreError> {
        self.read(|db| {
            db.prepare_cached(
                "SELECT k.id, k.plan, k.per_minute, k.per_day, k.access, k.revoked_at,
                        k.strikes, k.banned_until, k.ban_epoch, s.expires_at, s.prefix
                 FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id
                 WHERE s.hash = ?",
            )?
            .query_row([hash.0], |row| {
                let terms = terms(row)?;
                Ok(FoundKey {
                    caller: Caller {
                        account: Account {
                            key_id: row.get("id")?,
                            limits: terms.limits(),
                            ban: ban(row)?,
                        },
                        plan: terms.plan(),
                        access: access(row)?,
                        prefix: row.get("prefix")?,
                    },
                    revoked_at: row.get("revoked_at")?,
                    expires_at: row.get("expires_at")?,
                })
            })
            .optional()
            .map_err(StoreError::from)
        })
    }

    /// Whether there is any key, revoked ones included.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn has_keys(&self) -> Result<bool, StoreError> {
        self.read(|db| Ok(any_key(db)?))
    }

    /// A key by its id.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn key(&self, id: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.read(|db| {
            let found = db
                .prepare_cached("SELECT * FROM api_keys WHERE id = ?")?
                .query_row([id], from_row)
                .optional()?;
            found.map(|key| with_secrets(db, key)).transpose()
        })
    }

    /// The keys that have a secret with these first 8 characters, in the order of ids; two of them, if there are more.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn keys_by_prefix(&self, prefix: &str) -> Result<Vec<i64>, StoreError> {
        self.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT DISTINCT key_id FROM api_key_secrets WHERE prefix = ? ORDER BY key_id LIMIT 2",
            )?;
            let ids = statement.query_map([prefix], |row| row.get(0))?;
            Ok(ids.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// A page of all keys.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn keys(&self, page: PageRequest) -> Result<Page<KeyRecord>, StoreError> {
        self.read(|db| {
            let mut statement =
                db.prepare_cached("SELECT * FROM api_keys WHERE id > ? ORDER BY id LIMIT ?")?;
            let keys = statement
                .query_map((page.after, page.effective_limit() as i64 + 1), from_row)?
                .map(|key| with_secrets(db, key?))
                .collect::<Result<Vec<_>, StoreError>>()?;
            Ok(Page::from_items(keys, page))
        })
    }
}

/// The last ban of a row with its columns.
pub(super) fn ban(row: &Row<'_>) -> rusqlite::Result<Ban> {
    Ok(Ban {
        strikes: row.get("strikes")?,
        until: row.get("banned_until")?,
        epoch: row.get("ban_epoch")?,
    })
}

fn any_key(db: &Connection) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT EXISTS (SELECT 1 FROM api_keys)")?
        .query_row([], |row| row.get(0))
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<KeyRecord> {
    Ok(KeyRecord {
        id: row.get("id")?,
        name: row.get("name")?,
        terms: terms(row)?,
        access: access(row)?,
        created_at: row.get("created_at")?,
        revoked_at: row.get("revoked_at")?,
        last_used_at: row.get("last_used_at")?,
        ban: ban(row)?,
        secrets: Vec::new(),
    })
}

fn with_secrets(db: &Connection, key: KeyRecord) -> Result<KeyRecord, StoreError> {
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

fn terms(row: &Row<'_>) -> rusqlite::Result<Terms> {
    let plan: Plan = parsed(row, "plan")?;
    let figures: (Option<u64>, Option<u64>) = (row.get("per_minute")?, row.get("per_day")?);
    let own = match figures {
        (Some(per_minute), Some(per_day)) => Some(Limits {
            per_minute,
            per_day,
        }),
        _ => None,
    };
    Terms::new(plan, own).map_err(|error| unreadable(row, "plan", error))
}

fn access(row: &Row<'_>) -> rusqlite::Result<Access> {
    parsed(row, "access")
}

fn parsed<T>(row: &Row<'_>, column: &str) -> rusqlite::Result<T>
where
    T: std::str::FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let text: String = row.get(column)?;
    text.parse().map_err(|error| unreadable(row, column, error))
}

fn unreadable(
    row: &Row<'_>,
    column: &str,
    error: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    let index = row.as_ref().column_index(column).unwrap_or_default();
    rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Text, Box::new(error))
}
