//! The keys in memory, in shards with a lock each. A lock is held for one decision, never across an await.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::{Account, Inner};
use crate::rate_limit::ban::Ban;
use crate::rate_limit::decide::{Decision, KeyState, decide};
use crate::rate_limit::lease;
use crate::rate_limit::ledger::Ledger;
use crate::rate_limit::standing::{Outcome, Standing};
use crate::rate_limit::tally::Tally;
use crate::store::StoreError;

/// How many locks there are. Keys of one shard hardly ever meet, as a lock is held for well under a microsecond.
const SHARDS: usize = 64;

/// All keys in memory.
#[derive(Debug)]
pub(super) struct Shards(Box<[Shard]>);

/// Aligned so that two threads at two shards do not fight for one cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shard(Mutex<Keys>);

/// The keys of one shard.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pub(super) entries: HashMap<i64, Entry, BuildHasherDefault<IdHasher>>,
    pub(super) tally: Tally,
}

/// Spreads ids. They are given out here, one after the other, so nobody can choose them to collide, and the hash
/// that withstands it would be a good part of a decision's time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IdHasher(u64);

/// One key.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) state: KeyState,
    /// When its last request came, in Unix seconds.
    pub(super) last_seen: i64,
    /// What the store was asked about the key's leases and has not answered; there is never more than one.
    pub(super) job: Option<Progress>,
    /// Whether memory alone knows of the ban.
    pub(super) ban_is_unsaved: bool,
}

/// How far a job of the store is; `None` until it is done.
#[derive(Clone, Debug)]
pub(super) struct Progress(pub(super) watch::Receiver<Option<Result<(), StoreError>>>);

/// What came of trying to decide on a request.
#[derive(Debug)]
pub(super) enum Attempt {
    /// The verdict.
    Decided(Outcome, Standing),
    /// It is banned, once this ban is stored.
    Crossed(Standing, Ban),
    /// The key is not in memory.
    Unknown,
    /// A lease is on its way; the figures are the last known.
    Waiting(Standing, Progress),
}

impl Hasher for IdHasher {
    fn write_i64(&mut self, id: i64) {
        // Fibonacci hashing: the odd number next to 2^64 divided by the golden ratio.
        self.0 = id
            .cast_unsigned()
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(32);
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_i64((self.0 ^ u64::from(*byte)).cast_signed());
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Shards {
    pub(super) fn new() -> Shards {
        Shards((0..SHARDS).map(|_| Shard::default()).collect())
    }

    /// The shard that the key belongs to, locked.
    #[inline]
    pub(super) fn of(&self, key_id: i64) -> MutexGuard<'_, Keys> {
        // Ids are given out in sequence, so their low bits spread evenly.
        self.0[key_id.unsigned_abs() as usize % SHARDS].lock()
    }

    /// Each shard in turn, locked.
    pub(super) fn each(&self) -> impl Iterator<Item = MutexGuard<'_, Keys>> {
        self.0.iter().map(Shard::lock)
    }

    pub(super) fn len(&self) -> usize {
        self.each().map(|keys| keys.entries.len()).sum()
    }

    pub(super) fn tally(&self) -> Tally {
        self.each().fold(Tally::default(), |mut sum, keys| {
            sum += keys.tally;
            sum
        })
    }

    /// How many keys a shard holds of `cap`, the cap of all.
    pub(super) fn share(cap: usize) -> usize {
        cap.div_ceil(SHARDS)
    }
}

impl Shard {
    /// A decision does not panic; if one did, the figures before it would still be right.
    fn lock(&self) -> MutexGuard<'_, Keys> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keys {
    pub(super) fn state(&self, key_id: i64) -> Option<&KeyState> {
        self.entries.get(&key_id).map(|entry| &entry.state)
    }
}

impl Entry {
    pub(super) fn new(state: KeyState, now: i64) -> Entry {
        Entry {
            state,
            last_seen: now,
            job: None,
            ban_is_unsaved: false,
        }
    }

    /// The job that the store has not answered yet, if it is still at it.
    pub(super) fn running_job(&self) -> Option<&Progress> {
        self.job.as_ref().filter(|job| job.0.has_changed().is_ok())
    }

    /// Whether nothing is lost when the key leaves memory and is read again.
    pub(super) fn can_go(&self, now: i64) -> bool {
        self.running_job().is_none()
            && !(self.ban_is_unsaved && self.state.ban.in_force(now).is_some())
    }
}

impl Progress {
    /// Waits for the answer.
    pub(super) async fn finished(mut self) -> Result<(), StoreError> {
        match self.0.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(result)) => result.clone(),
            Ok(None) | Err(_) => Err(StoreError::unavailable("the lease was given up")),
        }
    }
}

impl<L: Ledger> Inner<L> {
    /// Decides on a request as far as memory goes, and sees to the lease of the next ones.
    pub(super) fn attempt(self: &Arc<Self>, account: &Account, cost: u64, now: i64) -> Attempt {
        let mut guard = self.keys.of(account.key_id);
        let Keys { entries, tally } = &mut *guard;
        let Some(entry) = entries.get_mut(&account.key_id) else {
            return Attempt::Unknown;
        };
        entry.last_seen = entry.last_seen.max(now);
        entry.state.follow(&account.ban);
        let bans = self.policy.bans.as_ref();
        let (decision, standing) = decide(&mut entry.state, account.limits, bans, now, cost);
        let outcome = match decision {
            Decision::Admitted => {
                if lease::is_due(&entry.state.windows, account.limits, &self.policy)
                    && cost > 0
                    && entry.running_job().is_none()
                {
                    // Should the store fail, whoever needs the lease hears of it.
                    let _ = self.begin_refill(entry, tally, account, cost);
                }
                Outcome::Admitted
            }
            Decision::Unleased => {
                let running = entry.running_job().cloned();
                match running.or_else(|| self.begin_refill(entry, tally, account, cost)) {
                    Some(progress) => {
                        tally.lease_waits += 1;
                        return Attempt::Waiting(standing, progress);
                    }
                    None => Outcome::Unavailable,
                }
            }
            Decision::RateLimited(window) => Outcome::RateLimited(window),
            Decision::Crossed => {
                entry.ban_is_unsaved = true;
                tally.bans += 1;
                tally.count(Outcome::Banned);
                let ban = entry.state.ban;
                return Attempt::Crossed(standing, ban);
            }
            Decision::Banned => Outcome::Banned,
        };
        tally.count(outcome);
        Attempt::Decided(outcome, standing)
    }

    /// Asks the store for leases; `None` if the limiter is closed.
    fn begin_refill(
        self: &Arc<Self>,
        entry: &mut Entry,
        tally: &mut Tally,
        account: &Account,
        cost: u64,
    ) -> Option<Progress> {
        if self.is_closed() {
            return None;
        }
        let windows = &mut entry.state.windows;
        let adjustments =
            lease::refill(account.key_id, windows, account.limits, &self.policy, cost);
        let (report, progress) = watch::channel(None);
        let progress = Progress(progress);
        entry.job = Some(progress.clone());
        tally.lease_calls += 1;
        let inner = Arc::clone(self);
        self.runtime
            .spawn(async move { inner.run(adjustments, report).await });
        Some(progress)
    }
}
