//! The results of the key commands, as lines for people or as JSON for scripts. Times are RFC 3339.

use std::io::{self, Write};

use chrono::{DateTime, Utc};
use dropspec_runtime::SecuritySchemeInfo;
use serde::Serialize;

use super::caller::Caller;
use super::key::{Key, Usage};
use super::lists::{write_keys, write_log};
use crate::auth::ApiKey;
use crate::keys::{KeyRecord, LoggedChange, to_rfc3339};
use crate::rate_limit::{LedgerEntry, Window};
use crate::storage_error::StorageError;

/// The result of a key command, to be printed. In JSON it is a list of keys or changes, or a key with what the command adds to
/// it.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Report {
    Listed(Vec<Key>),
    Logged(Vec<LoggedChange>),
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
    /// The usage, or where it is if it is not at hand, or why it cannot be read.
    Shown {
        minute: Option<Usage>,
        day: Option<Usage>,
        counted_in: Option<String>,
        usage_error: Option<String>,
    },
    Changed {},
    Unbanned {
        was_banned: bool,
    },
}

impl Report {
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
                usage_error,
            } => {
                key.write_details([minute, day], out)?;
                if let Some(address) = counted_in {
                    writeln!(
                        out,
                        "usage      is counted by Redis at {address}; give --limits with its URL to see it"
                    )?;
                }
                if let Some(error) = usage_error {
                    writeln!(out, "usage      cannot be read: {error}")?;
                }
                Ok(())
            }
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
        let of_key = record.given.expires_at;
        let old = old.map(|end| of_key.map_or(end, |of_key| of_key.min(end)));
        let until = old.filter(|end| *end > now.timestamp()).max();
        More::Issued {
            key: key.expose().to_owned(),
            old_accepted_until: until.map(to_rfc3339),
        }
    }

    /// The usage of a key, if it is at hand and can be read.
    pub(super) fn shown(
        record: &KeyRecord,
        usage: Option<Result<LedgerEntry, StorageError>>,
        caller: &Caller,
    ) -> More {
        let (usage, usage_error) = match usage {
            Some(Ok(usage)) => (Some(usage), None),
            Some(Err(error)) => (None, Some(format!("{:#}", anyhow::Error::from(error)))),
            None => (None, None),
        };
        let usage = |window| {
            let limits = record.given.plan.limits();
            Some(Usage::new(
                usage.as_ref()?,
                window,
                limits,
                caller.author.time,
            ))
        };
        More::Shown {
            minute: usage(Window::Minute),
            day: usage(Window::Day),
            counted_in: caller.counted_in.clone(),
            usage_error,
        }
    }
}
