//! Compares deprecations and sunsets, and checks that a new deprecation gives enough notice.

use chrono::{Days, NaiveDate};
use spec_model::Stability;

use super::rules::LifecycleRules;
use super::{Event, Lifecycle, SUNSETS, Sunset};
use crate::policy::Policy;
use crate::rules::RuleId;

const DEPRECATED: &[&str] = &["deprecated"];

/// The rule, the spellings of the keyword of the edit, and the message.
type Found = (RuleId, &'static [&'static str], String);

/// The notice that a sunset announced today must give.
#[derive(Clone, Copy)]
struct Notice {
    days: i64,
    today: NaiveDate,
    /// Whether the stability, which decides the days, can be read.
    is_known: bool,
}

impl Notice {
    fn is_required(self) -> bool {
        self.is_known && self.days > 0
    }

    fn is_too_short(self, sunset: NaiveDate) -> bool {
        self.is_known && (sunset - self.today).num_days() < self.days
    }

    fn describe_too_short(self, sunset: NaiveDate) -> String {
        let days = Days::new(self.days.max(0).unsigned_abs());
        match self.today.checked_add_days(days) {
            Some(first) => format!("the sunset {sunset} is too early; the earliest is {first}"),
            None => {
                let days = self.days;
                format!("the sunset {sunset} is too early; {days} days of notice are required")
            }
        }
    }
}

/// Checks an added element that is already deprecated: the rule and the message if its notice is too short.
pub(crate) fn check_added(
    rules: &LifecycleRules,
    life: &Lifecycle,
    stability: Stability,
    policy: &Policy,
) -> Option<(RuleId, String)> {
    let notice = Notice {
        days: policy.notice(life.effective_stability().min(stability)),
        today: policy.today,
        is_known: true,
    };
    let (rule, why) = match &life.sunset {
        _ if !life.deprecated => return None,
        Sunset::None if notice.is_required() => (rules.sunset_missing, "it has no sunset".into()),
        sunset => check_sunset(rules, sunset, notice)?,
    };
    Some((rule, format!("was added and is already deprecated: {why}")))
}

/// Compares the deprecation and the sunset.
pub(super) fn compare_deprecation(
    rules: &LifecycleRules,
    old: &Lifecycle,
    new: &Lifecycle,
    stability: Stability,
    policy: &Policy,
) -> Option<Event> {
    let notice = Notice {
        days: policy.notice(old.effective_stability().min(stability)),
        today: policy.today,
        // A stability that became unreadable is reported by itself.
        is_known: !matches!(new.stability, Some(Err(_))) || new.stability == old.stability,
    };
    let (rule, keywords, message) = match (old.deprecated, new.deprecated) {
        (false, false) => return None,
        (true, false) => {
            let message = "it is no longer deprecated".to_owned();
            (rules.reactivated, DEPRECATED, message)
        }
        (false, true) => compare_announced(rules, &new.sunset, notice),
        (true, true) => {
            let (rule, message) = compare_sunsets(rules, &old.sunset, &new.sunset, notice)?;
            (rule, SUNSETS, message)
        }
    };
    Some(Event {
        rule,
        keywords,
        message,
        covers: SUNSETS,
    })
}

/// The rule and the message for a sunset that is not a date or that gives too little notice.
fn check_sunset(
    rules: &LifecycleRules,
    sunset: &Sunset,
    notice: Notice,
) -> Option<(RuleId, String)> {
    match sunset {
        Sunset::Invalid(text) => {
            let message = format!("the sunset `{text}` is not a date");
            Some((rules.sunset_invalid, message))
        }
        Sunset::On(date) if notice.is_too_short(*date) => {
            Some((rules.sunset_too_soon, notice.describe_too_short(*date)))
        }
        Sunset::None | Sunset::On(_) => None,
    }
}

/// The rule, the keyword of the edit and the message for a new deprecation.
fn compare_announced(rules: &LifecycleRules, sunset: &Sunset, notice: Notice) -> Found {
    if let Some((rule, message)) = check_sunset(rules, sunset, notice) {
        return (rule, SUNSETS, message);
    }
    match sunset {
        Sunset::On(date) => {
            let message = format!("it was deprecated with the sunset {date}");
            (rules.deprecated_with_sunset, SUNSETS, message)
        }
        _ if notice.is_required() => {
            let days = notice.days;
            let message =
                format!("it was deprecated without a sunset; {days} days of notice are required");
            (rules.sunset_missing, DEPRECATED, message)
        }
        _ => (rules.deprecated, DEPRECATED, "it was deprecated".into()),
    }
}

/// The rule and the message for a sunset that changed.
fn compare_sunsets(
    rules: &LifecycleRules,
    old: &Sunset,
    new: &Sunset,
    notice: Notice,
) -> Option<(RuleId, String)> {
    match (old, new) {
        (old, new) if old == new => None,
        (Sunset::Invalid(text), Sunset::On(_)) => {
            let message = format!("the former sunset `{text}` is not a date");
            Some((rules.sunset_was_invalid, message))
        }
        (_, Sunset::None) => Some((rules.sunset_removed, "the sunset was removed".to_owned())),
        (_, Sunset::Invalid(_)) => check_sunset(rules, new, notice),
        (Sunset::On(before), Sunset::On(date)) if date < before => {
            let message = format!("the sunset moved to an earlier day, from {before} to {date}");
            Some((rules.sunset_earlier, message))
        }
        (Sunset::None, Sunset::On(date)) if notice.is_too_short(*date) => {
            check_sunset(rules, new, notice)
        }
        (_, Sunset::On(date)) => {
            let message = format!("the sunset is now {date}");
            Some((rules.sunset_later, message))
        }
    }
}
