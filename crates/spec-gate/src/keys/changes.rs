//! Creating, changing and revoking keys: each change is one write, and applies from the key's next request on.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, named_params};
use sqlite_engine::{Engine, EngineError};
use thiserror::Error;

use super::record::{IssuedKey, NewKey};
use super::scopes::KeyScopes;
use super::table::{ApiKeys, Tables};
use super::usage::claim_lost_credit;
use crate::auth::{ApiKey, PlanLimits};

/// The expiry of a secret that has expired whatever the clock says.
pub(super) const EXPIRED: i64 = 0;

/// Why an API key could not be changed.
#[derive(Debug, Clone, Error)]
pub enum KeyError {
    /// No key has this id.
    #[error("there is no key {0}")]
    NotFound(i64),
    /// The key with this id is revoked, which cannot be undone.
    #[error("key {0} is revoked; create another")]
    Revoked(i64),
    /// The database failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl ApiKeys {
    /// Generates a secret for a key from the system's random source. It is not stored yet.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn generate_secret(&self) -> Result<ApiKey, EngineError> {
        ApiKey::generate(self.settings.mark).map_err(EngineError::unavailable)
    }

    /// Stores a new key with this secret, and returns the id of the key.
    ///
    /// # Errors
    ///
    /// If it cannot be stored.
    pub async fn create(
        &self,
        new: NewKey,
        secret: &ApiKey,
        now: DateTime<Utc>,
    ) -> Result<i64, EngineError> {
        let engine = sqlite_or_return!(self.tables, keys => keys.create(new, secret, now));
        let secret = secret.clone();
        engine.write(move |db| insert(db, &new, &secret, now)).await
    }

    /// Creates a key with a new secret if the database has no key, not even a revoked one; otherwise returns `None`.
    ///
    /// # Errors
    ///
    /// If it cannot be stored, or the system has no randomness.
    pub async fn create_first(
        &self,
        new: NewKey,
        now: DateTime<Utc>,
    ) -> Result<Option<IssuedKey>, EngineError> {
        let engine = sqlite_or_return!(
            self.tables,
            keys => keys.create_first(new, now, || self.generate_secret())
        );
        if engine.read(has_keys)? {
            return Ok(None);
        }
        let key = self.generate_secret()?;
        let secret = key.clone();
        let id = engine.write(move |db| {
            if has_keys(db)? {
                return Ok(None);
            }
            insert(db, &new, &secret, now).map(Some)
        });
        Ok(id.await?.map(|id| IssuedKey { id, key }))
    }

    /// Changes the plan and the limits of the key with this id at `now`. If the new limits give less credit, requests that
    /// the key may have spent on credit count as used from then on: a crash would count too few of them.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], [`KeyError::Revoked`], or if it cannot be stored.
    pub async fn set_limits(
        &self,
        id: i64,
        limits: PlanLimits,
        now: DateTime<Utc>,
    ) -> Result<(), KeyError> {
        let engine = sqlite_or_return!(self.tables, keys => keys.set_limits(id, limits));
        let settings = self.settings;
        change(engine, id, move |db| {
            let before = db
                .prepare_cached("SELECT plan, per_minute, per_day FROM api_keys WHERE id = ?")?
                .query_row([id], |row| settings.read_plan_limits(row))?;
            claim_lost_credit(db, id, before.limits(), limits.limits(), now.timestamp())?;
            let (per_minute, per_day) = custom_columns(&limits);
            db.prepare_cached(
                "UPDATE api_keys SET plan = :plan, per_minute = :per_minute, per_day = :per_day
                 WHERE id = :id",
            )?
            .execute(named_params! {
                ":id": id,
                ":plan": limits.plan(),
                ":per_minute": per_minute,
                ":per_day": per_day,
            })?;
            Ok(())
        })
        .await
    }

    /// Changes the scopes of the key with this id.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], [`KeyError::Revoked`], or if it cannot be stored.
    pub async fn set_scopes(&self, id: i64, scopes: KeyScopes) -> Result<(), KeyError> {
        let engine = sqlite_or_return!(self.tables, keys => keys.set_scopes(id, scopes));
        change(engine, id, move |db| {
            db.prepare_cached("UPDATE api_keys SET scopes = ? WHERE id = ?")?
                .execute((scopes.to_column(), id))?;
            Ok(())
        })
        .await
    }

    /// Adds a secret to a key. The older secrets are accepted until `overlap_end`, or until their earlier expiry;
    /// if it is not after `now`, they are never accepted again, whatever the clock says.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], [`KeyError::Revoked`], or if it cannot be stored.
    pub async fn rotate(
        &self,
        id: i64,
        secret: &ApiKey,
        overlap_end: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<(), KeyError> {
        let end = if overlap_end > now {
            overlap_end.timestamp()
        } else {
            EXPIRED
        };
        let engine = sqlite_or_return!(self.tables, keys => keys.rotate(id, secret, end, now));
        let secret = secret.clone();
        change(engine, id, move |db| {
            db.prepare_cached(
                "UPDATE api_key_secrets SET expires_at = :end
                 WHERE key_id = :id AND (expires_at IS NULL OR expires_at > :end)",
            )?
            .execute(named_params! { ":id": id, ":end": end })?;
            insert_secret(db, id, &secret, now)
        })
        .await
    }

    /// Revokes a key with all of its secrets. It cannot be undone.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], [`KeyError::Revoked`], or if it cannot be stored.
    pub async fn revoke(&self, id: i64, now: DateTime<Utc>) -> Result<(), KeyError> {
        let engine = sqlite_or_return!(self.tables, keys => keys.revoke(id, now));
        change(engine, id, move |db| {
            db.prepare_cached("UPDATE api_keys SET revoked_at = ? WHERE id = ?")?
                .execute((now.timestamp(), id))?;
            Ok(())
        })
        .await
    }

    /// Ends a key's ban and removes its strikes. A running server adopts the change with the key's next request.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], or if it cannot be stored.
    pub async fn unban(&self, id: i64) -> Result<(), KeyError> {
        let engine = sqlite_or_return!(self.tables, keys => keys.unban(id));
        let changed = engine.write(move |db| {
            let changed = db
                .prepare_cached(
                    "UPDATE api_keys SET strikes = 0, banned_until = NULL, ban_epoch = ban_epoch + 1
                     WHERE id = ?",
                )?
                .execute([id])?;
            Ok::<_, EngineError>(changed)
        });
        match changed.await? {
            0 => Err(KeyError::NotFound(id)),
            _ => Ok(()),
        }
    }
}

/// Runs a write on a key, unless the key does not exist or is revoked.
async fn change(
    engine: &Engine,
    id: i64,
    work: impl Fn(&Connection) -> Result<(), EngineError> + Send + 'static,
) -> Result<(), KeyError> {
    engine
        .write(move |db| {
            match find_revoked(db, id)? {
                None => return Err(KeyError::NotFound(id)),
                Some(true) => return Err(KeyError::Revoked(id)),
                Some(false) => {}
            }
            Ok(work(db)?)
        })
        .await
}

fn has_keys(db: &Connection) -> Result<bool, EngineError> {
    let mut select = db.prepare_cached("SELECT EXISTS (SELECT 1 FROM api_keys)")?;
    Ok(select.query_row([], |row| row.get(0))?)
}

/// Whether a key is revoked; `None` if it does not exist.
fn find_revoked(db: &Connection, id: i64) -> Result<Option<bool>, EngineError> {
    let mut select =
        db.prepare_cached("SELECT revoked_at IS NOT NULL FROM api_keys WHERE id = ?")?;
    Ok(select.query_row([id], |row| row.get(0)).optional()?)
}

fn insert(
    db: &Connection,
    new: &NewKey,
    secret: &ApiKey,
    now: DateTime<Utc>,
) -> Result<i64, EngineError> {
    let (per_minute, per_day) = custom_columns(&new.limits);
    db.prepare_cached(
        "INSERT INTO api_keys (name, plan, per_minute, per_day, access, scopes, created_at)
         VALUES (:name, :plan, :per_minute, :per_day, :access, :scopes, :now)",
    )?
    .execute(named_params! {
        ":name": new.name,
        ":plan": new.limits.plan(),
        ":per_minute": per_minute,
        ":per_day": per_day,
        ":access": new.access.as_str(),
        ":scopes": new.scopes.to_column(),
        ":now": now.timestamp(),
    })?;
    let id = db.last_insert_rowid();
    insert_secret(db, id, secret, now)?;
    Ok(id)
}

fn insert_secret(
    db: &Connection,
    key_id: i64,
    secret: &ApiKey,
    now: DateTime<Utc>,
) -> Result<(), EngineError> {
    db.prepare_cached(
        "INSERT INTO api_key_secrets (hash, key_id, prefix, last4, created_at)
         VALUES (:hash, :key_id, :prefix, :last4, :now)",
    )?
    .execute(named_params! {
        ":hash": secret.hash().0,
        ":key_id": key_id,
        ":prefix": secret.prefix(),
        ":last4": secret.last4(),
        ":now": now.timestamp(),
    })?;
    Ok(())
}

/// The limits of a key's own.
pub(super) fn custom_columns(limits: &PlanLimits) -> (Option<u64>, Option<u64>) {
    let custom = limits.custom();
    (
        custom.map(|limits| limits.per_minute),
        custom.map(|limits| limits.per_day),
    )
}
