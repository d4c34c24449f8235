//! The results of the key commands, as lines for people or as JSON for scripts. Times are RFC 3339.

mod text;

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::auth::ApiKey;
use crate::keys::{EXPIRED, KeyRecord};
use crate::rate_limit::{LedgerEntry, Now, Window};

/// The result of a key command, to be printed. In JSON it is the object, or the list of objects, of its variant.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Report {
    Issued(Issued),
    Listed(Vec<Summary>),
    Shown(Box<Shown>),
    Changed(Summary),
    Unbanned {
        #[serde(flatten)]
        key: Summary,
        was_banned: bool,
    },
}

/// The fields of a key that every key command prints.
#[derive(Serialize)]
pub(super) struct Summary {
    id: i64,
    name: String,
    plan: &'static str,
    per_minute: u64,
    per_day: u64,
    access: &'static str,
    /// `None` if it has all.
    scopes: Option<Vec<String>>,
    prefix: String,
    last4: String,
    created_at: String,
    revoked_at: Option<String>,
}

/// The report of a new key or a rotation: the key with its new secret.
#[derive(Serialize)]
pub(super) struct Issued {
    #[serde(flatten)]
    summary: Summary,
    key: String,
    /// When the older secrets expire, if there are any.
    old_accepted_until: Option<String>,
}

/// The report of `keys show`: all details of a key.
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

/// A key in the list on the page of the operator.
#[derive(Serialize)]
pub(super) struct Overview {
    #[serde(flatten)]
    summary: Summary,
    last_used_at: Option<String>,
    strikes: u32,
    banned_until: Option<String>,
    secrets: Vec<Secret>,
}

/// The usage of a key in one window. Leases of a running server count as used; they are at most a tenth of the limit.
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
    /// `None` if it does not expire, or expired when it was replaced.
    expires_at: Option<String>,
    expired: bool,
}

impl Issued {
    pub(super) fn new(record: KeyRecord, key: ApiKey, now: DateTime<Utc>) -> Issued {
        let old = record.secrets.iter().filter_map(|secret| secret.expires_at);
        let until = old.filter(|end| *end > now.timestamp()).max();
        Issued {
            summary: Summary::from(record),
            key: key.expose().to_owned(),
            old_accepted_until: until.map(to_rfc3339),
        }
    }
}

impl Overview {
    pub(super) fn new(record: KeyRecord, now: DateTime<Utc>) -> Overview {
        let now = now.timestamp();
        let ban = record.ban.read_at(now);
        Overview {
            last_used_at: record.last_used_at.map(to_rfc3339),
            strikes: ban.active_strikes(now),
            banned_until: ban.active_until(now).map(to_rfc3339),
            secrets: describe_secrets(&record, now),
            summary: Summary::from(record),
        }
    }
}

impl Shown {
    pub(super) fn new(record: KeyRecord, usage: LedgerEntry, now: DateTime<Utc>) -> Shown {
        let now = Now::at(now.timestamp());
        let limits = record.limits.limits();
        let windows = usage.windows_at(&now);
        let usage = |window: Window| Usage {
            limit: window.limit_in(limits),
            used: windows.get(window).used,
            resets_at: to_rfc3339(windows.end_of(window)),
        };
        let ban = record.ban.read_at(now.wall);
        Shown {
            last_used_at: record.last_used_at.map(to_rfc3339),
            minute: usage(Window::Minute),
            day: usage(Window::Day),
            strikes: ban.active_strikes(now.wall),
            banned_until: ban.active_until(now.wall).map(to_rfc3339),
            secrets: describe_secrets(&record, now.wall),
            summary: Summary::from(record),
        }
    }
}

/// The secrets of a key at `now` (Unix seconds).
fn describe_secrets(record: &KeyRecord, now: i64) -> Vec<Secret> {
    let secrets = record.secrets.iter().map(|secret| Secret {
        prefix: secret.prefix.clone(),
        last4: secret.last4.clone(),
        created_at: to_rfc3339(secret.created_at),
        expires_at: secret
            .expires_at
            .filter(|end| *end != EXPIRED)
            .map(to_rfc3339),
        expired: secret.expires_at.is_some_and(|end| end <= now),
    });
    secrets.collect()
}

impl From<KeyRecord> for Summary {
    fn from(record: KeyRecord) -> Summary {
        let limits = record.limits.limits();
        // The newest secret is the first, and every key has one.
        let newest = record.secrets.into_iter().next();
        let (prefix, last4) = newest
            .map(|secret| (secret.prefix, secret.last4))
            .unwrap_or_default();
        Summary {
            id: record.id,
            name: record.name,
            plan: record.limits.plan(),
            per_minute: limits.per_minute,
            per_day: limits.per_day,
            access: record.access.as_str(),
            scopes: record.scopes.list().map(<[String]>::to_vec),
            prefix,
            last4,
            created_at: to_rfc3339(record.created_at),
            revoked_at: record.revoked_at.map(to_rfc3339),
        }
    }
}

/// Formats Unix seconds as RFC 3339. A time that the calendar does not reach is written as a number.
fn to_rfc3339(seconds: i64) -> String {
    DateTime::from_timestamp(seconds, 0).map_or_else(
        || seconds.to_string(),
        |time| time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
    )
}
