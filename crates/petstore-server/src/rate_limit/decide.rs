//! The decision on one request of one key: a pure function of what is known of the key, its limits, the time and
//! the request's cost. No I/O, no clock, no lock.

use super::ban::{Ban, BanPolicy, Refusals};
use super::standing::Standing;
use super::window::{Limits, Window, Windows};

/// All that the limiter knows of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyState {
    /// What was used of its windows.
    pub windows: Windows,
    /// Its last ban.
    pub ban: Ban,
    /// Its refusals of late.
    pub refusals: Refusals,
}

/// What is to become of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It goes on, and was charged.
    Admitted,
    /// There is room for it, but too little is leased: lease, then decide again.
    Unleased,
    /// This window has no room for it.
    RateLimited(Window),
    /// It is the refusal too many: the ban that begins with it is to be stored.
    Crossed,
    /// The key is banned.
    Banned,
}

/// Decides on a request at `now` (Unix seconds, never earlier than before), and charges it if it is admitted: in both
/// windows or in neither. Without a `bans` policy nobody is banned.
///
/// A request that costs nothing is always admitted.
#[inline]
pub fn decide(
    state: &mut KeyState,
    limits: Limits,
    bans: Option<&BanPolicy>,
    now: i64,
    cost: u64,
) -> (Decision, Standing) {
    state.windows.advance(now);
    if cost == 0 {
        return (Decision::Admitted, state.standing(limits, now));
    }
    if let Some(until) = state.ban.in_force(now) {
        return (
            Decision::Banned,
            state.banned(until, limits, cost).refused_at(now),
        );
    }
    if let Some(window) = state.windows.violated(limits, cost) {
        if let Some(policy) = bans
            && state.refusals.crosses(policy, limits.per_minute, now)
        {
            state.ban.strike(policy, now);
            let until = state.ban.in_force(now).unwrap_or(now);
            return (
                Decision::Crossed,
                state.banned(until, limits, cost).refused_at(now),
            );
        }
        let standing = state.windows.standing_in(window, limits).refused_at(now);
        return (Decision::RateLimited(window), standing);
    }
    let Windows { minute, day } = &mut state.windows;
    if minute.leased < cost || day.leased < cost {
        return (Decision::Unleased, state.windows.standing(limits));
    }
    for usage in [minute, day] {
        usage.used += cost;
        usage.leased -= cost;
    }
    (Decision::Admitted, state.windows.standing(limits))
}

impl KeyState {
    /// A key of which nothing is known but its ban.
    pub fn new(ban: Ban, now: i64) -> KeyState {
        KeyState {
            windows: Windows::at(now),
            ban,
            refusals: Refusals::default(),
        }
    }

    /// Takes over what the store says of the ban, if the operator lifted one that is still held here.
    pub fn follow(&mut self, stored: &Ban) {
        if stored.epoch > self.ban.epoch {
            self.ban = *stored;
            self.refusals = Refusals::default();
        }
    }

    /// Where the key stands at `now` (Unix seconds), for a request that is not refused.
    fn standing(&self, limits: Limits, now: i64) -> Standing {
        match self.ban.in_force(now) {
            Some(until) => self.banned(until, limits, 0),
            None => self.windows.standing(limits),
        }
    }

    /// The figures of a ban: it is over when neither it nor an exhausted window stands in the way.
    fn banned(&self, until: i64, limits: Limits, cost: u64) -> Standing {
        let exhausted = Window::ALL
            .into_iter()
            .filter(|window| self.windows.is_exhausted(*window, limits, cost.max(1)))
            .map(|window| self.windows.reset(window));
        Standing {
            limit: limits.per_minute,
            remaining: 0,
            reset: exhausted.fold(until, i64::max),
            retry_after: None,
        }
    }
}

#[cfg(test)]
mod tests;
