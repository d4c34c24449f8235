//! What the core decides, case by case; all leases are there unless a case is about them.

use super::*;

const LIMITS: Limits = Limits {
    per_minute: 60,
    per_day: 1000,
};
const BANS: BanPolicy = BanPolicy {
    memory: 300,
    tolerance: 30,
    first: 120,
    longest: 86_400,
    fading: 86_400,
};
/// 2026-11-21 12:00:30 UTC.
const NOON: i64 = 1_795_262_430;
const MIDNIGHT: i64 = NOON - 30 + 12 * 60 * 60;

fn key_with(minute: u64, day: u64) -> KeyState {
    let mut state = KeyState::new(Ban::default(), NOON);
    for (usage, used) in [
        (&mut state.windows.minute, minute),
        (&mut state.windows.day, day),
    ] {
        usage.used = used;
        usage.leased = u64::MAX;
    }
    state
}

fn at_noon(state: &mut KeyState, cost: u64) -> (Decision, Standing) {
    decide(state, LIMITS, Some(&BANS), NOON, cost)
}

#[test]
fn an_admitted_request_counts_in_both_windows() {
    let mut state = key_with(10, 100);
    let (decision, standing) = at_noon(&mut state, 3);
    assert_eq!(decision, Decision::Admitted);
    assert_eq!(
        (state.windows.minute.used, state.windows.day.used),
        (13, 103)
    );
    assert_eq!(
        standing,
        Standing {
            limit: 60,
            remaining: 47,
            reset: NOON + 30,
            retry_after: None
        }
    );
}

#[test]
fn a_refused_request_counts_in_neither() {
    for (minute, day) in [(60, 60), (0, 1000), (58, 0), (0, 998)] {
        let mut state = key_with(minute, day);
        let before = state.windows;
        let (decision, _) = at_noon(&mut state, 3);
        assert!(
            matches!(decision, Decision::RateLimited(_)),
            "{minute} {day}"
        );
        assert_eq!(state.windows, before);
    }
}

#[test]
fn a_refusal_speaks_of_the_violated_window_and_of_the_day_if_both_are() {
    let day = Standing {
        limit: 1000,
        remaining: 0,
        reset: MIDNIGHT,
        retry_after: Some(MIDNIGHT - NOON),
    };
    let minute = Standing {
        limit: 60,
        remaining: 0,
        reset: NOON + 30,
        retry_after: Some(30),
    };
    let cases = [(60, 60, minute), (0, 1000, day), (60, 1000, day)];
    for (used, used_today, standing) in cases {
        assert_eq!(at_noon(&mut key_with(used, used_today), 1).1, standing);
    }
}

#[test]
fn what_costs_nothing_is_admitted_exhausted_or_banned() {
    let mut state = key_with(60, 60);
    assert_eq!(
        at_noon(&mut state, 0),
        (
            Decision::Admitted,
            Standing {
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
            Decision::Admitted,
            Standing {
                limit: 60,
                remaining: 0,
                reset: NOON + 100,
                retry_after: None
            }
        )
    );
}

#[test]
fn a_ban_begins_with_the_refusal_too_many_and_refuses_all_until_its_end() {
    let mut state = key_with(60, 60);
    for _ in 0..60 {
        assert_eq!(
            at_noon(&mut state, 1).0,
            Decision::RateLimited(Window::Minute)
        );
    }
    let banned = Standing {
        limit: 60,
        remaining: 0,
        reset: NOON + 120,
        retry_after: Some(120),
    };
    assert_eq!(at_noon(&mut state, 1), (Decision::Crossed, banned));
    assert_eq!(at_noon(&mut state, 1), (Decision::Banned, banned));
    let last = decide(&mut state, LIMITS, Some(&BANS), NOON + 119, 1);
    assert_eq!(last.0, Decision::Banned);
    assert_eq!(last.1.retry_after, Some(1));
    assert_eq!(
        state.refusals,
        Refusals::default(),
        "refusals by ban do not count"
    );
    let after = decide(&mut state, LIMITS, Some(&BANS), NOON + 120, 1);
    assert_eq!(after.0, Decision::Unleased, "a new minute, with room");
}

#[test]
fn a_ban_is_over_no_sooner_than_the_windows_that_are_exhausted() {
    let mut state = key_with(0, 1000);
    state.ban = Ban {
        strikes: 1,
        until: Some(NOON + 100),
        epoch: 0,
    };
    let standing = at_noon(&mut state, 1).1;
    assert_eq!((standing.limit, standing.reset), (60, MIDNIGHT));
}

#[test]
fn without_a_policy_nobody_is_banned() {
    let mut state = key_with(60, 60);
    for _ in 0..1000 {
        let (decision, _) = decide(&mut state, LIMITS, None, NOON, 1);
        assert_eq!(decision, Decision::RateLimited(Window::Minute));
    }
}

#[test]
fn what_is_not_leased_is_not_spent() {
    for (minute, day) in [(2, 3), (3, 2), (0, 0)] {
        let mut state = key_with(0, 0);
        state.windows.minute.leased = minute;
        state.windows.day.leased = day;
        let before = state.clone();
        assert_eq!(at_noon(&mut state, 3).0, Decision::Unleased);
        assert_eq!(state, before);
    }
}

#[test]
fn a_lifted_ban_is_followed_and_an_old_row_is_not() {
    let banned = Ban {
        strikes: 2,
        until: Some(NOON + 100),
        epoch: 1,
    };
    let mut state = key_with(0, 0);
    state.ban = banned;
    state.follow(&Ban {
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
    state.follow(&lifted);
    assert_eq!(state.ban, lifted);
}
