//! The keys that were refused last. Of the refused requests of a key, the first in each second has a line in the log, so that
//! a key that is limited or banned does not fill it.

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// The largest number of keys in the table. Above it the table is emptied.
const MAX_KEYS: usize = 10_000;

/// The keys that were refused last, by their id.
#[derive(Debug, Default)]
pub struct RefusedKeys(Mutex<FxHashMap<i64, RefusedKey>>);

/// Whether a request has a line in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logging {
    /// It has a line, and so many refused requests of the key before it have none.
    Logged { left_out: u64 },
    /// It has none.
    LeftOut,
}

/// A key that was refused.
#[derive(Debug)]
struct RefusedKey {
    /// The second of the last request with a line in the log, in Unix seconds.
    second: i64,
    /// The number of requests since then.
    left_out: u64,
}

impl Logging {
    /// It has a line, as every request that is not refused.
    pub const LOGGED: Logging = Logging::Logged { left_out: 0 };
}

impl RefusedKeys {
    /// Counts a request of a key that is refused in the second `now` (Unix seconds), and decides whether it has a line.
    pub fn count(&self, key_id: i64, now: i64) -> Logging {
        let mut keys = self.0.lock();
        if let Some(key) = keys.get_mut(&key_id) {
            if key.second == now {
                key.left_out += 1;
                return Logging::LeftOut;
            }
            key.second = now;
            let left_out = std::mem::take(&mut key.left_out);
            return Logging::Logged { left_out };
        }
        if keys.len() >= MAX_KEYS {
            keys.clear();
        }
        let first = RefusedKey {
            second: now,
            left_out: 0,
        };
        keys.insert(key_id, first);
        Logging::LOGGED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_795_262_430;

    #[test]
    fn first_refused_request_of_a_key_in_a_second_has_a_line_that_counts_those_before() {
        let refused = RefusedKeys::default();
        assert_eq!(refused.count(1, NOON), Logging::LOGGED);
        for _ in 0..3 {
            assert_eq!(refused.count(1, NOON), Logging::LeftOut);
        }
        assert_eq!(refused.count(2, NOON), Logging::LOGGED);
        let counted = Logging::Logged { left_out: 3 };
        assert_eq!(refused.count(1, NOON + 7), counted);
        assert_eq!(refused.count(1, NOON + 8), Logging::LOGGED);
        assert_eq!(refused.count(1, NOON - 9), Logging::LOGGED, "set back");
    }

    #[test]
    fn table_is_bounded() {
        let refused = RefusedKeys::default();
        for key_id in 0..=MAX_KEYS as i64 {
            refused.count(key_id, NOON);
        }
        assert_eq!(refused.0.lock().len(), 1);
    }
}
