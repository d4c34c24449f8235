//! Compares `minimum`, `maximum`, lengths and counts, `multipleOf`, `uniqueItems`, `pattern`.

use std::collections::BTreeSet;

use super::wording::{describe_change, shorten};
use super::{SchemaContext, SchemaPair};
use crate::edit::RuleMatch;
use crate::rules::{Change, change};
use crate::schema::Bound;

/// The changes of a limit.
struct Limit {
    set: Change,
    unset: Change,
    increased: Change,
    decreased: Change,
}

/// The changes whose rules have a name, such as `max-set`.
macro_rules! limit {
    ($name:literal) => {
        Limit {
            set: change!(concat!($name, "-set")),
            unset: change!(concat!($name, "-unset")),
            increased: change!(concat!($name, "-increased")),
            decreased: change!(concat!($name, "-decreased")),
        }
    };
}

impl Limit {
    /// The change of a limit that decreased or increased.
    fn for_move(&self, decreased: bool) -> Change {
        if decreased {
            self.decreased
        } else {
            self.increased
        }
    }
}

/// A length is never negative, so that an absent minimum is 0.
const MIN_LENGTH: Limit = Limit {
    set: change!("min-length-increased"),
    unset: change!("min-length-decreased"),
    increased: change!("min-length-increased"),
    decreased: change!("min-length-decreased"),
};

/// Each limit with its changes, and with those where it is exclusive.
const LIMITS: [(&str, Limit, Option<Limit>); 8] = [
    ("maximum", limit!("max"), Some(limit!("exclusive-max"))),
    ("minimum", limit!("min"), Some(limit!("exclusive-min"))),
    ("maxLength", limit!("max-length"), None),
    ("minLength", MIN_LENGTH, None),
    ("maxItems", limit!("max-items"), None),
    ("minItems", limit!("min-items"), None),
    ("maxProperties", limit!("max-properties"), None),
    ("minProperties", limit!("min-properties"), None),
];

/// Patterns that match everything.
pub(super) const MATCHES_ALL: [&str; 7] = ["", ".*", "^.*$", "^.*", ".*$", "^", "$"];

impl SchemaPair<'_, '_> {
    /// Compares what says more of values than their types.
    pub(super) fn compare_values(&mut self) {
        if !self.is_decided_by_enum() {
            self.compare_limits();
            self.compare_multiples();
            self.compare_patterns();
        }
        self.compare_items();
        self.compare_properties();
        self.compare_additional_properties();
    }

    pub(super) fn compare_limits(&mut self) {
        for (keyword, inclusive, exclusive) in &LIMITS {
            let old = self.base.limits.get(keyword).copied();
            let new = self.revision.limits.get(keyword).copied();
            let effective = [(&self.base, old), (&self.revision, new)]
                .map(|(schema, limit)| limit.map(|limit| schema.effective_limit(keyword, limit)));
            if effective[0] == effective[1] {
                continue;
            }
            let exclusive = exclusive.as_ref().unwrap_or(inclusive);
            let changes = |limit: Bound| {
                if limit.exclusive {
                    exclusive
                } else {
                    inclusive
                }
            };
            let has_same_value = old.map(|it| it.value) == new.map(|it| it.value);
            let change = match (old, new) {
                (Some(_), Some(new)) if has_same_value => {
                    exclusive.for_move(new.exclusive == keyword.starts_with("max"))
                }
                (Some(old), Some(new)) => changes(new).for_move(new.value < old.value),
                (None, Some(new)) => changes(new).set,
                (Some(old), None) => changes(old).unset,
                (None, None) => continue,
            };
            let values = describe_change(keyword, old, new);
            let edit = if has_same_value {
                self.edit(&keyword.replacen('m', "exclusiveM", 1))
            } else {
                self.edit(keyword)
            };
            self.report(change, edit.item(values.clone()), &values);
            // Neither an empty segment of a path can be sent, nor an empty array of several parameters.
            let SchemaContext {
                is_segment,
                repeated,
                ..
            } = self.context;
            let has_none = match *keyword {
                "minLength" => is_segment,
                "minItems" => is_segment || repeated,
                _ => false,
            };
            if has_none && new.is_some_and(|new| new.value.value() <= 1.0) {
                let found = self.found.rule_matches.last_mut();
                found.into_iter().for_each(RuleMatch::lower);
            }
        }
        if self.base.unique != self.revision.unique {
            let edit = self.edit("uniqueItems");
            let (change, what) = if self.revision.unique {
                (change!("became-unique-items"), "items must be unique")
            } else {
                (
                    change!("became-not-unique-items"),
                    "items no longer need to be unique",
                )
            };
            self.report(change, edit, what);
        }
    }

    pub(super) fn compare_multiples(&mut self) {
        if self.base.multiples == self.revision.multiples {
            return;
        }
        let old = parse_numbers(&self.base.multiples);
        let new = parse_numbers(&self.revision.multiples);
        let change = match () {
            () if old.is_empty() => change!("multiple-of-set"),
            () if new.is_empty() => change!("multiple-of-unset"),
            () if implies(&old, &new) => change!("multiple-of-generalized"),
            () if implies(&new, &old) => change!("multiple-of-specialized"),
            () => change!("multiple-of-changed"),
        };
        let what = format!("`multipleOf` {old:?} → {new:?}");
        let edit = self.edit("multipleOf").item(what.clone());
        self.report(change, edit, &what);
    }

    pub(super) fn compare_patterns(&mut self) {
        let (old, new) = (&self.base.patterns, &self.revision.patterns);
        if old == new {
            return;
        }
        let matches_all = new.iter().all(|pattern| MATCHES_ALL.contains(pattern));
        let change = match () {
            () if old.is_empty() && !matches_all => change!("pattern-added"),
            () if new.is_empty() => change!("pattern-removed"),
            () if matches_all && (old.is_empty() || self.context.role.is_request()) => {
                change!("pattern-generalized")
            }
            // Those who receive it may now get any text.
            () if matches_all => change!("pattern-removed"),
            () => change!("pattern-changed"),
        };
        let show = |patterns: &BTreeSet<&str>| {
            let shown = patterns.iter().map(|p| format!("`{}`", shorten(p)));
            let shown: Vec<String> = shown.collect();
            (!shown.is_empty()).then(|| shown.join(" and "))
        };
        let what = describe_change("pattern", show(old), show(new));
        let edit = self.edit("pattern").item(what.clone());
        self.report(change, edit, &what);
    }
}

pub(super) fn parse_numbers(texts: &BTreeSet<String>) -> Vec<f64> {
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

/// Whether multiples of all of `premise` are multiples of all of `conclusion`.
pub(super) fn implies(premise: &[f64], conclusion: &[f64]) -> bool {
    let is_multiple = |a: f64, b: f64| (a / b).is_finite() && (a / b).fract().abs() < 1e-9;
    let holds = |b: &f64| premise.iter().any(|a| is_multiple(*a, *b));
    conclusion.iter().all(holds)
}
