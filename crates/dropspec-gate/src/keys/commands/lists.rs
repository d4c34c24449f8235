//! Lists of keys and of their changes, as tables.

use std::io::{self, Write};

use chrono::{DateTime, Utc};

use super::key::Key;
use super::table::{Column, Fit, write_table};
use crate::keys::{LoggedChange, to_rfc3339};

fn column<T>(head: &'static str, fit: Fit, rows: &[T], cell: impl Fn(&T) -> String) -> Column {
    let cells = rows.iter().map(cell).collect();
    Column { head, cells, fit }
}

/// Writes the keys at `now`, the times for people if it is for a terminal.
pub(super) fn write_keys(
    keys: &[Key],
    columns: Option<usize>,
    now: DateTime<Utc>,
    out: &mut impl Write,
) -> io::Result<()> {
    if keys.is_empty() {
        return writeln!(out, "There are no keys; `keys create` creates one.");
    }
    let is_short = columns.is_some();
    let day = |time: &str| shorten(time, 10, is_short);
    let last_used = |key: &Key| match &key.last_used_at {
        None => "never".to_owned(),
        Some(time) if is_short => match minutes(time, now) {
            ..1 => "just now".to_owned(),
            minutes => format!("{} ago", roughly(minutes)),
        },
        Some(time) => time.clone(),
    };
    let state = |key: &Key| {
        if let Some(time) = &key.revoked_at {
            format!("revoked {}", day(time))
        } else if let Some(end) = &key.expires_at {
            let verb = if key.expired { "expired" } else { "expires" };
            format!("{verb} {}", day(end))
        } else {
            "active".to_owned()
        }
    };
    let ban = |key: &Key| match &key.banned_until {
        None => "-".to_owned(),
        Some(end) if is_short => format!("for {}", roughly(1 - minutes(end, now))),
        Some(end) => format!("until {end}"),
    };
    let limits = |key: &Key| format!("{}/min {}/day", key.per_minute, key.per_day);
    let table = vec![
        column("ID", Fit::Stays, keys, |key| key.id.to_string()),
        column("NAME", Fit::Cut, keys, |key| key.name.clone()),
        column("PLAN", Fit::LeftOut(3), keys, |key| key.plan.to_owned()),
        column("LIMITS", Fit::Stays, keys, limits),
        column("ACCESS", Fit::LeftOut(4), keys, |key| key.access.to_owned()),
        column("KEY", Fit::LeftOut(2), keys, Key::shown_secret),
        column("CREATED", Fit::LeftOut(5), keys, |key| day(&key.created_at)),
        column("LAST USED", Fit::Stays, keys, last_used),
        column("BANNED", Fit::Stays, keys, ban),
        column("STATE", Fit::Stays, keys, state),
        column("NOTE", Fit::LeftOut(6), keys, |key| {
            key.note.clone().unwrap_or_default()
        }),
    ];
    write_table(table, columns, out)
}

/// Writes changes of keys, the times for people if it is for a terminal.
pub(super) fn write_log(
    changes: &[LoggedChange],
    columns: Option<usize>,
    out: &mut impl Write,
) -> io::Result<()> {
    if changes.is_empty() {
        return writeln!(out, "No change is stored.");
    }
    let time = |it: &LoggedChange| shorten(&to_rfc3339(it.time), 16, columns.is_some());
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let table = vec![
        column("TIME", Fit::Stays, changes, time),
        column("KEY", Fit::Cut, changes, |it| {
            format!("{} {}", it.key_id, it.key_name)
        }),
        column("CHANGE", Fit::Stays, changes, |it| it.subject.clone()),
        column("FROM", Fit::Cut, changes, |it| value(&it.old)),
        column("TO", Fit::Cut, changes, |it| value(&it.new)),
        column("BY", Fit::Cut, changes, |it| it.author.clone()),
    ];
    write_table(table, columns, out)
}

/// The first characters of a time: 10 for the day, 16 with the minute. All of it if it is not for people.
fn shorten(time: &str, length: usize, is_short: bool) -> String {
    match time.get(..length) {
        Some(start) if is_short => start.replace('T', " "),
        _ => time.to_owned(),
    }
}

fn minutes(time: &str, now: DateTime<Utc>) -> i64 {
    let time = DateTime::parse_from_rfc3339(time);
    time.map_or(0, |time| now.signed_duration_since(time).num_minutes())
}

fn roughly(minutes: i64) -> String {
    match minutes {
        ..60 => format!("{minutes} min"),
        60..1440 => format!("{} h", minutes / 60),
        1440.. => format!("{} d", minutes / 1440),
    }
}
