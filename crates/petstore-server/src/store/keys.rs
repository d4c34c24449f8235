//! The tables `api_keys` and `api_key_secrets`: what is kept of keys, and what the operator changes of them.

use chrono::{DateTime, Utc};
use petstore_api::Plan;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use thiserror::Error;

use crate::auth::{
    Access, ApiKey, Caller, FoundKey, KeyHash, KeyRecord, NewKey, SecretRecord, Terms,
};
use crate::rate_limit::{Account, Ban, Limits};
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::page::{Page, PageRequest};

/// Why a key could not be changed.
#[derive(Debug, Clone, Error)]
pub enum KeyError {
    /// There is none with this id.
    #[error("there is no key {id}")]
    NotFound {
        /// The id that was given.
        id: i64,
    },
    /// It was revoked, which is for good.
    #[error("key {id} is revoked; create another")]
    Revoked {
        /// The key.
        id: i64,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A new secret as it is kept: its hash, and what people may see of it.
struct NewSecret {
    hash: KeyHash,
    prefix: String,
    last4: String,
}

impl From<&ApiKey> for NewSecret {
    fn from(key: &ApiKey) -> NewSecret {
        NewSecret {
            hash: key.hash(),
            prefix: key.prefix().to_owned(),
            last4: key.last4().to_owned(),
        }
    }
}

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
                .query_map((page.after, page.bound() as i64 + 1), from_row)?
                .map(|key| with_secrets(db, key?))
                .collect::<Result<Vec<_>, StoreError>>()?;
            Ok(Page::of(keys, page))
        })
    }

    /// Makes a key, and returns its id.
    ///
    /// # Errors
    ///
    /// When the store cannot keep it.
    pub async fn create_key(
        &self,
        new: NewKey,
        secret: &ApiKey,
        now: DateTime<Utc>,
    ) -> Result<i64, StoreError> {
        let secret = NewSecret::from(secret);
        self.write(move |db| insert(db, &new, &secret, now)).await
    }

    /// Makes a key if there is none yet, not even a revoked one.
    ///
    /// # Errors
    ///
    /// When the store cannot keep it.
    pub async fn create_first_key(
        &self,
        new: NewKey,
        secret: &ApiKey,
        now: DateTime<Utc>,
    ) -> Result<Option<i64>, StoreError> {
        let secret = NewSecret::from(secret);
        self.write(move |db| {
            if any_key(db)? {
                return Ok(None);
            }
            insert(db, &new, &secret, now).map(Some)
        })
        .await
    }

    /// Puts a key on other terms, from its next request on.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`] and [`KeyError::Revoked`], or when the store cannot keep it.
    pub async fn set_key_terms(&self, id: i64, terms: Terms) -> Result<(), KeyError> {
        self.write(move |db| {
            require_valid(db, id)?;
            db.prepare_cached(
                "UPDATE api_keys SET plan = :plan, per_minute = :per_minute, per_day = :per_day
                 WHERE id = :id",
            )
            .and_then(|mut update| {
                let (per_minute, per_day) = own_figures(&terms);
                update.execute(named_params! {
                    ":id": id,
                    ":plan": terms.plan().as_str(),
                    ":per_minute": per_minute,
                    ":per_day": per_day,
                })
            })
            .map_err(StoreError::from)?;
            Ok(())
        })
        .await
    }

    /// Gives a key another secret. Those it has are accepted until `overlap_end`, and none longer than before.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`] and [`KeyError::Revoked`], or when the store cannot keep it.
    pub async fn rotate_key(
        &self,
        id: i64,
        secret: &ApiKey,
        overlap_end: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<(), KeyError> {
        let secret = NewSecret::from(secret);
        self.write(move |db| {
            require_valid(db, id)?;
            db.prepare_cached(
                "UPDATE api_key_secrets SET expires_at = :end
                 WHERE key_id = :id AND (expires_at IS NULL OR expires_at > :end)",
            )
            .and_then(|mut update| {
                update.execute(named_params! { ":id": id, ":end": overlap_end.timestamp() })
            })
            .map_err(StoreError::from)?;
            Ok(insert_secret(db, id, &secret, now)?)
        })
        .await
    }

    /// Revokes a key with all of its secrets, for good.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`] and [`KeyError::Revoked`], or when the store cannot keep it.
    pub async fn revoke_key(&self, id: i64, now: DateTime<Utc>) -> Result<(), KeyError> {
        self.write(move |db| {
            require_valid(db, id)?;
            db.prepare_cached("UPDATE api_keys SET revoked_at = ? WHERE id = ?")
                .and_then(|mut update| update.execute((now.timestamp(), id)))
                .map_err(StoreError::from)?;
            Ok(())
        })
        .await
    }

    /// Ends a key's ban and forgives its strikes. A running server follows with the key's next request.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], or when the store cannot keep it.
    pub async fn unban_key(&self, id: i64) -> Result<(), KeyError> {
        self.write(move |db| {
            let changed = db
                .prepare_cached(
                    "UPDATE api_keys SET strikes = 0, banned_until = NULL, ban_epoch = ban_epoch + 1
                     WHERE id = ?",
                )
                .and_then(|mut update| update.execute([id]))
                .map_err(StoreError::from)?;
            if changed == 0 {
                Err(KeyError::NotFound { id })
            } else {
                Ok(())
            }
        })
        .await
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

fn require_valid(db: &Connection, id: i64) -> Result<(), KeyError> {
    let revoked: Option<bool> = db
        .prepare_cached("SELECT revoked_at IS NOT NULL FROM api_keys WHERE id = ?")
        .and_then(|mut select| select.query_row([id], |row| row.get(0)).optional())
        .map_err(StoreError::from)?;
    match revoked {
        None => Err(KeyError::NotFound { id }),
        Some(true) => Err(KeyError::Revoked { id }),
        Some(false) => Ok(()),
    }
}

fn insert(
    db: &Connection,
    new: &NewKey,
    secret: &NewSecret,
    now: DateTime<Utc>,
) -> Result<i64, StoreError> {
    let (per_minute, per_day) = own_figures(&new.terms);
    db.prepare_cached(
        "INSERT INTO api_keys (name, plan, per_minute, per_day, access, created_at)
         VALUES (:name, :plan, :per_minute, :per_day, :access, :now)",
    )?
    .execute(named_params! {
        ":name": new.name,
        ":plan": new.terms.plan().as_str(),
        ":per_minute": per_minute,
        ":per_day": per_day,
        ":access": new.access.as_str(),
        ":now": now.timestamp(),
    })?;
    let id = db.last_insert_rowid();
    insert_secret(db, id, secret, now)?;
    Ok(id)
}

fn insert_secret(
    db: &Connection,
    key_id: i64,
    secret: &NewSecret,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    db.prepare_cached(
        "INSERT INTO api_key_secrets (hash, key_id, prefix, last4, created_at)
         VALUES (:hash, :key_id, :prefix, :last4, :now)",
    )?
    .execute(named_params! {
        ":hash": secret.hash.0,
        ":key_id": key_id,
        ":prefix": secret.prefix,
        ":last4": secret.last4,
        ":now": now.timestamp(),
    })?;
    Ok(())
}

fn own_figures(terms: &Terms) -> (Option<u64>, Option<u64>) {
    let own = terms.own();
    (own.map(|own| own.per_minute), own.map(|own| own.per_day))
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
