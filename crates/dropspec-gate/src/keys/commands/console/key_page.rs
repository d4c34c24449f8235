//! A page of the list of keys for the page of the operator: which keys, in which order.

use chrono::{DateTime, Utc};
use clap::ValueEnum;

use crate::keys::KeyRecord;

/// The number of keys on a page.
const PAGE: usize = 25;

/// Which keys a list has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Shown {
    #[default]
    All,
    /// Neither revoked nor expired.
    Used,
    /// Banned, or with strikes.
    Banned,
    /// Revoked or expired.
    Revoked,
}

/// What a list is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Column {
    #[default]
    Id,
    Name,
    Secret,
    Limits,
    Access,
    LastUse,
    State,
}

/// What is asked of the list of keys. Without anything, it is the first page of all keys by their ids.
#[derive(Debug, Default)]
pub(super) struct KeyQuery {
    /// A part of the id, name, note, prefix or plan, in lower case.
    search: String,
    shown: Shown,
    column: Column,
    descending: bool,
    /// The number of the page, from 1.
    page: usize,
}

/// A page of the list.
pub(super) struct KeyPage {
    pub(super) keys: Vec<KeyRecord>,
    /// Its number, from 1: the last page if there are fewer than asked for.
    pub(super) number: usize,
    /// How many pages there are.
    pub(super) pages: usize,
    /// How many keys were found, on all pages.
    pub(super) found: usize,
    /// How many of them are on later pages.
    pub(super) more: usize,
}

impl KeyQuery {
    /// Reads the query of a URL, such as `search=shop&sort=name&page=2`. What is unknown is as if it were absent.
    pub(super) fn of_url(query: &str) -> KeyQuery {
        let mut all = KeyQuery::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "search" => all.search = value.trim().to_lowercase(),
                "shown" => all.shown = Shown::from_str(&value, false).unwrap_or_default(),
                "sort" => all.column = Column::from_str(&value, false).unwrap_or_default(),
                "descending" => all.descending = value == "true",
                "page" => all.page = value.parse().unwrap_or_default(),
                _ => {}
            }
        }
        all
    }

    /// The page of these keys at `now`.
    pub(super) fn select(&self, mut keys: Vec<KeyRecord>, now: DateTime<Utc>) -> KeyPage {
        let now = now.timestamp();
        keys.retain(|key| self.shown.has(key, now) && self.is_found_in(key));
        keys.sort_by_cached_key(|key| self.column.value(key, now));
        if self.descending {
            keys.reverse();
        }
        let found = keys.len();
        let pages = found.div_ceil(PAGE).max(1);
        let number = self.page.clamp(1, pages);
        let keys = keys.into_iter().skip((number - 1) * PAGE).take(PAGE);
        KeyPage {
            keys: keys.collect(),
            number,
            pages,
            found,
            more: found.saturating_sub(number * PAGE),
        }
    }

    fn is_found_in(&self, key: &KeyRecord) -> bool {
        let has = |text: &str| text.to_lowercase().contains(&self.search);
        let given = &key.given;
        let note = given.note.as_deref().unwrap_or_default();
        let of_key = [&key.id.to_string(), &given.name, note, given.plan.name()];
        let prefixes = key.secrets.iter().map(|secret| &*secret.prefix);
        of_key.into_iter().chain(prefixes).any(has)
    }
}

impl Shown {
    fn has(self, key: &KeyRecord, now: i64) -> bool {
        match self {
            Shown::All => true,
            Shown::Used => key.is_valid_at(now),
            Shown::Banned => state(key, now) > 0,
            Shown::Revoked => !key.is_valid_at(now),
        }
    }
}

impl Column {
    /// What a key is sorted by: a number, then a text.
    fn value(self, key: &KeyRecord, now: i64) -> (i64, String) {
        let limits = key.given.plan.limits();
        let text = |text: &str| (0, text.to_lowercase());
        let number = |number| (number, String::new());
        match self {
            Column::Id => number(key.id),
            Column::Name => text(&key.given.name),
            Column::Secret => text(key.secrets.first().map_or("", |it| &it.prefix)),
            Column::Limits => {
                let per_day = i64::try_from(limits.per_day).unwrap_or(i64::MAX);
                (per_day, format!("{:020}", limits.per_minute))
            }
            Column::Access => text(key.given.access.as_str()),
            Column::LastUse => number(key.last_used_at.unwrap_or_default()),
            Column::State => number(state(key, now)),
        }
    }
}

/// The end of the ban of a key at `now` (Unix seconds), otherwise its strikes; less than 0 if it is revoked or expired.
fn state(key: &KeyRecord, now: i64) -> i64 {
    let ban = key.ban.read_at(now);
    if key.is_valid_at(now) {
        let until = ban.active_until(now);
        until.unwrap_or_else(|| ban.active_strikes(now).into())
    } else {
        -1
    }
}

/// Whether a key is banned at `now` (Unix seconds).
pub(super) fn is_banned(key: &KeyRecord, now: i64) -> bool {
    key.is_valid_at(now) && key.ban.read_at(now).active_until(now).is_some()
}
