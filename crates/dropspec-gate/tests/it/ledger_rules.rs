//! The rules that every ledger obeys, as one suite of tests over all of them. A new ledger implements [`Engine`], and is
//! added to [`ledger_rules`].

use dropspec_gate::rate_limit::{
    Adjusted, Adjustment, Ban, Claim, Ledger, LedgerEntry, Now, Window,
};

use super::engines::{Cluster, Engine, Memory, PostgresServer, RedisServer, Sqlite};
use super::fixture::NOON;
use crate::ledger_rules as rules;

/// Tests each rule on these engines.
macro_rules! ledger_rules {
    ($($name:ident: $engine:ty,)*) => {
        on_engines! {
            #[tokio::test]
            $($name: $engine {
                claims_are_granted_up_to_the_limit,
                windows_of_a_key_are_claimed_apart,
                what_is_leased_is_told_apart_from_what_is_used,
                results_are_in_the_order_of_the_adjustments,
                concurrent_claims_never_exceed_the_limit,
                key_without_claims_has_an_empty_entry,
                last_ban_is_stored_and_found_while_it_lasts,
                set_clock_neither_opens_nor_ends_a_window,
            })*
        }
    };
}

ledger_rules! {
    memory: Memory,
    sqlite: Sqlite,
    postgres: PostgresServer,
    redis: RedisServer,
    cluster: Cluster,
}

fn adjustment(key_id: i64, window: Window, amount: i64) -> Adjustment {
    Adjustment {
        amount,
        limit: 60,
        ..Adjustment::unchanged(key_id, window, 0)
    }
}

/// Makes one adjustment at `now`.
async fn adjust(ledger: &impl Ledger, adjustment: Adjustment, now: i64) -> Adjusted {
    let adjustment = Adjustment {
        start: adjustment.window.start_at(now),
        ..adjustment
    };
    let adjusted = ledger.adjust(vec![adjustment], move || Now::at(now));
    let adjusted = adjusted.await.unwrap();
    assert_eq!(adjusted.len(), 1);
    adjusted[0]
}

async fn entry(ledger: &impl Ledger, key_id: i64) -> LedgerEntry {
    ledger.read_entry(key_id).await.unwrap()
}

async fn claims_are_granted_up_to_the_limit(engine: &impl Engine) {
    let ledger = &engine.open().await;
    let key = engine.new_key().await;
    let steps = [
        (NOON, 50, (NOON, 50, 50), "granted"),
        (NOON, 20, (NOON, 60, 10), "as much as there is"),
        (NOON, 5, (NOON, 60, 0), "nothing is left"),
        (NOON, -15, (NOON, 45, 0), "given back"),
        (NOON + 60, 6, (NOON + 60, 6, 6), "a later minute takes over"),
        (NOON + 119, -2, (NOON + 60, 4, 0), "given back at its end"),
        (NOON, 6, (NOON, 10, 6), "the clock was set back: it goes on"),
        (
            NOON + 60,
            0,
            (NOON + 60, 0, 0),
            "a minute it was only seen in",
        ),
    ];
    for (now, amount, (start, claimed, granted), reason) in steps {
        let adjusted = adjust(ledger, adjustment(key, Window::Minute, amount), now).await;
        let claim = Claim { start, claimed };
        assert_eq!(
            (adjusted.claim, adjusted.granted),
            (claim, granted),
            "{reason}"
        );
        assert_eq!(entry(ledger, key).await.minute, Some(claim), "{reason}");
    }
}

async fn windows_of_a_key_are_claimed_apart(engine: &impl Engine) {
    let ledger = &engine.open().await;
    let (key, other) = (engine.new_key().await, engine.new_key().await);
    let both = vec![
        adjustment(key, Window::Minute, 6),
        adjustment(key, Window::Day, 40),
    ];
    let adjusted = ledger.adjust(both, || Now::at(NOON + 70)).await;
    let granted: Vec<u64> = adjusted.unwrap().iter().map(|it| it.granted).collect();
    assert_eq!(granted, [6, 40]);
    let LedgerEntry { minute, day, .. } = entry(ledger, key).await;
    let claim = |start, claimed| Some(Claim { start, claimed });
    assert_eq!(minute, claim(NOON + 60, 6));
    assert_eq!(day, claim(Window::Day.start_at(NOON), 40));
    assert_eq!(entry(ledger, other).await, LedgerEntry::default());
}

async fn what_is_leased_is_told_apart_from_what_is_used(engine: &impl Engine) {
    let ledger = &engine.open().await;
    let key = engine.new_key().await;
    let lease = Adjustment {
        least: 5,
        ..adjustment(key, Window::Minute, 11)
    };
    let known = async || {
        let windows = entry(ledger, key).await.known_at(&Now::at(NOON));
        (windows.minute.used, windows.minute.leased)
    };
    adjust(ledger, lease, NOON).await;
    assert_eq!(known().await, (5, 6), "five were owed");
    let rest = Adjustment {
        leased: 2,
        used: 9,
        ..adjustment(key, Window::Minute, 3)
    };
    adjust(ledger, rest, NOON).await;
    assert_eq!(known().await, (9, 5), "two are left of them");
    adjust(ledger, adjustment(key, Window::Minute, -5), NOON).await;
    assert_eq!(known().await, (9, 0), "all were given back");
    let later = entry(ledger, key).await.known_at(&Now::at(NOON + 60));
    assert_eq!((later.minute.used, later.minute.leased), (0, 0));
}

async fn results_are_in_the_order_of_the_adjustments(engine: &impl Engine) {
    let ledger = &engine.open().await;
    let (one, other) = (engine.new_key().await, engine.new_key().await);
    // Those of a key follow each other, one for each window.
    let adjustments = [
        adjustment(other, Window::Minute, 50),
        adjustment(other, Window::Day, 20),
        adjustment(one, Window::Minute, 10),
        adjustment(one, Window::Day, 7),
    ];
    let adjusted = ledger.adjust(adjustments.into(), || Now::at(NOON));
    let granted: Vec<u64> = adjusted
        .await
        .unwrap()
        .iter()
        .map(|it| it.granted)
        .collect();
    assert_eq!(granted, [50, 20, 10, 7]);
}

async fn concurrent_claims_never_exceed_the_limit(engine: &impl Engine) {
    let ledger = &engine.open().await;
    let key = engine.new_key().await;
    let claims = (0..40).map(|_| adjust(ledger, adjustment(key, Window::Minute, 7), NOON));
    let adjusted = futures::future::join_all(claims).await;
    assert_eq!(adjusted.iter().map(|it| it.granted).sum::<u64>(), 60);
    assert_eq!(entry(ledger, key).await.minute.unwrap().claimed, 60);
}

async fn key_without_claims_has_an_empty_entry(engine: &impl Engine) {
    let ledger = &engine.open().await;
    let key = engine.new_key().await;
    assert_eq!(entry(ledger, key).await, LedgerEntry::default());
    assert_eq!(entry(ledger, key + 1000).await, LedgerEntry::default());
}

async fn last_ban_is_stored_and_found_while_it_lasts(engine: &impl Engine) {
    let ledger = &engine.open().await;
    let (key, other) = (engine.new_key().await, engine.new_key().await);
    for strikes in 1..=2 {
        let ban = Ban {
            strikes,
            until: Some(NOON + 120 * i64::from(strikes)),
            epoch: 0,
        };
        ledger.record_ban(key, ban).await.unwrap();
        assert_eq!(entry(ledger, key).await.ban, ban);
    }
    assert_eq!(entry(ledger, other).await.ban, Ban::default());
    for (time, expected) in [
        (NOON, vec![key]),
        (NOON + 239, vec![key]),
        (NOON + 240, vec![]),
    ] {
        assert_eq!(ledger.read_banned(time).await.unwrap(), expected);
    }
}

async fn set_clock_neither_opens_nor_ends_a_window(engine: &impl Engine) {
    let ledger = &engine.open().await;
    // A ledger with a clock of its own knows no steps of the clocks of its servers.
    if ledger.is_shared() {
        return;
    }
    let key = engine.new_key().await;
    adjust(ledger, adjustment(key, Window::Minute, 9), NOON).await;
    ledger.carry_over(|| Now::at(NOON - 600)).await.unwrap();
    let claim = |start, claimed| Some(Claim { start, claimed });
    assert_eq!(entry(ledger, key).await.minute, claim(NOON - 600, 9));
    let next = adjust(ledger, adjustment(key, Window::Minute, 1), NOON - 540).await;
    assert_eq!(next.claim.claimed, 1, "the time that passes ends it");
}
