//! The results of the key commands, as lines for people or as JSON for scripts. Times are RFC 3339.

use std::fmt;
use std::io::{self, Write};

use chrono::{DateTime, Utc};
use serde::Serialize;
use spec_runtime::SecuritySchemeInfo;

use super::caller::Caller;
use super::lists::{Change, write_keys, write_log};
use super::usage::Usage;
use crate::auth::ApiKey;
use crate::keys::{EXPIRED, KeyRecord, to_rfc3339};
use crate::rate_limit::{LedgerEntry, Window};

/// The result of a key command, to be printed. In JSON it is a list of keys or changes, or a key with what the command adds to
/// it.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Report {
    Listed(Vec<Key>),
    Logged(Vec<Change>),
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
    /// The usage, or where it is if it is not at hand.
    Shown {
        minute: Option<Usage>,
        day: Option<Usage>,
        counted_in: Option<String>,
    },
    Changed {},
    Unbanned {
        was_banned: bool,
    },
}

/// A key without its secrets.
#[derive(Serialize)]
pub(super) struct Key {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) plan: &'static str,
    pub(super) per_minute: u64,
    pub(super) per_day: u64,
    pub(super) access: &'static str,
    /// `None` if it has all.
    scopes: Option<Vec<String>>,
    prefix: String,
    last4: String,
    pub(super) note: Option<String>,
    pub(super) created_at: String,
    pub(super) expires_at: Option<String>,
    pub(super) expired: bool,
    pub(super) revoked_at: Option<String>,
    pub(super) last_used_at: Option<String>,
    strikes: u32,
    pub(super) banned_until: Option<String>,
    secrets: Vec<Secret>,
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
            Report::Listed(_) | Report::Logged(_) => None,
            Report::One { more, .. } => Some(more),
        };
        matches!(more, Some(More::Issued { .. }))
    }

    /// Writes the report for people. `scheme` says how secrets are sent.
    pub(super) fn write_text(
        &self,
        scheme: Option<SecuritySchemeInfo>,
        caller: &Caller,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let (key, more) = match self {
            Report::Listed(keys) => {
                return write_keys(keys, caller.columns, caller.author.time, out);
            }
            Report::Logged(changes) => return write_log(changes, caller.columns, out),
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
            More::Shown {
                minute,
                day,
                counted_in,
            } => key.write_details([minute, day], counted_in.as_deref(), out),
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

    /// The usage of a key, if it is at hand.
    pub(super) fn shown(record: &KeyRecord, usage: Option<&LedgerEntry>, caller: &Caller) -> More {
        let usage = |window| {
            let limits = record.plan.limits();
            Some(Usage::new(usage?, window, limits, caller.author.time))
        };
        More::Shown {
            minute: usage(Window::Minute),
            day: usage(Window::Day),
            counted_in: caller.counted_in.clone(),
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
            note: record.note,
            created_at: to_rfc3339(record.created_at),
            expires_at: record.expires_at.map(to_rfc3339),
            expired: record.expires_at.is_some_and(|end| end <= now),
            revoked_at: record.revoked_at.map(to_rfc3339),
            last_used_at: record.last_used_at.map(to_rfc3339),
            strikes: ban.active_strikes(now),
            banned_until: ban.active_until(now).map(to_rfc3339),
            name: record.name,
            secrets,
        }
    }

    /// The newest secret, as far as it may be shown.
    pub(super) fn shown_secret(&self) -> String {
        format!("{}…{}", self.prefix, self.last4)
    }

    fn write_details(
        &self,
        usage: [&Option<Usage>; 2],
        counted_in: Option<&str>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        if let Some(note) = &self.note {
            writeln!(out, "note       {note}")?;
        }
        let last_used = self.last_used_at.as_deref().unwrap_or("never");
        writeln!(
            out,
            "created    {}\nlast used  {last_used}",
            self.created_at
        )?;
        for (name, usage) in ["minute", "day"].into_iter().zip(usage) {
            if let Some(usage) = usage {
                writeln!(out, "{name:<9}  {usage}")?;
            }
        }
        if let Some(address) = counted_in {
            writeln!(
                out,
                "usage      is counted by Redis at {address}; give --limits with its URL to see it"
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
        f.write_str(&self.shown_secret())?;
        if let Some(end) = &self.expires_at {
            let verb = if self.expired { "expired" } else { "expires" };
            write!(f, ", {verb} {end}")?;
        }
        match &self.revoked_at {
            Some(revoked_at) => write!(f, ", revoked {revoked_at}"),
            None => Ok(()),
        }
    }
}
