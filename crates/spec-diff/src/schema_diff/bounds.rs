//! `minimum`, `maximum`, lengths and counts, `multipleOf`, `uniqueItems`, `pattern`.

use std::collections::BTreeSet;

use super::{Pair, shown};
use crate::schema::{Bound, Number};

/// Each count with the name it has in rules.
const COUNTS: [(&str, &str); 6] = [
    ("maxLength", "max-length"),
    ("minLength", "min-length"),
    ("maxItems", "max-items"),
    ("minItems", "min-items"),
    ("maxProperties", "max-properties"),
    ("minProperties", "min-properties"),
];
/// Patterns that everything matches.
const MATCHES_ALL: [&str; 7] = ["", ".*", "^.*$", "^.*", ".*$", "^", "$"];

impl Pair<'_, '_> {
    pub(super) fn bounds(&mut self) {
        self.bound("maximum", "max", self.base.maximum, self.revision.maximum);
        self.bound("minimum", "min", self.base.minimum, self.revision.minimum);
    }

    fn bound(&mut self, keyword: &str, name: &str, old: Option<Bound>, new: Option<Bound>) {
        if old == new {
            return;
        }
        let named = |bound: Bound| match bound.exclusive {
            true => format!("exclusive-{name}"),
            false => name.to_owned(),
        };
        let same_value = old.map(|b| b.value) == new.map(|b| b.value);
        let change = match (old, new) {
            (None, Some(new)) => format!("{}-set", named(new)),
            (Some(old), None) => format!("{}-unset", named(old)),
            (Some(_), Some(new)) if same_value => {
                let down = new.exclusive == (name == "max");
                format!("exclusive-{name}-{}", direction(down))
            }
            (Some(old), Some(new)) => {
                format!("{}-{}", named(new), direction(new.value < old.value))
            }
            (None, None) => return,
        };
        let show = |bound: Option<Bound>| match bound {
            Some(bound) if bound.exclusive => format!("{} exclusive", bound.value),
            Some(bound) => bound.value.to_string(),
            None => "none".to_owned(),
        };
        let values = format!("`{keyword}` {} → {}", show(old), show(new));
        let edit = match (same_value, name) {
            (true, "max") => self.edit("exclusiveMaximum"),
            (true, _) => self.edit("exclusiveMinimum"),
            (false, _) => self.edit(keyword),
        };
        self.report(&change, edit.item(values.clone()), &values);
    }

    pub(super) fn counts(&mut self) {
        for (keyword, name) in COUNTS {
            let old = self.base.counts.get(keyword).copied();
            let new = self.revision.counts.get(keyword).copied();
            if old == new {
                continue;
            }
            let change = match (old, new) {
                (Some(old), Some(new)) => format!("{name}-{}", direction(new < old)),
                // The length of a text is never less than 0, so that absent is a value like others.
                (None, _) if name == "min-length" => format!("{name}-increased"),
                (_, None) if name == "min-length" => format!("{name}-decreased"),
                (None, _) => format!("{name}-set"),
                (_, None) => format!("{name}-unset"),
            };
            let show = |count: Option<Number>| match count {
                Some(count) => count.to_string(),
                None => "none".to_owned(),
            };
            let values = format!("`{keyword}` {} → {}", show(old), show(new));
            let edit = self.edit(keyword).item(values.clone());
            self.report(&change, edit, &values);
        }
        if self.base.unique != self.revision.unique {
            let edit = self.edit("uniqueItems");
            match self.revision.unique {
                true => self.report("became-unique-items", edit, "items may not repeat any more"),
                false => self.report("became-not-unique-items", edit, "items may repeat now"),
            }
        }
    }

    pub(super) fn multiples(&mut self) {
        if self.base.multiples == self.revision.multiples {
            return;
        }
        let old = numbers(&self.base.multiples);
        let new = numbers(&self.revision.multiples);
        let change = match () {
            () if old.is_empty() => "multiple-of-set",
            () if new.is_empty() => "multiple-of-unset",
            () if follows(&old, &new) => "multiple-of-generalized",
            () if follows(&new, &old) => "multiple-of-specialized",
            () => "multiple-of-changed",
        };
        let what = format!("`multipleOf` {old:?} → {new:?}");
        let edit = self.edit("multipleOf").item(what.clone());
        self.report(change, edit, &what);
    }

    pub(super) fn patterns(&mut self) {
        let (old, new) = (self.base.patterns.clone(), self.revision.patterns.clone());
        if old == new {
            return;
        }
        let matches_all = new.iter().all(|pattern| MATCHES_ALL.contains(pattern));
        let change = match () {
            () if old.is_empty() => "pattern-added",
            () if new.is_empty() => "pattern-removed",
            // Who receives it has another pattern to cope with, however general.
            () if matches_all && self.setting.role.is_request() => "pattern-generalized",
            () => "pattern-changed",
        };
        let show = |patterns: &BTreeSet<&str>| {
            let shown: Vec<String> = patterns.iter().map(|p| format!("`{}`", shown(p))).collect();
            match shown.is_empty() {
                true => "none".to_owned(),
                false => shown.join(" and "),
            }
        };
        let what = format!("`pattern` {} → {}", show(&old), show(&new));
        let edit = self.edit("pattern").item(what.clone());
        self.report(change, edit, &what);
    }
}

fn direction(down: bool) -> &'static str {
    match down {
        true => "decreased",
        false => "increased",
    }
}

fn numbers(texts: &BTreeSet<String>) -> Vec<f64> {
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

/// Whether multiples of all of `premise` are multiples of all of `conclusion`.
fn follows(premise: &[f64], conclusion: &[f64]) -> bool {
    let is_multiple = |a: f64, of: f64| (a / of).is_finite() && (a / of).fract().abs() < 1e-9;
    let holds = |of: &f64| premise.iter().any(|a| is_multiple(*a, *of));
    conclusion.iter().all(holds)
}
