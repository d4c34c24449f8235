//! Compares deprecation, sunset and stability of operations, parameters and properties. The checks are the same for all
//! three; only the rules differ.

mod deprecation;
mod rules;

use std::cmp::Ordering;

use chrono::{DateTime, NaiveDate};
use dropspec_model::Stability;
use dropspec_model::lifecycle::{STABILITY, SUNSET, parse_date};

pub(crate) use self::deprecation::check_added;
use self::deprecation::compare_deprecation;
pub(crate) use self::rules::{LifecycleRules, OPERATION, RemovalRules};
use crate::policy::Policy;
use crate::rules::RuleId;
use crate::schema::Schema;
use crate::tree::{Id, Tree};

/// The extension of a sunset, and its name in oasdiff.
pub(crate) const SUNSETS: &[&str] = &[SUNSET, "x-sunset"];
/// The extension of a stability, and its name in oasdiff.
pub(crate) const STABILITIES: &[&str] = &[STABILITY, "x-stability-level"];

/// Deprecation, sunset and stability of one element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lifecycle {
    pub(crate) deprecated: bool,
    pub(crate) sunset: Sunset,
    /// Absent or unknown, it is stable.
    pub(crate) stability: Stability,
    /// The text of a stability that is unknown.
    pub(crate) unknown_stability: Option<String>,
}

/// The sunset of a deprecated element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sunset {
    None,
    Invalid(String),
    On(NaiveDate),
}

/// A change of a lifecycle.
pub(crate) struct Event {
    pub(crate) rule: RuleId,
    /// The keyword of the edit, in all its spellings. It does not depend on the notice period: an element that is shared
    /// by operations with different notice periods is edited once.
    pub(crate) keywords: &'static [&'static str],
    pub(crate) message: String,
    /// All keywords whose change is reported by this event.
    pub(crate) covers: &'static [&'static str],
}

impl Lifecycle {
    pub(crate) fn from_node(tree: &Tree<'_>, id: Id) -> Lifecycle {
        let text = |names: &[&str]| {
            let found = names.iter().find_map(|name| tree.get(id, name))?;
            let node = tree.node(found);
            let text = node.as_str().map(str::to_owned);
            Some(text.unwrap_or_else(|| node.to_json().to_string()))
        };
        let deprecated = tree.flag(id, "deprecated");
        Lifecycle::new(deprecated, text(SUNSETS), text(STABILITIES))
    }

    pub(crate) fn from_schema(schema: &Schema<'_>) -> Lifecycle {
        let text = |names: &[&str]| names.iter().find_map(|name| schema.extension(name));
        Lifecycle::new(schema.deprecated, text(SUNSETS), text(STABILITIES))
    }

    fn new(deprecated: bool, sunset: Option<String>, stability: Option<String>) -> Lifecycle {
        let sunset = match sunset {
            None => Sunset::None,
            Some(text) => parse_date_or_time(&text).map_or(Sunset::Invalid(text), Sunset::On),
        };
        let stability = stability.filter(|text| !text.is_empty());
        let known = stability.as_deref().and_then(parse_stability);
        Lifecycle {
            deprecated,
            sunset,
            stability: known.unwrap_or(Stability::Stable),
            unknown_stability: stability.filter(|_| known.is_none()),
        }
    }
}

/// Parses a stability as documents write it; `alpha` is oasdiff's word for experimental.
pub fn parse_stability(text: &str) -> Option<Stability> {
    match text {
        "alpha" => Some(Stability::Experimental),
        text => text.parse().ok(),
    }
}

/// Says which stability is unknown, and which there are.
pub(crate) fn describe_unknown_stability(text: &str) -> String {
    format!("the stability `{text}` is not draft, alpha, experimental, beta or stable")
}

/// Parses a date, or a time (RFC 3339) as its day in UTC.
fn parse_date_or_time(text: &str) -> Option<NaiveDate> {
    let time = || DateTime::parse_from_rfc3339(text).ok();
    parse_date(text).or_else(|| Some(time()?.to_utc().date_naive()))
}

/// The rule for the removal of an element, and what happened to it.
pub(crate) fn check_removed(
    rules: &RemovalRules,
    life: &Lifecycle,
    notice: i64,
    today: NaiveDate,
) -> (RuleId, String) {
    let (rule, how) = match &life.sunset {
        _ if !life.deprecated => (rules.without_deprecation, "but was not deprecated".into()),
        Sunset::None if notice > 0 => (
            rules.sunset_unreadable,
            "but was deprecated without a sunset".into(),
        ),
        Sunset::None => (rules.with_deprecation, "after its deprecation".into()),
        Sunset::Invalid(text) => (
            rules.sunset_unreadable,
            format!("but its sunset `{text}` is not a date"),
        ),
        Sunset::On(date) if today <= *date => {
            (rules.before_sunset, format!("before its sunset {date}"))
        }
        Sunset::On(date) => (rules.with_deprecation, format!("after its sunset {date}")),
    };
    (rule, format!("was removed {how}"))
}

/// Compares deprecation, sunset and stability of an element in an operation of some stability.
pub(crate) fn compare(
    rules: &LifecycleRules,
    old: &Lifecycle,
    new: &Lifecycle,
    stability: Stability,
    policy: &Policy,
) -> Vec<Event> {
    let deprecation = compare_deprecation(rules, old, new, stability, policy);
    let stability = compare_stability(rules, old, new, policy);
    stability.into_iter().chain(deprecation).collect()
}

fn compare_stability(
    rules: &LifecycleRules,
    old: &Lifecycle,
    new: &Lifecycle,
    policy: &Policy,
) -> Option<Event> {
    let [invalid, decreased, increased] = rules.stability?;
    let (before, after) = (old.stability, new.stability);
    let became_unknown = new.unknown_stability.as_deref();
    let became_unknown = became_unknown.filter(|_| old.unknown_stability != new.unknown_stability);
    let (rule, message) = match (became_unknown, after.cmp(&before)) {
        (Some(text), _) => (invalid, describe_unknown_stability(text)),
        _ if policy.ignores(before) => return None,
        (None, Ordering::Equal) => return None,
        (None, order) => {
            let rule = if order == Ordering::Less {
                decreased
            } else {
                increased
            };
            (rule, format!("the stability went from {before} to {after}"))
        }
    };
    Some(Event {
        rule,
        keywords: STABILITIES,
        message,
        covers: STABILITIES,
    })
}
