//! Numbers of a schema. Integers are compared exactly: the bounds of 64 bits do not fit a float.

use std::cmp::Ordering;
use std::fmt;

/// A bound or a count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number {
    whole: Option<i128>,
    value: f64,
}

/// Below this, a float is as exact as an integer.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Number {
    pub(crate) fn new(number: &serde_json::Number) -> Option<Number> {
        let value = number.as_f64()?;
        let integer = number.as_i64().map(i128::from);
        let integer = integer.or_else(|| number.as_u64().map(i128::from));
        // 10 and 10.0 are equal in JSON.
        let float = || (value.fract() == 0.0 && value.abs() < EXACT).then_some(value as i128);
        Some(Number {
            whole: integer.or_else(float),
            value,
        })
    }

    /// The last multiple of an integer within a limit, in the direction of the values that it allows (1 or -1).
    pub(crate) fn last_multiple(self, step: i128, is_exclusive: bool, inward: i128) -> Number {
        let rounded = if inward > 0 {
            self.value.ceil()
        } else {
            self.value.floor()
        };
        let is_excluded = is_exclusive && self.value.fract() == 0.0;
        let whole = self.whole.unwrap_or(rounded as i128) + inward * i128::from(is_excluded);
        let whole = whole + inward * (-inward * whole).rem_euclid(step);
        Number {
            whole: Some(whole),
            value: whole as f64,
        }
    }

    pub(crate) fn value(self) -> f64 {
        self.value
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        match (self.whole, other.whole) {
            (Some(own), Some(other)) => Some(own.cmp(&other)),
            _ => self.value.partial_cmp(&other.value),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole {
            Some(whole) => whole.fmt(f),
            None => self.value.fmt(f),
        }
    }
}
