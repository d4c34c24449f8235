//! Reading the tables `api_keys` and `api_key_secrets`.

use std::sync::Arc;

use postgres_engine::{EngineError, Row};
use spec_runtime::RateLimits;

use super::PostgresKeys;
use crate::auth::{Access, KeyHash, KeyPrefix, PlanLimits, Principal, Unauthenticated};
use crate::keys::authenticate::KeyIdentity;
use crate::keys::cache::StoredSecret;
use crate::keys::record::{KeyRecord, SecretRecord};
use crate::keys::scopes::KeyScopes;
use crate::keys::table::KeySettings;
use crate::rate_limit::{Account, Ban};

const FIND_KEY: &str =
    "SELECT id, name, plan, per_minute, per_day, access, scopes, strikes, banned_until, ban_epoch,
        created_at, revoked_at, last_used_at
    FROM api_keys WHERE id = $1";
const ALL_KEYS: &str =
    "SELECT id, name, plan, per_minute, per_day, access, scopes, strikes, banned_until, ban_epoch,
        created_at, revoked_at, last_used_at
    FROM api_keys ORDER BY id";
const FIND_SECRETS: &str =
    "SELECT key_id, prefix, last4, created_at, expires_at FROM api_key_secrets WHERE key_id = $1
    ORDER BY expires_at IS NOT NULL, expires_at DESC, created_at DESC";
const ALL_SECRETS: &str =
    "SELECT key_id, prefix, last4, created_at, expires_at FROM api_key_secrets
    ORDER BY key_id, expires_at IS NOT NULL, expires_at DESC, created_at DESC";

impl PostgresKeys {
    pub(in crate::keys) async fn find(&self, id: i64) -> Result<Option<KeyRecord>, EngineError> {
        let read = self.engine.read(&id, |db, id| {
            Box::pin(async move {
                db.query_all([(FIND_KEY, &[id]), (FIND_SECRETS, &[id])])
                    .await
            })
        });
        let [key, secrets] = read.await?;
        let mut keys = self.combine(&key, &secrets)?;
        Ok(keys.pop())
    }

    pub(in crate::keys) async fn list(&self) -> Result<Vec<KeyRecord>, EngineError> {
        let read = self.engine.read(&(), |db, ()| {
            Box::pin(db.query_all([(ALL_KEYS, &[]), (ALL_SECRETS, &[])]))
        });
        let [keys, secrets] = read.await?;
        self.combine(&keys, &secrets)
    }

    pub(in crate::keys) async fn find_ids_by_prefix(
        &self,
        prefix: &str,
    ) -> Result<Vec<i64>, EngineError> {
        let prefix = prefix.replace('\0', "");
        let read = self.engine.read(&prefix, |db, prefix| {
            Box::pin(async move {
                let select = "SELECT DISTINCT key_id FROM api_key_secrets WHERE prefix = $1 ORDER BY key_id LIMIT 2";
                db.query(select, &[prefix]).await
            })
        });
        read.await?.iter().map(|row| row.get(0)).collect()
    }

    /// Reads the count of changes of keys.
    pub(in crate::keys) async fn count_changes(&self) -> Result<i64, EngineError> {
        let read = self.engine.read(&(), |db, ()| {
            Box::pin(db.query_opt("SELECT count FROM api_key_changes", &[]))
        });
        let row = read.await?;
        row.ok_or_else(no_count)?.get(0)
    }

    /// Reads the count of changes of keys, and the secret with this hash, in one statement.
    pub(in crate::keys) async fn read_secret(
        &self,
        hash: &KeyHash,
    ) -> Result<(i64, Option<StoredSecret>), EngineError> {
        let hash = hash.0.to_vec();
        let read = self.engine.read(&hash, |db, hash| {
            Box::pin(async move {
                let select =
                    "SELECT k.id, s.prefix, k.plan, k.per_minute, k.per_day, k.access, k.scopes,
                        k.strikes, k.banned_until, k.ban_epoch, k.revoked_at, s.expires_at, c.count
                    FROM api_key_changes c
                    LEFT JOIN api_key_secrets s ON s.hash = $1
                    LEFT JOIN api_keys k ON k.id = s.key_id";
                db.query_opt(select, &[hash]).await
            })
        });
        let row = read.await?.ok_or_else(no_count)?;
        let changes = row.get(12)?;
        let Some(key_id) = row.get(0)? else {
            return Ok((changes, None));
        };
        // The clock that recorded the revocation may be ahead, so its time does not matter.
        let key = match row.get::<Option<i64>>(10)? {
            Some(_) => Err(Unauthenticated::Revoked),
            None => Ok(self.read_principal(&row, key_id)?),
        };
        let expires_at = row.get(11)?;
        Ok((changes, Some(StoredSecret { key, expires_at })))
    }

    fn read_principal(
        &self,
        row: &Row,
        key_id: i64,
    ) -> Result<Principal<KeyIdentity>, EngineError> {
        let limits = read_plan_limits(&self.settings, row, 2)?;
        let identity = KeyIdentity {
            id: key_id,
            scopes: KeyScopes::of_column(row.get(6)?),
        };
        Ok(Principal {
            identity: Arc::new(identity),
            account: Account {
                key_id,
                limits: limits.limits(),
                ban: read_ban(row, 7)?,
            },
            plan: limits.plan(),
            access: read_access(row)?,
            prefix: KeyPrefix::new(row.get(1)?),
        })
    }

    /// Converts keys with their secrets, both in the order of the keys.
    fn combine(&self, keys: &[Row], secrets: &[Row]) -> Result<Vec<KeyRecord>, EngineError> {
        let mut secrets = secrets.iter().peekable();
        let mut records = Vec::with_capacity(keys.len());
        for row in keys {
            let mut record = KeyRecord {
                id: row.get(0)?,
                name: row.get(1)?,
                limits: read_plan_limits(&self.settings, row, 2)?,
                access: read_access(row)?,
                scopes: KeyScopes::of_column(row.get(6)?),
                ban: read_ban(row, 7)?,
                created_at: row.get(10)?,
                revoked_at: row.get(11)?,
                last_used_at: row.get(12)?,
                secrets: Vec::new(),
            };
            while let Some(secret) = secrets.peek() {
                let key_id: i64 = secret.get(0)?;
                if key_id > record.id {
                    break;
                }
                // A key that was made between the two statements has secrets here only.
                if key_id == record.id {
                    record.secrets.push(SecretRecord {
                        prefix: secret.get(1)?,
                        last4: secret.get(2)?,
                        created_at: secret.get(3)?,
                        expires_at: secret.get(4)?,
                    });
                }
                secrets.next();
            }
            records.push(record);
        }
        Ok(records)
    }
}

/// Reads the plan and the limits in three columns from `first` on.
pub(super) fn read_plan_limits(
    settings: &KeySettings,
    row: &Row,
    first: usize,
) -> Result<PlanLimits, EngineError> {
    let limit = |column| {
        let limit: Option<i64> = row.get(column)?;
        limit
            .map(u64::try_from)
            .transpose()
            .map_err(EngineError::internal)
    };
    let custom = match (limit(first + 1)?, limit(first + 2)?) {
        (Some(per_minute), Some(per_day)) => Some(RateLimits {
            per_minute,
            per_day,
        }),
        _ => None,
    };
    PlanLimits::find(settings.plans, row.get(first)?, custom).map_err(EngineError::internal)
}

/// Reads a ban in three columns from `first` on.
pub(super) fn read_ban(row: &Row, first: usize) -> Result<Ban, EngineError> {
    Ok(Ban {
        strikes: u32::try_from(row.get::<i64>(first)?).map_err(EngineError::internal)?,
        until: row.get(first + 1)?,
        epoch: row.get(first + 2)?,
    })
}

fn read_access(row: &Row) -> Result<Access, EngineError> {
    let text: &str = row.get(5)?;
    Access::find(text).ok_or_else(|| EngineError::internal(format!("no access {text:?}")))
}

fn no_count() -> EngineError {
    EngineError::internal("the table api_key_changes has no row")
}
