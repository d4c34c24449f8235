//! What `petstore keys` tells: the same facts as lines for people or as JSON for scripts. Times are RFC 3339.

mod text;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use crate::auth::{ApiKey, KeyRecord, KeyUsage};
use crate::rate_limit::{BanPolicy, Held, Window};

/// What came of a command.
pub(super) enum Report {
    Issued(Issued),
    Listed(Listed),
    Shown(Box<Shown>),
    Changed(Changed),
}

/// What every report says of a key.
#[derive(Serialize)]
struct Summary {
    id: i64,
    name: String,
    plan: &'static str,
    per_minute: u64,
    per_day: u64,
    access: &'static str,
    prefix: String,
    last4: String,
    created_at: String,
    revoked_at: Option<String>,
}

/// A secret that was made just now.
#[derive(Serialize)]
pub(super) struct Issued {
    #[serde(flatten)]
    summary: Summary,
    key: String,
    /// Until when the secrets before it are accepted, if there are any.
    old_accepted_until: Option<String>,
}

/// All keys.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Listed(Vec<Summary>);

/// One key, with all that is known of it.
#[derive(Serialize)]
pub(super) struct Shown {
    #[serde(flatten)]
    summary: Summary,
    last_used_at: Option<String>,
    minute: Usage,
    day: Usage,
    strikes: u32,
    banned_until: Option<String>,
    secrets: Vec<Secret>,
}

/// One window. What a running server has leased ahead counts as used, a tenth of the limit at most.
#[derive(Serialize)]
struct Usage {
    limit: u64,
    used: u64,
    resets_at: String,
}

#[derive(Serialize)]
struct Secret {
    prefix: String,
    last4: String,
    created_at: String,
    expires_at: Option<String>,
}

/// A key after it was changed.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Changed(Summary);

impl Report {
    pub(super) fn to_json(&self) -> Value {
        let json = match self {
            Report::Issued(issued) => serde_json::to_value(issued),
            Report::Listed(listed) => serde_json::to_value(listed),
            Report::Shown(shown) => serde_json::to_value(shown),
            Report::Changed(changed) => serde_json::to_value(changed),
        };
        json.expect("the reports hold strings, numbers and nothing that JSON lacks")
    }
}

impl Issued {
    pub(super) fn new(record: KeyRecord, key: ApiKey, now: DateTime<Utc>) -> Issued {
        let old = record.secrets.iter().filter_map(|secret| secret.expires_at);
        let until = old.filter(|end| *end > now.timestamp()).max();
        Issued {
            summary: Summary::from(record),
            key: key.expose().to_owned(),
            old_accepted_until: until.map(rfc3339),
        }
    }
}

impl Listed {
    pub(super) fn new(records: Vec<KeyRecord>) -> Listed {
        Listed(records.into_iter().map(Summary::from).collect())
    }
}

impl Shown {
    pub(super) fn new(record: KeyRecord, usage: KeyUsage, now: DateTime<Utc>) -> Shown {
        let now = now.timestamp();
        let limits = record.terms.limits();
        let window = |window: Window, held: Option<Held>| {
            // A later window than the clock's is one that the server is in since the clock was set back.
            let held = held.filter(|held| held.start >= window.start_at(now));
            let Held { start, claimed } = held.unwrap_or(Held {
                start: window.start_at(now),
                claimed: 0,
            });
            Usage {
                limit: limits.of(window),
                used: claimed,
                resets_at: rfc3339(start + window.length()),
            }
        };
        let secrets = record.secrets.iter().map(|secret| Secret {
            prefix: secret.prefix.clone(),
            last4: secret.last4.clone(),
            created_at: rfc3339(secret.created_at),
            expires_at: secret.expires_at.map(rfc3339),
        });
        Shown {
            last_used_at: record.last_used_at.map(rfc3339),
            minute: window(Window::Minute, usage.minute),
            day: window(Window::Day, usage.day),
            strikes: record.ban.strikes_in_force(&BanPolicy::default(), now),
            banned_until: record.ban.in_force(now).map(rfc3339),
            secrets: secrets.collect(),
            summary: Summary::from(record),
        }
    }
}

impl Changed {
    pub(super) fn new(record: KeyRecord) -> Changed {
        Changed(Summary::from(record))
    }
}

impl From<KeyRecord> for Summary {
    fn from(record: KeyRecord) -> Summary {
        let limits = record.terms.limits();
        // The store gives the newest secret first, and no key is without.
        let newest = record.secrets.into_iter().next();
        let (prefix, last4) = newest
            .map(|secret| (secret.prefix, secret.last4))
            .unwrap_or_default();
        Summary {
            id: record.id,
            name: record.name,
            plan: record.terms.plan().as_str(),
            per_minute: limits.per_minute,
            per_day: limits.per_day,
            access: record.access.as_str(),
            prefix,
            last4,
            created_at: rfc3339(record.created_at),
            revoked_at: record.revoked_at.map(rfc3339),
        }
    }
}

/// A time in Unix seconds, to the second. One beyond the calendar is shown as the number that it is.
fn rfc3339(seconds: i64) -> String {
    DateTime::from_timestamp(seconds, 0).map_or_else(
        || seconds.to_string(),
        |time| time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
    )
}
