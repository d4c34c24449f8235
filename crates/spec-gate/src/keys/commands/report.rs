//! The results of the key commands, as lines for people or as JSON for scripts. Times are RFC 3339.

use std::fmt;
use std::io::{self, Write};

use chrono::{DateTime, Utc};
use serde::Serialize;
use spec_runtime::SecuritySchemeInfo;

use crate::auth::ApiKey;
use crate::keys::{EXPIRED, KeyRecord};
use crate::rate_limit::{LedgerEntry, Now, Window};

/// The result of a key command, to be printed. In JSON it is a list of keys, or a key with what the command adds to it.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Report {
    Listed(Vec<Key>),
    One {
        #[serde(flatten)]
        key: Box<Key>,
        #[serde(flatten)]
        more: More,
    },
}

/// What a command says beside the key.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum More {
    /// The secret of a new key or of a rotation, and when the older ones expire, if there are any.
    Issued {
        key: String,
        old_accepted_until: Option<String>,
    },
    Shown {
        minute: Usage,
        day: Usage,
    },
    Changed {},
    Unbanned {
        was_banned: bool,
    },
}

/// A key without its secrets.
#[derive(Serialize)]
pub(super) struct Key {
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
    last_used_at: Option<String>,
    strikes: u32,
    banned_until: Option<String>,
    secrets: Vec<Secret>,
}

/// The usage of a key in one window. Leases of a running server count as used; they are at most a tenth of the limit.
#[derive(Serialize)]
pub(super) struct Usage {
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

impl Report {
    /// The report of a key at `now`.
    pub(super) fn new(record: KeyRecord, more: More, now: DateTime<Utc>) -> Report {
        let key = Box::new(Key::new(record, now));
        Report::One { key, more }
    }

    /// Whether it has a secret, which must not be lost in silence.
    pub(super) fn has_secret(&self) -> bool {
        let more = match self {
            Report::Listed(_) => None,
            Report::One { more, .. } => Some(more),
        };
        matches!(more, Some(More::Issued { .. }))
    }

    /// Writes the report for people. `scheme` says how secrets are sent.
    pub(super) fn write_text(
        &self,
        scheme: Option<SecuritySchemeInfo>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let (key, more) = match self {
            Report::Listed(keys) => return write_list(keys, out),
            Report::One { key, more } => (key, more),
        };
        writeln!(out, "{key}")?;
        match more {
            More::Issued {
                key,
                old_accepted_until,
            } => {
                writeln!(out, "\n    {key}\n")?;
                write!(out, "Store it now, it is not shown again.")?;
                match scheme {
                    Some(scheme) => writeln!(out, " Send it in {}.", scheme.kind)?,
                    None => writeln!(out, " No operation of the document requires one.")?,
                }
                match old_accepted_until {
                    Some(until) => writeln!(out, "The old one is accepted until {until}."),
                    None => Ok(()),
                }
            }
            More::Shown { minute, day } => key.write_details(minute, day, out),
            More::Changed {} => Ok(()),
            More::Unbanned { was_banned: true } => writeln!(out, "The ban is ended."),
            More::Unbanned { was_banned: false } => {
                writeln!(out, "It was not banned; its strikes are removed.")
            }
        }
    }
}

impl More {
    /// A new secret of a key.
    pub(super) fn issued(record: &KeyRecord, key: &ApiKey, now: DateTime<Utc>) -> More {
        let old = record.secrets.iter().filter_map(|secret| secret.expires_at);
        let until = old.filter(|end| *end > now.timestamp()).max();
        More::Issued {
            key: key.expose().to_owned(),
            old_accepted_until: until.map(to_rfc3339),
        }
    }

    /// The usage of a key.
    pub(super) fn shown(record: &KeyRecord, usage: &LedgerEntry, now: DateTime<Utc>) -> More {
        let windows = usage.windows_at(&Now::at(now.timestamp()));
        let usage = |window: Window| Usage {
            limit: window.limit_in(record.plan.limits()),
            used: windows.get(window).used,
            resets_at: to_rfc3339(windows.end_of(window)),
        };
        More::Shown {
            minute: usage(Window::Minute),
            day: usage(Window::Day),
        }
    }
}

impl Key {
    /// A key at `now`.
    pub(super) fn new(record: KeyRecord, now: DateTime<Utc>) -> Key {
        let now = now.timestamp();
        let (limits, ban) = (record.plan.limits(), record.ban.read_at(now));
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
        let secrets: Vec<Secret> = secrets.collect();
        // The newest secret is the first, and every key has one.
        let newest = secrets.first();
        Key {
            id: record.id,
            plan: record.plan.name(),
            per_minute: limits.per_minute,
            per_day: limits.per_day,
            access: record.access.as_str(),
            scopes: record.scopes.list().map(<[String]>::to_vec),
            prefix: newest.map_or_else(String::new, |it| it.prefix.clone()),
            last4: newest.map_or_else(String::new, |it| it.last4.clone()),
            created_at: to_rfc3339(record.created_at),
            revoked_at: record.revoked_at.map(to_rfc3339),
            last_used_at: record.last_used_at.map(to_rfc3339),
            strikes: ban.active_strikes(now),
            banned_until: ban.active_until(now).map(to_rfc3339),
            name: record.name,
            secrets,
        }
    }

    fn write_details(&self, minute: &Usage, day: &Usage, out: &mut impl Write) -> io::Result<()> {
        let last_used = self.last_used_at.as_deref().unwrap_or("never");
        writeln!(
            out,
            "created    {}\nlast used  {last_used}",
            self.created_at
        )?;
        for (name, usage) in [("minute", minute), ("day", day)] {
            let Usage {
                limit,
                used,
                resets_at,
            } = usage;
            writeln!(
                out,
                "{name:<9}  {used} of {limit} used or leased, until {resets_at}"
            )?;
        }
        writeln!(out, "strikes    {}", self.strikes)?;
        match &self.banned_until {
            Some(end) => writeln!(out, "banned     until {end}")?,
            None => writeln!(out, "banned     no")?,
        }
        for secret in &self.secrets {
            let (prefix, last4, created) = (&secret.prefix, &secret.last4, &secret.created_at);
            write!(out, "secret     {prefix}…{last4}, created {created}")?;
            match (&secret.expires_at, secret.expired) {
                (Some(end), true) => writeln!(out, ", expired {end}")?,
                (Some(end), false) => writeln!(out, ", expires {end}")?,
                (None, true) => writeln!(out, ", expired when it was replaced")?,
                (None, false) => writeln!(out)?,
            }
        }
        Ok(())
    }
}

/// The line of a key.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (minute, day, access) = (self.per_minute, self.per_day, self.access);
        write!(f, "key {} {:?}: {}, ", self.id, self.name, self.plan)?;
        write!(f, "{minute} a minute, {day} a day, {access} access, ")?;
        if let Some(scopes) = &self.scopes {
            write!(f, "scopes {}, ", scopes.join(" "))?;
        }
        write!(f, "{}…{}", self.prefix, self.last4)?;
        match &self.revoked_at {
            Some(revoked_at) => write!(f, ", revoked {revoked_at}"),
            None => Ok(()),
        }
    }
}

fn write_list(keys: &[Key], out: &mut impl Write) -> io::Result<()> {
    if keys.is_empty() {
        return writeln!(out, "There are no keys; `keys create` creates one.");
    }
    let mut rows =
        vec![["ID", "NAME", "PLAN", "ACCESS", "KEY", "CREATED", "REVOKED"].map(str::to_owned)];
    rows.extend(keys.iter().map(|key| {
        let secret = format!("{}…{}", key.prefix, key.last4);
        let revoked = key.revoked_at.clone().unwrap_or_else(|| "-".to_owned());
        let [name, created] = [&key.name, &key.created_at].map(String::clone);
        [
            key.id.to_string(),
            name,
            key.plan.into(),
            key.access.into(),
            secret,
            created,
            revoked,
        ]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..6).map(|column| width(column).unwrap_or(0)).collect();
    for row in &rows {
        for (cell, width) in row.iter().zip(&widths) {
            write!(out, "{cell:<width$}  ")?;
        }
        writeln!(out, "{}", row[6])?;
    }
    Ok(())
}

/// Formats Unix seconds as RFC 3339. A time that the calendar does not reach is written as a number.
fn to_rfc3339(seconds: i64) -> String {
    DateTime::from_timestamp(seconds, 0).map_or_else(
        || seconds.to_string(),
        |time| time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
    )
}
