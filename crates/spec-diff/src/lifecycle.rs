//! How long something stays and how much is promised of it: deprecation, sunset, stability. The rules are the same for
//! operations, parameters and properties; only their names differ.

mod arrival;
mod deprecation;
mod names;

use chrono::{DateTime, NaiveDate};

pub(crate) use self::arrival::arrival;
pub(crate) use self::deprecation::deprecation;
pub(crate) use self::names::{OPERATION, PARAMETER, PROPERTY};

use crate::policy::{Policy, Stability};
use crate::schema::Schema;
use crate::tree::{Id, Tree};

pub(crate) const SUNSETS: &[&str] = &["x-deprecated-sunset", "x-sunset"];
pub(crate) const STABILITIES: &[&str] = &["x-stability", "x-stability-level"];

/// What an element says of its own life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lifecycle {
    pub(crate) deprecated: bool,
    pub(crate) sunset: Sunset,
    /// Absent where nothing is said.
    pub(crate) stability: Option<Result<Stability, String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sunset {
    None,
    Invalid(String),
    On(NaiveDate),
}

/// Something that happened in a life.
pub(crate) struct Event {
    pub(crate) change: &'static str,
    /// The spellings of the keyword that it happened at. How much notice is needed does not move it: what is shared by
    /// operations that need more and less is one edit.
    pub(crate) keywords: &'static [&'static str],
    pub(crate) what: String,
    /// All keywords whose change it tells.
    pub(crate) covers: &'static [&'static str],
}

impl Lifecycle {
    pub(crate) fn of(tree: &Tree<'_>, id: Id) -> Lifecycle {
        let text = |names: &[&str]| {
            let found = names.iter().find_map(|name| tree.get(id, name))?;
            let node = tree.node(found);
            let text = node.as_str().map(str::to_owned);
            Some(text.unwrap_or_else(|| node.to_json().to_string()))
        };
        Lifecycle::read(
            tree.flag(id, "deprecated"),
            text(SUNSETS),
            text(STABILITIES),
        )
    }

    pub(crate) fn of_schema(schema: &Schema<'_>) -> Lifecycle {
        let text = |names: &[&str]| names.iter().find_map(|name| schema.extension(name));
        Lifecycle::read(schema.deprecated, text(SUNSETS), text(STABILITIES))
    }

    fn read(deprecated: bool, sunset: Option<String>, stability: Option<String>) -> Lifecycle {
        let sunset = match sunset {
            None => Sunset::None,
            Some(text) => match date(&text) {
                Some(date) => Sunset::On(date),
                None => Sunset::Invalid(text),
            },
        };
        // An empty one says nothing.
        let stability = stability
            .filter(|text| !text.is_empty())
            .map(|text| Stability::parse(&text).ok_or(text));
        Lifecycle {
            deprecated,
            sunset,
            stability,
        }
    }

    /// Everything is stable that does not say otherwise.
    pub(crate) fn promised(&self) -> Stability {
        match &self.stability {
            Some(Ok(stability)) => *stability,
            _ => Stability::Stable,
        }
    }
}

/// A date, or the date of a time (RFC 3339) in UTC, in which all days here are counted.
fn date(text: &str) -> Option<NaiveDate> {
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
    day.or_else(|| {
        Some(
            DateTime::parse_from_rfc3339(text)
                .ok()?
                .to_utc()
                .date_naive(),
        )
    })
}

/// Whether a sunset that is announced today leaves less than `notice` days.
fn is_too_soon(sunset: NaiveDate, notice: i64, today: NaiveDate) -> bool {
    (sunset - today).num_days() < notice
}

/// Says so, and when the sunset may be.
fn too_soon(sunset: NaiveDate, notice: i64, today: NaiveDate) -> String {
    let days = chrono::Days::new(notice.max(0).unsigned_abs());
    match today.checked_add_days(days) {
        Some(first) => {
            format!("the sunset {sunset} is too soon; it may be {first} at the earliest")
        }
        None => format!("the sunset {sunset} is too soon; {notice} days of notice are needed"),
    }
}

/// How something may leave: the end of the rule's name, and words.
pub(crate) fn removal(
    life: &Lifecycle,
    notice: i64,
    today: NaiveDate,
    subject: &str,
) -> (&'static str, String) {
    match &life.sunset {
        _ if !life.deprecated => (
            "removed-without-deprecation",
            format!("{subject} is gone and was never deprecated"),
        ),
        Sunset::None if notice > 0 => (
            "sunset-parse",
            format!("{subject} is gone and its deprecation named no sunset"),
        ),
        Sunset::None => (
            "removed-with-deprecation",
            format!("{subject} is gone, as its deprecation announced"),
        ),
        Sunset::Invalid(text) => (
            "sunset-parse",
            format!("{subject} is gone and its sunset `{text}` is no date"),
        ),
        Sunset::On(date) if today <= *date => (
            "removed-before-sunset",
            format!("{subject} is gone before its sunset {date}"),
        ),
        Sunset::On(date) => (
            "removed-with-deprecation",
            format!("{subject} is gone after its sunset {date}"),
        ),
    }
}

/// What happened to the promise: the end of the rule's name, and words.
pub(crate) fn stability(old: &Lifecycle, new: &Lifecycle) -> Option<Event> {
    let (before, after) = (old.promised(), new.promised());
    let change = match before.cmp(&after) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Greater => "stability-decreased",
        std::cmp::Ordering::Less => "stability-increased",
    };
    let shown = |stability: Stability| format!("{stability:?}").to_lowercase();
    Some(Event {
        change,
        keywords: STABILITIES,
        what: format!("{} became {}", shown(before), shown(after)),
        covers: STABILITIES,
    })
}

/// All that happened to a property of an operation of which so much is promised, by the end of the rule's name.
pub(crate) fn property_events(
    old: &Lifecycle,
    new: &Lifecycle,
    promised: Stability,
    policy: &Policy,
) -> Vec<Event> {
    let least = policy.ignore_below.unwrap_or(Stability::Draft);
    let looked_at = old.promised() >= least;
    let stability = stability(old, new).filter(|_| looked_at);
    let notice = policy.notice(old.promised().min(promised));
    let deprecation = deprecation(&PROPERTY, old, new, notice, policy.today);
    stability.into_iter().chain(deprecation).collect()
}
