//! A ledger in memory, for principals that no database knows.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::ban::Ban;
use super::ledger::{Adjusted, Adjustment, Claim, Ledger, LedgerEntry};
use super::now::Now;
use super::window::Window;
use crate::storage_error::StorageError;

/// From so many entries on, those of windows that have ended are removed at times.
const SWEEP_ABOVE: usize = 10_000;

/// Usage and bans in memory. They begin anew with the process, and each process counts for itself.
#[derive(Debug, Default)]
pub struct MemoryLedger(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    entries: HashMap<i64, LedgerEntry>,
    /// The number of entries that starts the next sweep.
    sweep_at: usize,
}

impl Ledger for MemoryLedger {
    async fn read_entry(&self, key_id: i64) -> Result<LedgerEntry, StorageError> {
        let state = self.0.lock();
        Ok(state.entries.get(&key_id).copied().unwrap_or_default())
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let mut state = self.0.lock();
        let now = now();
        let adjusted = adjustments.iter().map(|it| state.adjust(it, &now));
        let adjusted = adjusted.collect();
        state.sweep(&now);
        Ok(adjusted)
    }

    async fn carry_over(
        &self,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<(), StorageError> {
        let mut state = self.0.lock();
        let now = now();
        for entry in state.entries.values_mut() {
            for window in Window::ALL {
                let claim = entry.claim_mut(window);
                let current = now.current(window);
                *claim = match *claim {
                    Some(claim) if current.contains(&claim.start) => Some(Claim {
                        start: now.start_of(window),
                        ..claim
                    }),
                    Some(claim) if claim.start > *current.end() => None,
                    other => other,
                };
            }
        }
        Ok(())
    }

    async fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        let state = self.0.lock();
        let banned = state.entries.iter();
        let banned = banned.filter(|(_, entry)| entry.ban.active_until(time).is_some());
        Ok(banned.map(|(key_id, _)| *key_id).collect())
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        self.0.lock().entries.entry(key_id).or_default().ban = ban;
        Ok(())
    }
}

impl State {
    fn adjust(&mut self, adjustment: &Adjustment, now: &Now) -> Adjusted {
        let entry = self.entries.entry(adjustment.key_id).or_default();
        let stored = entry.claim_mut(adjustment.window);
        let adjusted = adjustment.apply_to(*stored, now);
        *stored = Some(adjusted.claim);
        entry.leased[adjustment.window as usize] = adjustment.leased_after(adjusted.granted);
        adjusted
    }

    /// Removes entries without a current window and without a strike, whenever their number has doubled.
    fn sweep(&mut self, now: &Now) {
        if self.entries.len() < self.sweep_at.max(SWEEP_ABOVE) {
            return;
        }
        let day = now.current(Window::Day);
        self.entries.retain(|_, entry| {
            let is_current = entry.day.is_some_and(|claim| day.contains(&claim.start));
            is_current || entry.ban.active_strikes(now.wall) > 0
        });
        self.sweep_at = self.entries.len() * 2;
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    const NOON: i64 = 1_795_262_400;

    fn adjust(ledger: &MemoryLedger, key_id: i64, amount: i64, now: i64) -> Adjusted {
        let adjustment = Adjustment {
            amount,
            ..Adjustment::unchanged(key_id, Window::Day, Window::Day.start_at(now))
        };
        let adjusted = ledger.adjust(vec![adjustment], move || Now::at(now));
        adjusted.now_or_never().unwrap().unwrap()[0]
    }

    #[test]
    fn entries_of_ended_windows_are_removed_but_bans_stay() {
        let ledger = MemoryLedger::default();
        let ban = Ban {
            strikes: 1,
            until: Some(NOON + 3 * 86_400),
            ..Ban::default()
        };
        let recorded = ledger.record_ban(-1, ban);
        recorded.now_or_never().unwrap().unwrap();
        for key_id in 2..SWEEP_ABOVE as i64 {
            adjust(&ledger, -key_id, 1, NOON);
        }
        adjust(&ledger, -1_000_000, 1, NOON + 86_400);
        assert_eq!(ledger.0.lock().entries.len(), 2);
        assert_eq!(
            ledger.read_banned(NOON).now_or_never().unwrap().unwrap(),
            [-1]
        );
    }
}
