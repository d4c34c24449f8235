//! Compares deprecations and sunsets, and checks that a new deprecation gives enough notice.

use chrono::{Days, NaiveDate};
use dropspec_model::Stability;

use super::rules::LifecycleRules;
use super::{Event, Lifecycle, SUNSETS, Sunset};
use crate::policy::Policy;
use crate::rules::RuleId;

const DEPRECATED: &[&str] = &["deprecated"];

/// The rules for one kind of element, and the notice that a sunset announced today must give.
struct Check<'r> {
    rules: &'r LifecycleRules,
    days: i64,
    today: NaiveDate,
    /// Whether the stability, which decides the days, can be read.
    is_known: bool,
}

/// Checks an added element that is already deprecated: the rule and the message if its notice is too short.
pub(crate) fn check_added(
    rules: &LifecycleRules,
    life: &Lifecycle,
    stability: Stability,
    policy: &Policy,
) -> Option<(RuleId, String)> {
    let check = Check {
        rules,
        days: policy.notice(life.stability.min(stability)),
        today: policy.today,
        is_known: true,
    };
    let (rule, why) = match &life.sunset {
        _ if !life.deprecated => return None,
        Sunset::None if check.days > 0 => (rules.sunset_missing, "it has no sunset".into()),
        sunset => check.find_sunset_problem(sunset)?,
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
    let check = Check {
        rules,
        days: policy.notice(old.stability.min(stability)),
        today: policy.today,
        // A stability that became unreadable is reported by itself.
        is_known: new.unknown_stability.is_none() || new.unknown_stability == old.unknown_stability,
    };
    let (rule, message) = match (old.deprecated, new.deprecated) {
        (false, false) => return None,
        (true, false) => (rules.reactivated, "it is no longer deprecated".to_owned()),
        (false, true) => check.describe_new_deprecation(&new.sunset),
        (true, true) => check.find_sunset_change(&old.sunset, &new.sunset)?,
    };
    let has_sunset = old.deprecated || new.sunset != Sunset::None;
    Some(Event {
        rule,
        keywords: if new.deprecated && has_sunset {
            SUNSETS
        } else {
            DEPRECATED
        },
        message,
        covers: SUNSETS,
    })
}

impl Check<'_> {
    /// The rule and the message for a sunset that is not a date or that gives too little notice.
    fn find_sunset_problem(&self, sunset: &Sunset) -> Option<(RuleId, String)> {
        match sunset {
            Sunset::Invalid(text) => {
                let message = format!("the sunset `{text}` is not a date");
                Some((self.rules.sunset_invalid, message))
            }
            Sunset::On(date) if self.is_known && (*date - self.today).num_days() < self.days => {
                let days = Days::new(self.days.max(0).unsigned_abs());
                let least = match self.today.checked_add_days(days) {
                    Some(first) => format!("the earliest is {first}"),
                    None => format!("{} days of notice are required", self.days),
                };
                let message = format!("the sunset {date} is too early; {least}");
                Some((self.rules.sunset_too_soon, message))
            }
            Sunset::None | Sunset::On(_) => None,
        }
    }

    /// The rule and the message for a new deprecation.
    fn describe_new_deprecation(&self, sunset: &Sunset) -> (RuleId, String) {
        let rules = self.rules;
        self.find_sunset_problem(sunset)
            .unwrap_or_else(|| match sunset {
                Sunset::On(date) => {
                    let message = format!("it was deprecated with the sunset {date}");
                    (rules.deprecated_with_sunset, message)
                }
                _ if self.is_known && self.days > 0 => {
                    let days = self.days;
                    let message = format!(
                        "it was deprecated without a sunset; {days} days of notice are required"
                    );
                    (rules.sunset_missing, message)
                }
                _ => (rules.deprecated, "it was deprecated".into()),
            })
    }

    /// The rule and the message for a sunset that changed.
    fn find_sunset_change(&self, old: &Sunset, new: &Sunset) -> Option<(RuleId, String)> {
        let rules = self.rules;
        let too_soon = || {
            self.find_sunset_problem(new)
                .filter(|_| *old == Sunset::None)
        };
        match (old, new) {
            (old, new) if old == new => None,
            (Sunset::Invalid(text), Sunset::On(_)) => {
                let message = format!("the former sunset `{text}` is not a date");
                Some((rules.sunset_was_invalid, message))
            }
            (_, Sunset::None) => Some((rules.sunset_removed, "the sunset was removed".to_owned())),
            (_, Sunset::Invalid(_)) => self.find_sunset_problem(new),
            (Sunset::On(before), Sunset::On(date)) if date < before => {
                let message =
                    format!("the sunset moved to an earlier day, from {before} to {date}");
                Some((rules.sunset_earlier, message))
            }
            (_, Sunset::On(date)) => too_soon()
                .or_else(|| Some((rules.sunset_later, format!("the sunset is now {date}")))),
        }
    }
}
