//! A key as the commands show it, and its usage.

use std::fmt;
use std::io::{self, Write};

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::table::printable;
use crate::keys::{EXPIRED, KeyRecord, to_rfc3339};
use crate::rate_limit::{LedgerEntry, Now, RateLimits, Window};

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

/// The usage of a key in one window.
#[derive(Serialize)]
pub(super) struct Usage {
    limit: u64,
    used: u64,
    /// What servers have reserved in advance, at most a tenth of the limit each, and may have used since.
    reserved: u64,
    resets_at: String,
}

impl Key {
    pub(super) fn new(record: KeyRecord, now: DateTime<Utc>) -> Key {
        let now = now.timestamp();
        let (limits, ban) = (record.given.plan.limits(), record.ban.read_at(now));
        let expired = record.is_expired_at(now);
        let secrets = record.secrets.iter().map(|secret| Secret {
            prefix: secret.prefix.clone(),
            last4: secret.last4.clone(),
            created_at: to_rfc3339(secret.created_at),
            expires_at: secret
                .expires_at
                .filter(|end| *end != EXPIRED)
                .map(to_rfc3339),
            expired: secret.is_expired_at(now),
        });
        let secrets: Vec<Secret> = secrets.collect();
        // The newest secret is the first, and every key has one.
        let newest = secrets.first();
        Key {
            id: record.id,
            plan: record.given.plan.name(),
            per_minute: limits.per_minute,
            per_day: limits.per_day,
            access: record.given.access.as_str(),
            scopes: record.given.scopes.list().map(<[String]>::to_vec),
            prefix: newest.map_or_else(String::new, |it| it.prefix.clone()),
            last4: newest.map_or_else(String::new, |it| it.last4.clone()),
            note: record.given.note,
            created_at: to_rfc3339(record.created_at),
            expires_at: record.given.expires_at.map(to_rfc3339),
            expired,
            revoked_at: record.revoked_at.map(to_rfc3339),
            last_used_at: record.last_used_at.map(to_rfc3339),
            strikes: ban.active_strikes(now),
            banned_until: ban.active_until(now).map(to_rfc3339),
            name: record.given.name,
            secrets,
        }
    }

    /// The newest secret, as far as it may be shown.
    pub(super) fn shown_secret(&self) -> String {
        format!("{}…{}", self.prefix, self.last4)
    }

    /// Writes what only one key shows.
    pub(super) fn write_details(
        &self,
        usage: [&Option<Usage>; 2],
        out: &mut impl Write,
    ) -> io::Result<()> {
        if let Some(note) = &self.note {
            writeln!(out, "note       {}", printable(note))?;
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

impl Usage {
    /// The usage at `now`, as a ledger knows it.
    pub(super) fn new(
        entry: &LedgerEntry,
        window: Window,
        limits: RateLimits,
        now: DateTime<Utc>,
    ) -> Usage {
        let windows = entry.known_at(&Now::at(now.timestamp()));
        let usage = windows.get(window);
        Usage {
            limit: window.limit_in(limits),
            used: usage.used,
            reserved: usage.leased,
            resets_at: to_rfc3339(windows.end_of(window)),
        }
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} used", self.used, self.limit)?;
        if self.reserved > 0 {
            write!(
                f,
                ", and up to {} more that servers have reserved",
                self.reserved
            )?;
        }
        write!(f, ", until {}", self.resets_at)
    }
}
