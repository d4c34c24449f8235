//! Creating, changing and revoking keys: each change is one write, and applies from the key's next request on.

use chrono::{DateTime, Utc};
use engine_types::EngineError;
use rate_limit::RateLimits;
use thiserror::Error;

use super::db::{Db, Parameter, Sqlite, change, read, run, write};
use super::key_plan::KeyPlan;
use super::lost_credit::claim_lost_credit;
use super::read::{has_keys, read_key_plan};
use super::record::{IssuedKey, NewKey};
use super::scopes::KeyScopes;
use super::settings::KeySettings;
use super::table::{ApiKeys, Tables};
use crate::ApiKey;

/// The expiry of a secret that has expired whatever the clock says.
pub const EXPIRED: i64 = 0;

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
        change!(self.tables, (new, secret.clone(), now), insert)
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
        if read!(self.tables, (), has_keys)? {
            return Ok(None);
        }
        let key = self.generate_secret()?;
        let id: Option<i64> = change!(self.tables, (new, key.clone(), now), insert_first)?;
        Ok(id.map(|id| IssuedKey { id, key }))
    }

    /// Changes the plan and the limits of the key with this id at `now`. If the new limits give less credit, requests that
    /// the key may have spent on credit count as used from then on: a crash would count too few of them.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], [`KeyError::Revoked`], or if it cannot be stored.
    pub async fn set_plan(
        &self,
        id: i64,
        plan: KeyPlan,
        now: DateTime<Utc>,
    ) -> Result<(), KeyError> {
        let input = (id, plan, self.settings, now.timestamp());
        change!(self.tables, input, set_plan)
    }

    /// Changes the scopes of the key with this id.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], [`KeyError::Revoked`], or if it cannot be stored.
    pub async fn set_scopes(&self, id: i64, scopes: KeyScopes) -> Result<(), KeyError> {
        change!(self.tables, (id, scopes.to_column()), set_scopes)
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
        change!(self.tables, (id, secret.clone(), end, now), rotate)
    }

    /// Revokes a key with all of its secrets. It cannot be undone.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], [`KeyError::Revoked`], or if it cannot be stored.
    pub async fn revoke(&self, id: i64, now: DateTime<Utc>) -> Result<(), KeyError> {
        change!(self.tables, (id, now.timestamp()), revoke)
    }

    /// Ends a key's ban and removes its strikes. A running server adopts the change with the key's next request.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], or if it cannot be stored.
    pub async fn unban(&self, id: i64) -> Result<(), KeyError> {
        change!(self.tables, id, unban)
    }
}

async fn insert_first<D: Db>(
    db: &D,
    input: &(NewKey, ApiKey, DateTime<Utc>),
) -> Result<Option<i64>, EngineError> {
    // So that of several servers that start with a new database, one creates the first key.
    if D::IS_SHARED {
        let lock = "LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE";
        db.query(lock, &[]).await?;
    }
    if has_keys(db, &()).await? {
        return Ok(None);
    }
    insert(db, input).await.map(Some)
}

async fn insert<D: Db>(
    db: &D,
    (new, secret, now): &(NewKey, ApiKey, DateTime<Utc>),
) -> Result<i64, EngineError> {
    let insert =
        "INSERT INTO api_keys (name, plan, per_minute, per_day, access, scopes, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
    let [per_minute, per_day] = limit_columns(&new.plan)?;
    // PostgreSQL stores no text with this character.
    let name = new.name.replace('\0', "");
    let parameters: [&dyn Parameter; 7] = [
        &name,
        &new.plan.name(),
        &per_minute,
        &per_day,
        &new.access.as_str(),
        &new.scopes.to_column(),
        &now.timestamp(),
    ];
    let rows = db.query(insert, &parameters).await?;
    let row = rows.first();
    let id = row.ok_or_else(|| EngineError::internal("no row was inserted"))?;
    let id = id.get(0)?;
    insert_secret(db, id, secret, *now).await?;
    Ok(id)
}

async fn insert_secret<D: Db>(
    db: &D,
    key_id: i64,
    secret: &ApiKey,
    now: DateTime<Utc>,
) -> Result<(), EngineError> {
    let insert = "INSERT INTO api_key_secrets (hash, key_id, prefix, last4, created_at)
        VALUES ($1, $2, $3, $4, $5)";
    let hash = secret.hash().0.to_vec();
    let (prefix, last4, now) = (secret.prefix(), secret.last4(), now.timestamp());
    db.query(insert, &[&hash, &key_id, &prefix, &last4, &now])
        .await?;
    Ok(())
}

async fn set_plan<D: Db>(
    db: &D,
    (id, plan, settings, now): &(i64, KeyPlan, KeySettings, i64),
) -> Result<(), KeyError> {
    lock(db, *id).await?;
    let select = "SELECT plan, per_minute, per_day FROM api_keys WHERE id = $1";
    if let Some(row) = db.query(select, &[id]).await?.first() {
        let before = read_key_plan(settings, row, 0)?;
        claim_lost_credit(db, *id, before.limits(), plan.limits(), *now).await?;
    }
    let update = "UPDATE api_keys SET plan = $2, per_minute = $3, per_day = $4 WHERE id = $1";
    let [per_minute, per_day] = limit_columns(plan)?;
    db.query(update, &[id, &plan.name(), &per_minute, &per_day])
        .await?;
    Ok(())
}

async fn set_scopes<D: Db>(db: &D, (id, scopes): &(i64, Option<String>)) -> Result<(), KeyError> {
    lock(db, *id).await?;
    let update = "UPDATE api_keys SET scopes = $2 WHERE id = $1";
    db.query(update, &[id, scopes]).await?;
    Ok(())
}

async fn rotate<D: Db>(
    db: &D,
    (id, secret, end, now): &(i64, ApiKey, i64, DateTime<Utc>),
) -> Result<(), KeyError> {
    lock(db, *id).await?;
    let expire = "UPDATE api_key_secrets SET expires_at = $2
        WHERE key_id = $1 AND (expires_at IS NULL OR expires_at > $2)";
    db.query(expire, &[id, end]).await?;
    Ok(insert_secret(db, *id, secret, *now).await?)
}

async fn revoke<D: Db>(db: &D, (id, now): &(i64, i64)) -> Result<(), KeyError> {
    lock(db, *id).await?;
    let update = "UPDATE api_keys SET revoked_at = $2 WHERE id = $1";
    db.query(update, &[id, now]).await?;
    Ok(())
}

async fn unban<D: Db>(db: &D, id: &i64) -> Result<(), KeyError> {
    match lock(db, *id).await {
        // Of a revoked key as well.
        Ok(()) | Err(KeyError::Revoked(_)) => {}
        Err(error) => return Err(error),
    }
    let update = "UPDATE api_keys SET strikes = 0, banned_until = NULL, ban_epoch = ban_epoch + 1
        WHERE id = $1";
    db.query(update, &[id]).await?;
    Ok(())
}

/// Locks a key, which must exist and not be revoked.
async fn lock<D: Db>(db: &D, id: i64) -> Result<(), KeyError> {
    let select = format!(
        "SELECT revoked_at IS NOT NULL FROM api_keys WHERE id = $1 {}",
        D::FOR_UPDATE
    );
    match db.query(&select, &[&id]).await?.first() {
        None => Err(KeyError::NotFound(id)),
        Some(row) if row.get(0)? => Err(KeyError::Revoked(id)),
        Some(_) => Ok(()),
    }
}

/// The limits of a key's own.
fn limit_columns(plan: &KeyPlan) -> Result<[Option<i64>; 2], EngineError> {
    let custom = plan.custom_limits();
    let column = |limit: fn(RateLimits) -> u64| {
        let limit = custom.map(limit).map(i64::try_from);
        limit.transpose().map_err(EngineError::internal)
    };
    Ok([column(|it| it.per_minute)?, column(|it| it.per_day)?])
}
