//! What the core decides, case by case; all leases are there unless a case is about them.

use super::*;

const LIMITS: RateLimits = RateLimits {
    per_minute: 60,
    per_day: 1000,
};
const TERMS: Terms = Terms {
    bans_enabled: true,
    gives_credit: false,
};
const NO_BANS: Terms = Terms {
    bans_enabled: false,
    ..TERMS
};
/// 2026-11-21 12:00:30 UTC.
const NOON: i64 = 1_795_262_430;
const MIDNIGHT: i64 = NOON - 30 + 12 * 60 * 60;

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
fn admitted_request_is_charged_to_both_windows() {
    let mut state = key_with(10, 100);
    let (decision, info) = at_noon(&mut state, 3);
    assert_eq!(decision, KeyDecision::Admitted);
    assert_eq!(
        (state.windows.minute.used, state.windows.day.used),
        (13, 103)
    );
    assert_eq!(
        info,
        RateLimitInfo {
            limit: 60,
            remaining: 47,
            reset: NOON + 30,
            retry_after: None
        }
    );
}

#[test]
fn refused_request_is_charged_to_no_window() {
    for (minute, day) in [(60, 60), (0, 1000), (58, 0), (0, 998)] {
        let mut state = key_with(minute, day);
        let before = state.windows;
        let (decision, _) = at_noon(&mut state, 3);
        assert!(
            matches!(decision, KeyDecision::RateLimited(_)),
            "{minute} {day}"
        );
        assert_eq!(state.windows, before);
    }
}

#[test]
fn refusal_reports_exhausted_window_and_day_if_both_are() {
    let day = RateLimitInfo {
        limit: 1000,
        remaining: 0,
        reset: MIDNIGHT,
        retry_after: Some(MIDNIGHT - NOON),
    };
    let minute = RateLimitInfo {
        limit: 60,
        remaining: 0,
        reset: NOON + 30,
        retry_after: Some(30),
    };
    let cases = [(60, 60, minute), (0, 1000, day), (60, 1000, day)];
    for (used, used_today, info) in cases {
        assert_eq!(at_noon(&mut key_with(used, used_today), 1).1, info);
    }
}

#[test]
fn request_of_cost_0_is_admitted_when_exhausted_or_banned() {
    let mut state = key_with(60, 60);
    assert_eq!(
        at_noon(&mut state, 0),
        (
            KeyDecision::Admitted,
            RateLimitInfo {
                limit: 60,
                remaining: 0,
                reset: NOON + 30,
                retry_after: None
            }
        )
    );
    state.ban = Ban {
        strikes: 1,
        until: Some(NOON + 100),
        epoch: 0,
    };
    assert_eq!(
        at_noon(&mut state, 0),
        (
            KeyDecision::Admitted,
            RateLimitInfo {
                limit: 60,
                remaining: 0,
                reset: NOON + 100,
                retry_after: None
            }
        )
    );
}

#[test]
fn requests_of_cost_0_have_a_limit_of_their_own_that_leads_to_no_ban() {
    let mut state = key_with(10, 100);
    let before = state.clone();
    for number in 1..=60 {
        let (decision, info) = at_noon(&mut state, 0);
        assert_eq!(decision, KeyDecision::Admitted, "request {number}");
        assert_eq!((info.remaining, info.retry_after), (50, None));
    }
    let limited = RateLimitInfo {
        limit: 60,
        remaining: 0,
        reset: NOON + 30,
        retry_after: Some(30),
    };
    for _ in 0..1000 {
        assert_eq!(
            at_noon(&mut state, 0),
            (KeyDecision::FreeRateLimited, limited)
        );
    }
    assert_eq!(state.windows, before.windows);
    assert_eq!(state.refusals, before.refusals);
    assert_eq!(at_noon(&mut state, 1).0, KeyDecision::Admitted);
    for now in [NOON + 30, NOON] {
        let (decision, _) = decide(&mut state, LIMITS, TERMS, &Now::at(now), 0);
        assert_eq!(decision, KeyDecision::Admitted, "another minute");
    }
}

#[test]
fn refusal_above_threshold_bans_key_until_end_of_ban() {
    let mut state = key_with(60, 60);
    for _ in 0..60 {
        assert_eq!(
            at_noon(&mut state, 1).0,
            KeyDecision::RateLimited(Window::Minute)
        );
    }
    let banned = RateLimitInfo {
        limit: 60,
        remaining: 0,
        reset: NOON + 120,
        retry_after: Some(120),
    };
    assert_eq!(at_noon(&mut state, 1), (KeyDecision::BanTriggered, banned));
    assert_eq!(at_noon(&mut state, 1), (KeyDecision::Banned, banned));
    let last = decide(&mut state, LIMITS, TERMS, &Now::at(NOON + 119), 1);
    assert_eq!(last.0, KeyDecision::Banned);
    assert_eq!(last.1.retry_after, Some(1));
    assert_eq!(
        state.refusals,
        RecentRefusals::default(),
        "refusals by ban do not count"
    );
    let after = decide(&mut state, LIMITS, TERMS, &Now::at(NOON + 120), 1);
    assert_eq!(after.0, KeyDecision::NeedsLease, "a new minute, with room");
}

#[test]
fn ban_resets_no_earlier_than_exhausted_windows() {
    let mut state = key_with(0, 1000);
    state.ban = Ban {
        strikes: 1,
        until: Some(NOON + 100),
        epoch: 0,
    };
    let info = at_noon(&mut state, 1).1;
    assert_eq!((info.limit, info.reset), (60, MIDNIGHT));
}

#[test]
fn key_is_never_banned_without_ban_policy() {
    let mut state = key_with(60, 60);
    for _ in 0..1000 {
        let (decision, _) = decide(&mut state, LIMITS, NO_BANS, &Now::at(NOON), 1);
        assert_eq!(decision, KeyDecision::RateLimited(Window::Minute));
    }
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
