//! Compares `minimum`, `maximum`, lengths and counts, `multipleOf`, `uniqueItems`, `pattern`.

use std::collections::BTreeSet;

use super::SchemaPair;
use super::wording::{describe_change, shorten};
use crate::rules::{Change, change};
use crate::schema::{Bound, Number};

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
const COUNTS: [(&str, Limit); 6] = [
    ("maxLength", limit!("max-length")),
    ("minLength", MIN_LENGTH),
    ("maxItems", limit!("max-items")),
    ("minItems", limit!("min-items")),
    ("maxProperties", limit!("max-properties")),
    ("minProperties", limit!("min-properties")),
];

/// `minimum` or `maximum`.
struct BoundKeyword {
    keyword: &'static str,
    exclusive_keyword: &'static str,
    inclusive: Limit,
    exclusive: Limit,
    is_upper: bool,
}

const MAXIMUM: BoundKeyword = BoundKeyword {
    keyword: "maximum",
    exclusive_keyword: "exclusiveMaximum",
    inclusive: limit!("max"),
    exclusive: limit!("exclusive-max"),
    is_upper: true,
};
const MINIMUM: BoundKeyword = BoundKeyword {
    keyword: "minimum",
    exclusive_keyword: "exclusiveMinimum",
    inclusive: limit!("min"),
    exclusive: limit!("exclusive-min"),
    is_upper: false,
};

/// Patterns that match everything.
const MATCHES_ALL: [&str; 7] = ["", ".*", "^.*$", "^.*", ".*$", "^", "$"];

impl SchemaPair<'_, '_> {
    pub(super) fn compare_bounds(&mut self) {
        self.compare_bound(&MAXIMUM, self.base.maximum, self.revision.maximum);
        self.compare_bound(&MINIMUM, self.base.minimum, self.revision.minimum);
    }

    fn compare_bound(&mut self, bound: &BoundKeyword, old: Option<Bound>, new: Option<Bound>) {
        if old == new {
            return;
        }
        let limit = |bound_value: Bound| {
            if bound_value.exclusive {
                &bound.exclusive
            } else {
                &bound.inclusive
            }
        };
        let same_value = old.map(|b| b.value) == new.map(|b| b.value);
        let change = match (old, new) {
            (None, Some(new)) => limit(new).set,
            (Some(old), None) => limit(old).unset,
            (Some(_), Some(new)) if same_value => {
                bound.exclusive.for_move(new.exclusive == bound.is_upper)
            }
            (Some(old), Some(new)) => limit(new).for_move(new.value < old.value),
            (None, None) => return,
        };
        let keyword = if same_value {
            bound.exclusive_keyword
        } else {
            bound.keyword
        };
        let values = describe_change(bound.keyword, old, new);
        let edit = self.edit(keyword).item(values.clone());
        self.report(change, edit, &values);
    }

    pub(super) fn compare_counts(&mut self) {
        for (keyword, limit) in &COUNTS {
            let old = self.base.counts.get(keyword).copied();
            let new = self.revision.counts.get(keyword).copied();
            let change = match (old, new) {
                (old, new) if old == new => continue,
                (Some(old), Some(new)) => limit.for_move(new < old),
                (None, _) => limit.set,
                (_, None) => limit.unset,
            };
            let values = describe_change::<Number>(keyword, old, new);
            let edit = self.edit(keyword).item(values.clone());
            self.report(change, edit, &values);
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

fn parse_numbers(texts: &BTreeSet<String>) -> Vec<f64> {
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

/// Whether multiples of all of `premise` are multiples of all of `conclusion`.
fn implies(premise: &[f64], conclusion: &[f64]) -> bool {
    let is_multiple = |a: f64, b: f64| (a / b).is_finite() && (a / b).fract().abs() < 1e-9;
    let holds = |b: &f64| premise.iter().any(|a| is_multiple(*a, *b));
    conclusion.iter().all(holds)
}
