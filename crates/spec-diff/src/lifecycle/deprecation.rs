//! What happened to a deprecation: it was announced, taken back, or its sunset moved.

use chrono::NaiveDate;

use super::names::Names;
use super::{Event, Lifecycle, SUNSETS, Sunset, is_too_soon, too_soon};

const DEPRECATED: &[&str] = &["deprecated"];

/// The rule, the spellings of the keyword that it is about, and words.
type Told = (&'static str, &'static [&'static str], String);

/// What is asked of a sunset that is announced today.
#[derive(Clone, Copy)]
struct Notice {
    days: i64,
    today: NaiveDate,
    /// Whether it can be said how many days are needed.
    is_known: bool,
}

impl Notice {
    fn is_due(self) -> bool {
        self.is_known && self.days > 0
    }

    fn is_too_short(self, sunset: NaiveDate) -> bool {
        self.is_known && is_too_soon(sunset, self.days, self.today)
    }
}

/// What happened to the deprecation, with `notice` days needed before a sunset.
pub(crate) fn deprecation(
    names: &Names,
    old: &Lifecycle,
    new: &Lifecycle,
    notice: i64,
    today: NaiveDate,
) -> Option<Event> {
    let notice = Notice {
        days: notice,
        today,
        // A stability that became unreadable says nothing of it, and is reported by itself.
        is_known: !matches!(new.stability, Some(Err(_))) || new.stability == old.stability,
    };
    let (change, keywords, what) = match (old.deprecated, new.deprecated) {
        (false, false) => return None,
        (true, false) => {
            let what = "it is deprecated no more".to_owned();
            (names.reactivated, DEPRECATED, what)
        }
        (false, true) => announced(names, &new.sunset, notice),
        (true, true) => moved(names, &old.sunset, &new.sunset, notice)?,
    };
    Some(Event {
        change,
        keywords,
        what,
        covers: SUNSETS,
    })
}

fn announced(names: &Names, sunset: &Sunset, notice: Notice) -> Told {
    match sunset {
        Sunset::None if notice.is_due() => {
            let days = notice.days;
            let what =
                format!("it was deprecated without a sunset; {days} days of notice are needed");
            (names.sunset_missing, DEPRECATED, what)
        }
        Sunset::None => (names.deprecated, DEPRECATED, "it was deprecated".into()),
        Sunset::Invalid(text) => invalid(names, text),
        Sunset::On(date) if notice.is_too_short(*date) => too_small(names, *date, notice),
        Sunset::On(date) => {
            let what = format!("it was deprecated, with the sunset {date}");
            (names.deprecated_with_sunset, SUNSETS, what)
        }
    }
}

fn moved(names: &Names, old: &Sunset, new: &Sunset, notice: Notice) -> Option<Told> {
    Some(match (old, new) {
        (old, new) if old == new => return None,
        (Sunset::Invalid(text), Sunset::On(_)) => {
            let what = format!("the sunset `{text}` was no date");
            (names.sunset_was_invalid, SUNSETS, what)
        }
        (_, Sunset::None) => (names.sunset_deleted, SUNSETS, "the sunset is gone".into()),
        (_, Sunset::Invalid(text)) => invalid(names, text),
        (Sunset::On(before), Sunset::On(date)) if date < before => {
            let what = format!("the sunset moved earlier, from {before} to {date}");
            (names.sunset_moved_earlier, SUNSETS, what)
        }
        (Sunset::None, Sunset::On(date)) if notice.is_too_short(*date) => {
            too_small(names, *date, notice)
        }
        (_, Sunset::On(date)) => {
            let what = format!("the sunset is {date} now");
            (names.sunset_moved, SUNSETS, what)
        }
    })
}

fn invalid(names: &Names, text: &str) -> Told {
    let what = format!("the sunset `{text}` is no date");
    (names.sunset_invalid, SUNSETS, what)
}

fn too_small(names: &Names, sunset: NaiveDate, notice: Notice) -> Told {
    let what = too_soon(sunset, notice.days, notice.today);
    (names.sunset_too_small, SUNSETS, what)
}
