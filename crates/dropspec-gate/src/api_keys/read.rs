//! Reads of the tables `api_keys` and `api_key_secrets`.

use std::collections::BTreeMap;
use std::sync::Arc;

use dropspec_rate_limit::{Account, RateLimits};
use dropspec_store::EngineError;

use super::cache::StoredSecret;
use super::db::{Db, Row};
use super::record::{KeyIdentity, KeyRecord, NewKey, SecretRecord};
use super::scopes::KeyScopes;
use super::settings::KeySettings;
use crate::api_keys::{Access, KeyHash, KeyPlan, KeyPrefix, Principal, Unauthenticated};

/// The most ids that one prefix finds.
pub const MAX_FOUND: usize = 6;

/// Whether there is a key, if only a revoked one.
pub(crate) async fn has_keys<D: Db>(db: &D, (): &()) -> Result<bool, EngineError> {
    let rows = db.query("SELECT id FROM api_keys LIMIT 1", &[]).await?;
    Ok(!rows.is_empty())
}

/// Reads the key with this id, or all.
pub(crate) async fn read_keys<D: Db>(
    db: &D,
    (id, settings): &(Option<i64>, KeySettings),
) -> Result<Vec<KeyRecord>, EngineError> {
    let (first, last) = (id.unwrap_or(i64::MIN), id.unwrap_or(i64::MAX));
    let select = "SELECT id, name, plan, per_minute, per_day, access, scopes, strikes, banned_until, ban_epoch,
            created_at, revoked_at, last_used_at, expires_at, note
        FROM api_keys WHERE id BETWEEN $1 AND $2 ORDER BY id";
    let keys = db.query(select, &[&first, &last]).await?;
    let select = "SELECT key_id, prefix, last4, created_at, expires_at FROM api_key_secrets
        WHERE key_id BETWEEN $1 AND $2
        ORDER BY key_id, expires_at IS NOT NULL, expires_at DESC, created_at DESC";
    let secrets = db.query(select, &[&first, &last]).await?;
    combine(settings, &keys, &secrets)
}

/// Converts keys with their secrets.
fn combine(
    settings: &KeySettings,
    keys: &[Row],
    secrets: &[Row],
) -> Result<Vec<KeyRecord>, EngineError> {
    let mut secrets_of: BTreeMap<i64, Vec<SecretRecord>> = BTreeMap::new();
    for row in secrets {
        secrets_of
            .entry(row.get(0)?)
            .or_default()
            .push(SecretRecord {
                prefix: row.get(1)?,
                last4: row.get(2)?,
                created_at: row.get(3)?,
                expires_at: row.get(4)?,
            });
    }
    let records = keys.iter().map(|row| {
        let id = row.get(0)?;
        Ok(KeyRecord {
            id,
            given: NewKey {
                name: row.get(1)?,
                plan: read_key_plan(settings, row, 2)?,
                access: read_access(row)?,
                scopes: read_scopes(row)?,
                expires_at: row.get(13)?,
                note: row.get(14)?,
            },
            ban: row.get_ban(7)?,
            created_at: row.get(10)?,
            revoked_at: row.get(11)?,
            last_used_at: row.get(12)?,
            // A key that was made between the two statements is not among the keys, but has secrets.
            secrets: secrets_of.remove(&id).unwrap_or_default(),
        })
    });
    records.collect()
}

pub(crate) async fn find_ids_by_prefix<D: Db>(
    db: &D,
    prefix: &String,
) -> Result<Vec<i64>, EngineError> {
    let select = "SELECT DISTINCT key_id FROM api_key_secrets
        WHERE substr(prefix || '…' || last4, 1, length(CAST($1 AS text))) = $1 ORDER BY key_id LIMIT $2";
    let limit = MAX_FOUND as i64;
    let rows = db.query(select, &[prefix, &limit]).await?;
    rows.iter().map(|row| row.get(0)).collect()
}

/// Reads the count of changes of keys.
pub(crate) async fn count_changes<D: Db>(db: &D, (): &()) -> Result<i64, EngineError> {
    let rows = db.query("SELECT count FROM api_key_changes", &[]).await?;
    rows.first().ok_or_else(no_count)?.get(0)
}

/// Reads the count of changes of keys, and the secret with this hash, in one statement.
pub(crate) async fn read_secret<D: Db>(
    db: &D,
    (hash, settings): &(KeyHash, KeySettings),
) -> Result<(i64, Option<StoredSecret>), EngineError> {
    let select = "SELECT k.id, s.prefix, k.plan, k.per_minute, k.per_day, k.access, k.scopes,
            k.strikes, k.banned_until, k.ban_epoch, k.revoked_at, s.expires_at, c.count, k.expires_at
        FROM api_key_changes c
        LEFT JOIN api_key_secrets s ON s.hash = $1
        LEFT JOIN api_keys k ON k.id = s.key_id";
    let rows = db.query(select, &[&hash.0.to_vec()]).await?;
    let row = rows.first().ok_or_else(no_count)?;
    let changes = row.get(12)?;
    let Some(key_id) = row.get(0)? else {
        return Ok((changes, None));
    };
    // The clock that recorded the revocation may be ahead, so its time does not matter.
    let key = match row.get::<Option<i64>>(10)? {
        Some(_) => Err(Unauthenticated::Revoked),
        None => Ok(read_principal(settings, row, key_id)?),
    };
    let secret = StoredSecret {
        key,
        expires_at: row.get(11)?,
        key_expires_at: row.get(13)?,
    };
    Ok((changes, Some(secret)))
}

fn read_principal(
    settings: &KeySettings,
    row: &Row,
    key_id: i64,
) -> Result<Principal<KeyIdentity>, EngineError> {
    let plan = read_key_plan(settings, row, 2)?;
    let identity = KeyIdentity {
        id: key_id,
        scopes: read_scopes(row)?,
    };
    Ok(Principal {
        identity: Arc::new(identity),
        account: Account {
            key_id,
            limits: plan.limits(),
            ban: row.get_ban(7)?,
        },
        plan: plan.name(),
        access: read_access(row)?,
        prefix: KeyPrefix::new(&row.get::<String>(1)?),
    })
}

/// Reads the plan and the limits in three columns from `first` on.
fn read_key_plan(settings: &KeySettings, row: &Row, first: usize) -> Result<KeyPlan, EngineError> {
    let limit = |column| {
        let limit = row.get::<Option<i64>>(column)?.map(u64::try_from);
        limit.transpose().map_err(EngineError::internal)
    };
    let own = limit(first + 1)?.zip(limit(first + 2)?);
    let custom = own.map(|(per_minute, per_day)| RateLimits::new(per_minute, per_day));
    let plan: String = row.get(first)?;
    KeyPlan::resolve(settings.plans, &plan, custom).map_err(EngineError::internal)
}

fn read_scopes(row: &Row) -> Result<KeyScopes, EngineError> {
    Ok(KeyScopes::of_column(
        row.get::<Option<String>>(6)?.as_deref(),
    ))
}

fn read_access(row: &Row) -> Result<Access, EngineError> {
    let text: String = row.get(5)?;
    Access::find(&text).ok_or_else(|| EngineError::internal(format!("no access {text:?}")))
}

fn no_count() -> EngineError {
    EngineError::internal("the table api_key_changes has no row")
}
