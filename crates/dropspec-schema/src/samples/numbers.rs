//! Numbers within the bounds of a schema.

use serde_json::{Value, json};

use crate::integer_range;
use crate::samples::merged::Merged;

/// Guesses numbers at the bounds and between them.
pub(crate) fn guess_numbers(merged: &Merged, integer: bool, values: &mut Vec<Value>) {
    let (low, high) = (merged.number("minimum"), merged.number("maximum"));
    let step = merged.number("multipleOf").filter(|step| *step > 0.0);
    let inside = step.unwrap_or(if integer { 1.0 } else { 0.5 });
    let multiple = |bound: f64| step.map(|step| (bound / step).ceil() * step);
    let near = [
        low,
        high,
        low.map(|low| low + inside),
        high.map(|high| high - inside),
        low.and_then(multiple),
        high.and_then(multiple),
        step,
    ];
    let usual = [1.0, 0.0, -1.0, 12.0].into_iter();
    let fractions = [0.5, 1.25].into_iter().filter(|_| !integer);
    let guesses = near.into_iter().flatten().chain(usual).chain(fractions);
    let (least, most) = range(merged, integer);
    let fits = |value: &f64| {
        let whole = step.is_none_or(|step| (value / step).fract().abs() < 1e-9);
        (least..=most).contains(value) && whole
    };
    let fitting = guesses.filter(fits);
    let fitting = fitting.map(|guess| to_number(guess, integer));
    values.extend(fitting.filter(|it| !(integer && it.is_f64())));
    // As floats, bounds of 64 bits are not exact. The bounds of an integer may be written with a fraction of zero.
    let bounds = [merged.get("minimum"), merged.get("maximum")];
    let bounds = bounds.into_iter().flatten();
    values.extend(bounds.filter(|it| !(integer && it.is_f64())).cloned());
    if integer && step.is_none() {
        let exact = [json!(i64::MIN), json!(i64::MAX), json!(u64::MAX)].into_iter();
        let exact = exact.chain([least, most].map(|bound| to_number(bound, true)));
        let exact = exact.filter(|value| value.as_f64().is_some_and(|number| fits(&number)));
        let exact = exact.filter(|value| !value.is_f64());
        values.extend(exact);
    }
}

/// The least and the greatest number by bounds and format.
fn range(merged: &Merged, integer: bool) -> (f64, f64) {
    let (mut least, mut most) = (f64::MIN, f64::MAX);
    if integer {
        let (first, last) = integer_range(merged.text("format"));
        (least, most) = (first as f64, last as f64);
    }
    least = merged.number("minimum").map_or(least, |own| own.max(least));
    most = merged.number("maximum").map_or(most, |own| own.min(most));
    (least, most)
}

/// Makes a number; an integer has no fraction.
pub(crate) fn to_number(value: f64, integer: bool) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if (integer || value.fract() == 0.0) && value.abs() < EXACT {
        json!(value.trunc() as i64)
    } else {
        json!(value)
    }
}
