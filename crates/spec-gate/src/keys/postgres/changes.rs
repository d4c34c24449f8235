//! Creating, changing and revoking keys, each in one transaction that locks the key.

use chrono::{DateTime, Utc};
use postgres_engine::{Db, EngineError};

use super::PostgresKeys;
use crate::auth::{ApiKey, PlanLimits};
use crate::keys::changes::{KeyError, custom_columns};
use crate::keys::record::{IssuedKey, NewKey};
use crate::keys::scopes::KeyScopes;

/// So that of several servers that start with a new database, one creates the first key.
const LOCK_TABLE: &str = "LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE";
const HAS_KEYS: &str = "SELECT EXISTS (SELECT 1 FROM api_keys)";
const LOCK_KEY: &str = "SELECT revoked_at IS NOT NULL FROM api_keys WHERE id = $1 FOR UPDATE";

impl PostgresKeys {
    pub(in crate::keys) async fn create(
        &self,
        new: NewKey,
        secret: &ApiKey,
        now: DateTime<Utc>,
    ) -> Result<i64, EngineError> {
        let input = (new, secret.clone(), now.timestamp());
        let create = self.engine.write(&input, |db, (new, secret, now)| {
            Box::pin(insert(db, new, secret, *now))
        });
        self.change(create).await
    }

    pub(in crate::keys) async fn create_first(
        &self,
        new: NewKey,
        now: DateTime<Utc>,
        generate: impl FnOnce() -> Result<ApiKey, EngineError>,
    ) -> Result<Option<IssuedKey>, EngineError> {
        let read = self.engine.read(&(), |db, ()| Box::pin(has_keys(db)));
        if read.await? {
            return Ok(None);
        }
        let key = generate()?;
        let input = (new, key.clone(), now.timestamp());
        let create = self.engine.write(&input, |db, (new, secret, now)| {
            Box::pin(async move {
                db.query(LOCK_TABLE, &[]).await?;
                if has_keys(db).await? {
                    return Ok(None);
                }
                insert(db, new, secret, *now).await.map(Some)
            })
        });
        let id: Option<i64> = self.change(create).await?;
        Ok(id.map(|id| IssuedKey { id, key }))
    }

    pub(in crate::keys) async fn set_limits(
        &self,
        id: i64,
        limits: PlanLimits,
    ) -> Result<(), KeyError> {
        let input = (id, limits);
        let change = self.engine.write(&input, |db, (id, limits)| {
            Box::pin(async move {
                lock(db, *id).await?;
                let (per_minute, per_day) = limit_columns(limits)?;
                let update =
                    "UPDATE api_keys SET plan = $2, per_minute = $3, per_day = $4 WHERE id = $1";
                db.query(update, &[id, &limits.plan(), &per_minute, &per_day])
                    .await?;
                Ok(())
            })
        });
        self.change(change).await
    }

    pub(in crate::keys) async fn set_scopes(
        &self,
        id: i64,
        scopes: KeyScopes,
    ) -> Result<(), KeyError> {
        let input = (id, scopes.to_column());
        let change = self.engine.write(&input, |db, (id, scopes)| {
            Box::pin(async move {
                lock(db, *id).await?;
                db.query(
                    "UPDATE api_keys SET scopes = $2 WHERE id = $1",
                    &[id, scopes],
                )
                .await?;
                Ok(())
            })
        });
        self.change(change).await
    }

    /// `end` is the expiry of the older secrets.
    pub(in crate::keys) async fn rotate(
        &self,
        id: i64,
        secret: &ApiKey,
        end: i64,
        now: DateTime<Utc>,
    ) -> Result<(), KeyError> {
        let input = (id, secret.clone(), end, now.timestamp());
        let change = self.engine.write(&input, |db, (id, secret, end, now)| {
            Box::pin(async move {
                lock(db, *id).await?;
                let expire = "UPDATE api_key_secrets SET expires_at = $2
                    WHERE key_id = $1 AND (expires_at IS NULL OR expires_at > $2)";
                db.query(expire, &[id, end]).await?;
                Ok(insert_secret(db, *id, secret, *now).await?)
            })
        });
        self.change(change).await
    }

    pub(in crate::keys) async fn revoke(
        &self,
        id: i64,
        now: DateTime<Utc>,
    ) -> Result<(), KeyError> {
        let input = (id, now.timestamp());
        let change = self.engine.write(&input, |db, (id, now)| {
            Box::pin(async move {
                lock(db, *id).await?;
                db.query(
                    "UPDATE api_keys SET revoked_at = $2 WHERE id = $1",
                    &[id, now],
                )
                .await?;
                Ok(())
            })
        });
        self.change(change).await
    }

    pub(in crate::keys) async fn unban(&self, id: i64) -> Result<(), KeyError> {
        let change = self.engine.write(&id, |db, id| {
            Box::pin(async move {
                let update = "UPDATE api_keys SET strikes = 0, banned_until = NULL, ban_epoch = ban_epoch + 1
                    WHERE id = $1 RETURNING id";
                let [_, changed] = db
                    .query_all([(LOCK_KEY, &[id]), (update, &[id])])
                    .await?;
                if changed.is_empty() { Err(KeyError::NotFound(*id)) } else { Ok(()) }
            })
        });
        self.change(change).await
    }
}

/// Locks a key, which must exist and not be revoked.
async fn lock(db: &Db, id: i64) -> Result<(), KeyError> {
    match db.query_opt(LOCK_KEY, &[&id]).await? {
        None => Err(KeyError::NotFound(id)),
        Some(row) if row.get(0)? => Err(KeyError::Revoked(id)),
        Some(_) => Ok(()),
    }
}

async fn has_keys(db: &Db) -> Result<bool, EngineError> {
    let row = db.query_opt(HAS_KEYS, &[]).await?;
    row.map_or(Ok(false), |row| row.get(0))
}

async fn insert(db: &Db, new: &NewKey, secret: &ApiKey, now: i64) -> Result<i64, EngineError> {
    let (per_minute, per_day) = limit_columns(&new.limits)?;
    let insert =
        "INSERT INTO api_keys (name, plan, per_minute, per_day, access, scopes, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
    let row = db
        .query_opt(
            insert,
            &[
                &new.name.replace('\0', ""),
                &new.limits.plan(),
                &per_minute,
                &per_day,
                &new.access.as_str(),
                &new.scopes.to_column(),
                &now,
            ],
        )
        .await?;
    let row = row.ok_or_else(|| EngineError::internal("no row was inserted"))?;
    let id = row.get(0)?;
    insert_secret(db, id, secret, now).await?;
    Ok(id)
}

async fn insert_secret(db: &Db, key_id: i64, secret: &ApiKey, now: i64) -> Result<(), EngineError> {
    let insert = "INSERT INTO api_key_secrets (hash, key_id, prefix, last4, created_at) VALUES ($1, $2, $3, $4, $5)";
    let hash = secret.hash().0;
    db.query(
        insert,
        &[
            &hash.as_slice(),
            &key_id,
            &secret.prefix(),
            &secret.last4(),
            &now,
        ],
    )
    .await
    .map(|_| ())
}

/// The limits of a key's own, as columns.
fn limit_columns(limits: &PlanLimits) -> Result<(Option<i64>, Option<i64>), EngineError> {
    let column = |limit: Option<u64>| limit.map(i64::try_from).transpose();
    let (per_minute, per_day) = custom_columns(limits);
    Ok((
        column(per_minute).map_err(EngineError::internal)?,
        column(per_day).map_err(EngineError::internal)?,
    ))
}
