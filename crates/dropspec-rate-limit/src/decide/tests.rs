//! What the core decides where `limiter_decides_like_the_model` of dropspec-gate does not look: without a lease, and after a ban was lifted.

use super::*;

const LIMITS: RateLimits = RateLimits::new(60, 1000);
const TERMS: Terms = Terms {
    bans_enabled: true,
    gives_credit: false,
};
/// 2026-11-21 12:00:30 UTC.
const NOON: i64 = 1_795_262_430;

fn key_with(minute: u64, day: u64) -> KeyState {
    let mut state = KeyState::new(&LedgerEntry::default(), &Now::at(NOON));
    for (usage, used) in [
        (&mut state.windows.minute, minute),
        (&mut state.windows.day, day),
    ] {
        usage.used = used;
        usage.leased = u64::MAX;
    }
    state
}

fn at_noon(state: &mut KeyState, cost: u64) -> (KeyDecision, RateLimitInfo) {
    decide(state, LIMITS, TERMS, &Now::at(NOON), cost)
}

#[test]
fn request_without_lease_changes_nothing() {
    for (minute, day) in [(2, 3), (3, 2), (0, 0)] {
        let mut state = key_with(0, 0);
        state.windows.minute.leased = minute;
        state.windows.day.leased = day;
        let before = state.clone();
        assert_eq!(at_noon(&mut state, 3).0, KeyDecision::NeedsLease);
        assert_eq!(state, before);
    }
}

#[test]
fn lifted_ban_is_adopted_and_older_row_is_not() {
    let banned = Ban {
        strikes: 2,
        until: Some(NOON + 100),
        epoch: 1,
    };
    let mut state = key_with(0, 0);
    state.ban = banned;
    state.adopt_lifted_ban(&Ban {
        strikes: 0,
        until: None,
        epoch: 1,
    });
    assert_eq!(
        state.ban, banned,
        "the row was read before the ban was stored"
    );
    let lifted = Ban {
        strikes: 0,
        until: None,
        epoch: 2,
    };
    state.adopt_lifted_ban(&lifted);
    assert_eq!(state.ban, lifted);
}
