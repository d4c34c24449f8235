//! Creating, changing and revoking keys: each change is one write, and applies from the key's next request on.

use chrono::{DateTime, Utc};
use dropspec_store::EngineError;
use thiserror::Error;

use super::change_log::{Author, log};
use super::db::{Db, Parameter, Row, Sqlite, change, read, run, write};
use super::lost_credit::claim_lost_credit;
use super::read::{has_keys, read_keys};
use super::record::{IssuedKey, KeyRecord, NewKey};
use super::settings::KeySettings;
use super::table::{ApiKeys, Tables};
use super::time::to_rfc3339;
use crate::api_keys::ApiKey;

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
        author: impl Into<Author>,
    ) -> Result<i64, EngineError> {
        change!(self.tables, (new, secret.clone(), author.into()), insert)
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
        let id: Option<i64> = change!(self.tables, (new, key.clone(), now.into()), insert_first)?;
        Ok(id.map(|id| IssuedKey { id, key }))
    }

    /// Changes what the operator gives a key, as `edit` says. If new limits give less credit, requests that the key may have
    /// spent on credit count as used from then on: a crash would count too few of them.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], [`KeyError::Revoked`], or if it cannot be stored.
    pub async fn change(
        &self,
        id: i64,
        edit: impl Fn(&mut NewKey) + Send + Sync + 'static,
        author: impl Into<Author>,
    ) -> Result<(), KeyError> {
        let input = (id, edit, self.settings, author.into());
        change!(self.tables, input, update)
    }

    /// Adds a secret to a key. The older secrets are accepted until `overlap_end`, or until their earlier expiry;
    /// if it is not after the time of the change, they are never accepted again, whatever the clock says.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], [`KeyError::Revoked`], or if it cannot be stored.
    pub async fn rotate(
        &self,
        id: i64,
        secret: &ApiKey,
        overlap_end: DateTime<Utc>,
        author: impl Into<Author>,
    ) -> Result<(), KeyError> {
        let author = author.into();
        let end = if overlap_end > author.time {
            overlap_end.timestamp()
        } else {
            EXPIRED
        };
        change!(
            self.tables,
            (id, secret.clone(), end, self.settings, author),
            rotate
        )
    }

    /// Revokes a key with all of its secrets. It cannot be undone.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], [`KeyError::Revoked`], or if it cannot be stored.
    pub async fn revoke(&self, id: i64, author: impl Into<Author>) -> Result<(), KeyError> {
        change!(self.tables, (id, self.settings, author.into()), revoke)
    }

    /// Ends a key's ban and removes its strikes. A running server adopts the change with the key's next request.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotFound`], or if it cannot be stored.
    pub async fn unban(&self, id: i64, author: impl Into<Author>) -> Result<(), KeyError> {
        change!(self.tables, (id, self.settings, author.into()), unban)
    }
}

async fn insert_first<D: Db>(
    db: &D,
    input: &(NewKey, ApiKey, Author),
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
    (new, secret, author): &(NewKey, ApiKey, Author),
) -> Result<i64, EngineError> {
    let insert = "INSERT INTO api_keys
            (created_at, name, note, plan, per_minute, per_day, access, scopes, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id";
    let rows = store(db, insert, author.time.timestamp(), new).await?;
    let row = rows.first();
    let id = row.ok_or_else(|| EngineError::internal("no row was inserted"))?;
    let id = id.get(0)?;
    insert_secret(db, id, secret, author.time).await?;
    let fields = new.fields().into_iter();
    let fields = fields.filter_map(|(field, value)| Some(format!("{field} {}", value?)));
    let fields = fields.collect::<Vec<_>>().join(", ");
    log(db, author, id, "created", None, Some(fields)).await?;
    Ok(id)
}

/// Runs a statement with a number, and then the columns of what the operator gives a key.
async fn store<D: Db>(
    db: &D,
    sql: &str,
    first: i64,
    key: &NewKey,
) -> Result<Vec<Row>, EngineError> {
    let [per_minute, per_day] = key.plan.limit_columns()?;
    // PostgreSQL stores no text with this character.
    let name = key.name.replace('\0', "");
    let note = key.note.as_ref().map(|it| it.replace('\0', ""));
    let parameters: [&dyn Parameter; 9] = [
        &first,
        &name,
        &note,
        &key.plan.name(),
        &per_minute,
        &per_day,
        &key.access.as_str(),
        &key.scopes.to_column(),
        &key.expires_at,
    ];
    db.query(sql, &parameters).await
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

async fn update<D: Db>(
    db: &D,
    (id, edit, settings, author): &(i64, impl Fn(&mut NewKey) + Sync, KeySettings, Author),
) -> Result<(), KeyError> {
    let before = lock(db, *id, *settings).await?.given;
    let mut after = before.clone();
    edit(&mut after);
    let (old, new, now) = (before.plan, after.plan, author.time.timestamp());
    claim_lost_credit(db, *id, old.limits(), new.limits(), now).await?;
    let update = "UPDATE api_keys SET name = $2, note = $3, plan = $4, per_minute = $5, per_day = $6, access = $7,
            scopes = $8, expires_at = $9
        WHERE id = $1";
    store(db, update, *id, &after).await?;
    for ((field, old), (_, new)) in before.fields().into_iter().zip(after.fields()) {
        if old != new {
            log(db, author, *id, field, old, new).await?;
        }
    }
    Ok(())
}

async fn rotate<D: Db>(
    db: &D,
    (id, secret, end, settings, author): &(i64, ApiKey, i64, KeySettings, Author),
) -> Result<(), KeyError> {
    let before = lock(db, *id, *settings).await?;
    let expire = "UPDATE api_key_secrets SET expires_at = $2
        WHERE key_id = $1 AND (expires_at IS NULL OR expires_at > $2)";
    db.query(expire, &[id, end]).await?;
    insert_secret(db, *id, secret, author.time).await?;
    let until = if *end == EXPIRED {
        "ended".to_owned()
    } else {
        format!("accepted until {}", to_rfc3339(*end))
    };
    let old = before.secrets.first();
    let old = old.map(|it| format!("{}…{}, {until}", it.prefix, it.last4));
    let new = format!("{}…{}", secret.prefix(), secret.last4());
    Ok(log(db, author, *id, "secret", old, Some(new)).await?)
}

async fn revoke<D: Db>(
    db: &D,
    (id, settings, author): &(i64, KeySettings, Author),
) -> Result<(), KeyError> {
    lock(db, *id, *settings).await?;
    let update = "UPDATE api_keys SET revoked_at = $2 WHERE id = $1";
    let time = author.time.timestamp();
    db.query(update, &[id, &time]).await?;
    let until = Some(to_rfc3339(time));
    Ok(log(db, author, *id, "revoked", None, until).await?)
}

async fn unban<D: Db>(
    db: &D,
    (id, settings, author): &(i64, KeySettings, Author),
) -> Result<(), KeyError> {
    // Of a revoked key as well.
    let before = lock_any(db, *id, *settings).await?;
    let update = "UPDATE api_keys SET strikes = 0, banned_until = NULL, ban_epoch = ban_epoch + 1
        WHERE id = $1";
    db.query(update, &[id]).await?;
    let until = before.ban.until.map(to_rfc3339);
    let old = until.map(|end| format!("until {end}, strikes {}", before.ban.strikes));
    Ok(log(db, author, *id, "ban", old, None).await?)
}

/// Locks a key, which must exist, and reads it.
async fn lock_any<D: Db>(db: &D, id: i64, settings: KeySettings) -> Result<KeyRecord, KeyError> {
    let select = format!("SELECT id FROM api_keys WHERE id = $1 {}", D::FOR_UPDATE);
    db.query(&select, &[&id]).await?;
    let found = read_keys(db, &(Some(id), settings)).await?.pop();
    found.ok_or(KeyError::NotFound(id))
}

/// Locks a key, which must exist and not be revoked, and reads it.
async fn lock<D: Db>(db: &D, id: i64, settings: KeySettings) -> Result<KeyRecord, KeyError> {
    let key = lock_any(db, id, settings).await?;
    match key.revoked_at {
        Some(_) => Err(KeyError::Revoked(id)),
        None => Ok(key),
    }
}
