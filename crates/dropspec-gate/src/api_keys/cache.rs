//! The secrets that were read last, with their keys, so that most requests are authenticated without a read.
//!
//! An entry has the count of changes of keys (`api_key_changes`) that was read with it, in the same statement. It is used
//! while that is the count of the current data. The count itself is known as long as the version of the data is the one
//! before which it was read ([`Engine::data_version`](dropspec_store::sqlite::Engine::data_version)): so after any commit it is
//! read once, and not the row of each key.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use dropspec_store::sqlite::DataVersion;
use hashlink::LruCache;
use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxBuildHasher;

use super::record::KeyIdentity;
use crate::api_keys::{KeyHash, Principal, Unauthenticated};

/// The largest number of secrets in the cache: about 10 MB.
const MAX_SECRETS: usize = 1 << 15;

/// The number of shards, each with a lock, which is held for less than a microsecond.
const SHARDS: usize = 64;

/// The secrets that were used last, by their hash. There is no entry for a hash that no secret has: those who send
/// invented keys displace nothing.
#[derive(Debug)]
pub(super) struct KeyCache {
    shards: Box<[Shard]>,
    /// The hash of the version of the data before which `changes` was read, or of a later one.
    version: AtomicU64,
    /// The highest count of changes that was read. It is never reduced, as counts in the database are not.
    changes: AtomicI64,
    /// With a random key: nobody can look for two versions with the same hash.
    hasher: RandomState,
}

/// A part of the entries with its lock. It is aligned so that two threads at two shards do not share a cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Shard(Mutex<LruCache<KeyHash, Entry, FxBuildHasher>>);

#[derive(Clone, Debug)]
struct Entry {
    /// The count of changes when the secret was read.
    changes: i64,
    secret: StoredSecret,
}

/// By what it is known that nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Version {
    /// The data is the same.
    Data(DataVersion),
    /// So little time has passed that changes of other servers need not be known yet.
    #[cfg(feature = "postgres")]
    Period {
        /// The number of the period.
        number: u64,
        /// The changes of this process until then.
        own_changes: u64,
    },
}

/// A secret of the database and its key, for authentication.
#[derive(Clone, Debug)]
pub(super) struct StoredSecret {
    /// The key, or that it was revoked.
    pub(super) key: Result<Principal<KeyIdentity>, Unauthenticated>,
    /// The time from which the secret is not accepted, in Unix seconds.
    pub(super) expires_at: Option<i64>,
    /// The time from which no secret of the key is accepted, in Unix seconds.
    pub(super) key_expires_at: Option<i64>,
}

impl KeyCache {
    pub(super) fn new() -> KeyCache {
        let shard = || {
            Shard(Mutex::new(LruCache::with_hasher(
                MAX_SECRETS / SHARDS,
                FxBuildHasher,
            )))
        };
        KeyCache {
            shards: (0..SHARDS).map(|_| shard()).collect(),
            version: AtomicU64::new(0),
            // There is no such count, so there is no entry with it.
            changes: AtomicI64::new(i64::MIN),
            hasher: RandomState::new(),
        }
    }

    /// Finds the secret with this hash, and the count of changes when it was read.
    pub(super) fn find(&self, hash: &KeyHash) -> Option<(StoredSecret, i64)> {
        let mut entries = self.lock(hash);
        let entry = entries.get(hash)?;
        Some((entry.secret.clone(), entry.changes))
    }

    /// Adds a secret that was read when there were so many changes.
    pub(super) fn insert(&self, hash: KeyHash, secret: StoredSecret, changes: i64) {
        self.lock(&hash).insert(hash, Entry { changes, secret });
    }

    /// The count of changes in data of the version `version`, or of a later one; `None` if it is not known.
    pub(super) fn changes_of(&self, version: &Version) -> Option<i64> {
        let is_known = self.version.load(Ordering::Acquire) == self.hasher.hash_one(version);
        is_known.then(|| self.changes.load(Ordering::Relaxed))
    }

    /// Notes the count of changes that was read after the version of the data was `version`.
    pub(super) fn set_changes(&self, version: &Version, changes: i64) {
        // First the count: whoever sees the version sees this count, or a higher one that another request has read.
        self.changes.fetch_max(changes, Ordering::Relaxed);
        let version = self.hasher.hash_one(version);
        self.version.store(version, Ordering::Release);
    }

    fn lock(&self, hash: &KeyHash) -> MutexGuard<'_, LruCache<KeyHash, Entry, FxBuildHasher>> {
        let shard = usize::from(hash.0[0]) % SHARDS;
        let entries = &self.shards[shard].0;
        entries.lock()
    }
}
