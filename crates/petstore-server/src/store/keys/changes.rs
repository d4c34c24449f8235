//! What the operator changes of keys: each change is one write, and holds from the key's next request on.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, named_params};
use sqlite_engine::EngineError;
use thiserror::Error;

use super::any_key;
use crate::auth::{ApiKey, KeyHash, NewKey, Terms};
use crate::store::Store;
use crate::store::error::StoreError;

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

impl From<EngineError> for KeyError {
    fn from(error: EngineError) -> KeyError {
        StoreError::from(error).into()
    }
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
