//! The log of changes of keys: who made them and when. A row is written in the transaction of its change.

use chrono::{DateTime, Utc};
use dropspec_store::EngineError;
use serde::{Serialize, Serializer};

use super::db::{Db, Sqlite, read, run};
use super::table::{ApiKeys, Tables};
use super::time::to_rfc3339;

/// So many rows are kept; a change deletes older ones.
pub const LOG_ROWS: i64 = 100_000;

/// Who changes keys, and when.
#[derive(Clone, Debug)]
pub struct Author {
    /// The place from which it is changed and the user there, as far as known.
    pub name: String,
    /// The time of the change.
    pub time: DateTime<Utc>,
}

/// The server itself.
impl From<DateTime<Utc>> for Author {
    fn from(time: DateTime<Utc>) -> Author {
        let name = "server".to_owned();
        Author { name, time }
    }
}

/// A change of a key. It has no secret. Its JSON is that of the command `keys log`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoggedChange {
    /// Unix seconds.
    #[serde(serialize_with = "serialize_time")]
    pub time: i64,
    /// Who made it.
    pub author: String,
    /// The id of the key.
    #[serde(rename = "key")]
    pub key_id: i64,
    /// The name of the key now.
    pub key_name: String,
    /// What was changed: a field such as `plan`, or `created`, `secret`, `ban`, `revoked`.
    #[serde(rename = "change")]
    pub subject: String,
    /// What it was.
    pub old: Option<String>,
    /// What it is since.
    pub new: Option<String>,
}

fn serialize_time<S: Serializer>(seconds: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&to_rfc3339(*seconds))
}

impl ApiKeys {
    /// Reads the last changes, of all keys or of one, the newest first.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn read_log(
        &self,
        key: Option<i64>,
        count: u32,
    ) -> Result<Vec<LoggedChange>, EngineError> {
        read!(self.tables, (key, i64::from(count)), read_log)
    }
}

/// Writes a change to the log.
pub(crate) async fn log<D: Db>(
    db: &D,
    author: &Author,
    key_id: i64,
    subject: &str,
    old: Option<String>,
    new: Option<String>,
) -> Result<(), EngineError> {
    let insert =
        "INSERT INTO api_key_log (changed_at, author, key_id, subject, old_value, new_value)
        VALUES ($1, $2, $3, $4, $5, $6)";
    let time = author.time.timestamp();
    db.query(
        insert,
        &[&time, &author.name, &key_id, &subject, &old, &new],
    )
    .await?;
    let delete = "DELETE FROM api_key_log WHERE id <= (SELECT max(id) FROM api_key_log) - $1";
    db.query(delete, &[&LOG_ROWS]).await?;
    Ok(())
}

async fn read_log<D: Db>(
    db: &D,
    (key, count): &(Option<i64>, i64),
) -> Result<Vec<LoggedChange>, EngineError> {
    let (first, last) = (key.unwrap_or(i64::MIN), key.unwrap_or(i64::MAX));
    let select =
        "SELECT l.changed_at, l.author, l.key_id, k.name, l.subject, l.old_value, l.new_value
        FROM api_key_log l JOIN api_keys k ON k.id = l.key_id
        WHERE l.key_id BETWEEN $1 AND $2 ORDER BY l.id DESC LIMIT $3";
    let rows = db.query(select, &[&first, &last, count]).await?;
    let changes = rows.iter().map(|row| {
        Ok(LoggedChange {
            time: row.get(0)?,
            author: row.get(1)?,
            key_id: row.get(2)?,
            key_name: row.get(3)?,
            subject: row.get(4)?,
            old: row.get(5)?,
            new: row.get(6)?,
        })
    });
    changes.collect()
}
