//! What the limiter asks of the store: to load a key, to lease and take back, to keep a ban.

use std::sync::Arc;

use tokio::sync::watch;

use super::Inner;
use super::shard::{Entry, Keys, Progress, Shards};
use crate::rate_limit::ban::Ban;
use crate::rate_limit::decide::KeyState;
use crate::rate_limit::lease;
use crate::rate_limit::ledger::{Adjusted, Adjustment, KeyLedger, Ledger};
use crate::rate_limit::window::{Usage, Window};
use crate::store::StoreError;

/// Most adjustments to be made in one write, so that other writes get their turn.
const CHUNK: usize = 1000;

type Report = watch::Sender<Option<Result<(), StoreError>>>;

impl<L: Ledger> Inner<L> {
    /// Takes a key into memory.
    pub(super) fn load(self: &Arc<Self>, key_id: i64, now: i64) -> Result<(), StoreError> {
        let state = self.ledger.key_ledger(key_id)?.into_state(now);
        let mut keys = self.keys.of(key_id);
        // Another request may have been faster, and has spent some since.
        keys.entries
            .entry(key_id)
            .or_insert_with(|| Entry::new(state, now));
        if keys.entries.len() > Shards::share(self.policy.key_cap)
            && let Some(oldest) = keys.oldest(now, key_id)
        {
            let (adjustments, report) = keys.prepare_to_go(&[oldest]);
            let inner = Arc::clone(self);
            self.runtime.spawn(async move {
                inner.run(adjustments, report).await;
                inner.forget(&[oldest], now);
            });
        }
        Ok(())
    }

    /// Has the adjustments of one shard's keys made, takes the answer over, and reports that it is done.
    pub(super) async fn run(&self, adjustments: Vec<Adjustment>, report: Report) {
        let result = self
            .ledger
            .adjust(adjustments.clone(), self.clock.latest())
            .await;
        if let Some(first) = adjustments.first() {
            self.keys.of(first.key_id).take_over(&adjustments, &result);
        }
        report.send_replace(Some(result.map(drop)));
    }

    /// Keeps a ban. While it is not kept, the key stays in memory, so that the ban holds nevertheless.
    pub(super) async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StoreError> {
        self.ledger.record_ban(key_id, ban).await?;
        if let Some(entry) = self.keys.of(key_id).entries.get_mut(&key_id)
            && entry.state.ban == ban
        {
            entry.ban_is_unsaved = false;
        }
        Ok(())
    }

    /// Sends the keys from memory that have been idle, and gives back what they leased.
    pub(super) async fn sweep(&self, now: i64) {
        let idle_since = now - self.policy.idle_after;
        let mut waiting = Vec::new();
        for mut keys in self.keys.each() {
            if self.is_closed() {
                return;
            }
            let idle = keys.idle(idle_since, now);
            if !idle.is_empty() {
                let (adjustments, report) = keys.prepare_to_go(&idle);
                waiting.push((idle, adjustments, report));
            }
        }
        for (idle, adjustments, report) in waiting {
            self.run(adjustments, report).await;
            self.forget(&idle, idle_since);
        }
    }

    /// Gives back all leases, once no job is running any more.
    pub(super) async fn return_everything(&self) -> Result<(), StoreError> {
        let running: Vec<Progress> = self
            .keys
            .each()
            .flat_map(|keys| {
                keys.entries
                    .values()
                    .filter_map(|entry| entry.running_job().cloned())
                    .collect::<Vec<_>>()
            })
            .collect();
        for job in running {
            // Whether it leased something or not, nothing is on its way any more.
            let _ = job.finished().await;
        }
        let now = self.clock.latest();
        let mut adjustments = Vec::new();
        for mut keys in self.keys.each() {
            for (key_id, entry) in &mut keys.entries {
                adjustments.extend(lease::return_all(*key_id, &mut entry.state.windows));
            }
        }
        let mut outcome = Ok(());
        for chunk in adjustments.chunks(CHUNK) {
            let result = self.ledger.adjust(chunk.to_vec(), now).await;
            outcome = outcome.and(result.map(drop));
        }
        outcome
    }

    /// Drops keys that have given back their leases, unless they were seen after `since` (Unix seconds).
    fn forget(&self, key_ids: &[i64], since: i64) {
        for key_id in key_ids {
            let mut keys = self.keys.of(*key_id);
            if keys.entries.get(key_id).is_some_and(|entry| {
                let windows = &entry.state.windows;
                let leased = windows.minute.leased + windows.day.leased;
                entry.last_seen <= since && leased == 0 && entry.running_job().is_none()
            }) {
                keys.entries.remove(key_id);
            }
        }
    }
}

impl Keys {
    fn idle(&self, since: i64, now: i64) -> Vec<i64> {
        self.entries
            .iter()
            .filter(|(_, entry)| entry.last_seen <= since && entry.can_go(now))
            .map(|(key_id, _)| *key_id)
            .take(CHUNK)
            .collect()
    }

    /// Who was not seen for the longest time, other than `newcomer`.
    fn oldest(&self, now: i64, newcomer: i64) -> Option<i64> {
        self.entries
            .iter()
            .filter(|(key_id, entry)| **key_id != newcomer && entry.can_go(now))
            .min_by_key(|(_, entry)| entry.last_seen)
            .map(|(key_id, _)| *key_id)
    }

    /// Begins to give back what the keys have leased.
    fn prepare_to_go(&mut self, key_ids: &[i64]) -> (Vec<Adjustment>, Report) {
        let (report, progress) = watch::channel(None);
        let mut adjustments = Vec::new();
        for key_id in key_ids {
            if let Some(entry) = self.entries.get_mut(key_id) {
                adjustments.extend(lease::return_all(*key_id, &mut entry.state.windows));
                entry.job = Some(Progress(progress.clone()));
            }
        }
        self.tally.lease_calls += 1;
        (adjustments, report)
    }

    fn take_over(
        &mut self,
        adjustments: &[Adjustment],
        result: &Result<Vec<Adjusted>, StoreError>,
    ) {
        self.tally.lease_failures += u64::from(result.is_err());
        for (index, adjustment) in adjustments.iter().enumerate() {
            let Some(entry) = self.entries.get_mut(&adjustment.key_id) else {
                continue;
            };
            let windows = &mut entry.state.windows;
            match result {
                Ok(adjusted) => {
                    if let Some(adjusted) = adjusted.get(index) {
                        lease::settle(windows, adjustment, adjusted);
                    }
                }
                Err(_) => lease::forfeit(windows, adjustment),
            }
            entry.job = None;
        }
    }
}

impl KeyLedger {
    /// What is known of a key that comes into memory at `now` (Unix seconds).
    pub(super) fn into_state(self, now: i64) -> KeyState {
        let mut state = KeyState::new(self.ban, now);
        for (window, held) in [(Window::Minute, self.minute), (Window::Day, self.day)] {
            let usage = state.windows.of_mut(window);
            if let Some(held) = held
                && held.start >= usage.start
            {
                *usage = Usage {
                    start: held.start,
                    used: held.claimed,
                    leased: 0,
                };
            }
        }
        state
    }
}
