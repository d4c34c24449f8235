//! The keys that were refused in the current second. Further requests of such a key are refused without authentication
//! and without a line in the log, so that a key that is limited or banned costs little.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::auth::KeyPrincipal;

/// The largest number of keys in the table. Above it the table is emptied: their next requests are authenticated.
const MAX_KEYS: usize = 10_000;

/// The keys that were refused last, by a hash of their credential.
#[derive(Debug, Default)]
pub struct RefusedKeys {
    /// 64 bits with a random key: nobody can look for two credentials with the same hash.
    hash: RandomState,
    keys: Mutex<HashMap<u64, Arc<RefusedKey>>>,
    /// The second of the last entry, in Unix seconds. Without refusals in a second, no request locks the table.
    latest: AtomicI64,
}

/// A key that was authenticated and refused in one second.
#[derive(Debug)]
pub struct RefusedKey {
    /// The key, as it was authenticated.
    pub key: KeyPrincipal,
    /// In Unix seconds.
    second: i64,
    /// The number of requests that have no line in the log.
    left_out: AtomicU64,
}

impl RefusedKeys {
    /// Finds the key with this credential if it was refused in the second `now` (Unix seconds).
    pub fn find(&self, credential: &[u8], now: i64) -> Option<Arc<RefusedKey>> {
        if self.latest.load(Ordering::Relaxed) != now {
            return None;
        }
        let hash = self.hash.hash_one(credential);
        let found = self.lock().get(&hash).cloned();
        found.filter(|refused| refused.second == now)
    }

    /// Adds a key that was authenticated and refused at `now` (Unix seconds). Returns the number of its earlier requests
    /// that have no line in the log.
    pub fn insert(&self, credential: &[u8], key: KeyPrincipal, now: i64) -> u64 {
        let refused = RefusedKey {
            key,
            second: now,
            left_out: AtomicU64::new(0),
        };
        let mut keys = self.lock();
        if keys.len() >= MAX_KEYS {
            keys.clear();
        }
        let hash = self.hash.hash_one(credential);
        let before = keys.insert(hash, Arc::new(refused));
        self.latest.store(now, Ordering::Relaxed);
        before.map_or(0, |before| before.left_out.load(Ordering::Relaxed))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<RefusedKey>>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RefusedKey {
    /// Counts a request that has no line in the log.
    pub fn leave_out(&self) {
        self.left_out.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use spec_runtime::RateLimits;

    use super::*;
    use crate::auth::Access;
    use crate::rate_limit::{Account, Ban};

    const NOON: i64 = 1_795_262_430;

    fn key(key_id: i64) -> KeyPrincipal {
        KeyPrincipal {
            account: Account {
                key_id,
                limits: RateLimits {
                    per_minute: 60,
                    per_day: 1000,
                },
                ban: Ban::default(),
            },
            plan: "free",
            access: Access::Write,
            prefix: "pst_0123".to_owned(),
        }
    }

    #[test]
    fn key_is_found_by_its_credential_within_the_second() {
        let refused = RefusedKeys::default();
        refused.insert(b"one", key(1), NOON);
        refused.insert(b"two", key(2), NOON);
        let find = |credential, now| {
            let found = refused.find(credential, now);
            found.map(|refused| refused.key.account.key_id)
        };
        assert_eq!(find(b"one", NOON), Some(1));
        assert_eq!(find(b"two", NOON), Some(2));
        assert_eq!(find(b"three", NOON), None);
        for other in [NOON - 1, NOON + 1] {
            assert_eq!(find(b"one", other), None, "{other}");
        }
        refused.insert(b"two", key(2), NOON + 1);
        assert_eq!(find(b"one", NOON + 1), None, "refused a second ago");
    }

    #[test]
    fn requests_left_out_are_counted_until_the_next_entry_of_the_key() {
        let refused = RefusedKeys::default();
        assert_eq!(refused.insert(b"one", key(1), NOON), 0);
        for _ in 0..3 {
            refused.find(b"one", NOON).unwrap().leave_out();
        }
        assert_eq!(refused.insert(b"two", key(2), NOON), 0);
        assert_eq!(refused.insert(b"one", key(1), NOON + 7), 3);
        assert_eq!(refused.insert(b"one", key(1), NOON + 8), 0);
    }

    #[test]
    fn table_is_bounded() {
        let refused = RefusedKeys::default();
        for number in 0..=MAX_KEYS as i64 {
            refused.insert(&number.to_le_bytes(), key(number), NOON);
        }
        assert_eq!(refused.lock().len(), 1);
    }
}
