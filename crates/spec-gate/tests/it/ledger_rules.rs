//! The rules that every ledger obeys, as one suite of tests over all of them. A new ledger implements [`TestedLedger`], and is
//! added to [`ledger_rules`].

mod ledgers;

use spec_gate::rate_limit::{Adjusted, Adjustment, Ban, Claim, Ledger, LedgerEntry, Now, Window};

use self::ledgers::{
    TestedCluster, TestedLedger, TestedMemory, TestedPostgres, TestedRedis, TestedSqlite,
};
use super::fixture::NOON;

/// Makes a test of each rule for each ledger.
macro_rules! ledger_rules {
    ($($ledger:ident: $tested:ty { $($rule:ident,)* })*) => {
        $(mod $ledger {
            use super::*;

            $(#[tokio::test]
            async fn $rule() {
                if let Some(tested) = <$tested>::open().await {
                    super::$rule(&tested).await;
                }
            })*
        })*
    };
    ($($ledger:ident: $tested:ty,)*) => {
        ledger_rules! {
            $($ledger: $tested {
                claims_are_granted_up_to_the_limit,
                windows_of_a_key_are_claimed_apart,
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
    memory: TestedMemory,
    sqlite: TestedSqlite,
    postgres: TestedPostgres,
    redis: TestedRedis,
    cluster: TestedCluster,
}

fn adjustment(key_id: i64, window: Window, amount: i64) -> Adjustment {
    Adjustment {
        key_id,
        window,
        start: 0,
        amount,
        least: 0,
        leased: 0,
        used: 0,
        limit: 60,
        last_seen: None,
    }
}

/// Makes one adjustment at `now`.
async fn adjust(tested: &impl TestedLedger, adjustment: Adjustment, now: i64) -> Adjusted {
    let adjustment = Adjustment {
        start: adjustment.window.start_at(now),
        ..adjustment
    };
    let adjusted = tested
        .ledger()
        .adjust(vec![adjustment], move || Now::at(now));
    let adjusted = adjusted.await.unwrap();
    assert_eq!(adjusted.len(), 1);
    adjusted[0]
}

async fn entry(tested: &impl TestedLedger, key_id: i64) -> LedgerEntry {
    tested.ledger().read_entry(key_id).await.unwrap()
}

async fn claims_are_granted_up_to_the_limit(tested: &impl TestedLedger) {
    let key = tested.new_key().await;
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
        let adjusted = adjust(tested, adjustment(key, Window::Minute, amount), now).await;
        let claim = Claim { start, claimed };
        assert_eq!(
            (adjusted.claim, adjusted.granted),
            (claim, granted),
            "{reason}"
        );
        assert_eq!(entry(tested, key).await.minute, Some(claim), "{reason}");
    }
}

async fn windows_of_a_key_are_claimed_apart(tested: &impl TestedLedger) {
    let (key, other) = (tested.new_key().await, tested.new_key().await);
    let both = vec![
        adjustment(key, Window::Minute, 6),
        adjustment(key, Window::Day, 40),
    ];
    let adjusted = tested.ledger().adjust(both, || Now::at(NOON + 70)).await;
    let granted: Vec<u64> = adjusted.unwrap().iter().map(|it| it.granted).collect();
    assert_eq!(granted, [6, 40]);
    let LedgerEntry { minute, day, .. } = entry(tested, key).await;
    let claim = |start, claimed| Some(Claim { start, claimed });
    assert_eq!(minute, claim(NOON + 60, 6));
    assert_eq!(day, claim(Window::Day.start_at(NOON), 40));
    assert_eq!(entry(tested, other).await, LedgerEntry::default());
}

async fn results_are_in_the_order_of_the_adjustments(tested: &impl TestedLedger) {
    let (one, other) = (tested.new_key().await, tested.new_key().await);
    let adjustments = [(other, 50), (one, 10), (other, 20), (one, 7)];
    let adjustments = adjustments.map(|(key, amount)| adjustment(key, Window::Minute, amount));
    let adjusted = tested.ledger().adjust(adjustments.into(), || Now::at(NOON));
    let granted: Vec<u64> = adjusted
        .await
        .unwrap()
        .iter()
        .map(|it| it.granted)
        .collect();
    assert_eq!(granted, [50, 10, 10, 7]);
}

async fn concurrent_claims_never_exceed_the_limit(tested: &impl TestedLedger) {
    let key = tested.new_key().await;
    let claims = (0..40).map(|_| adjust(tested, adjustment(key, Window::Minute, 7), NOON));
    let adjusted = futures::future::join_all(claims).await;
    assert_eq!(adjusted.iter().map(|it| it.granted).sum::<u64>(), 60);
    assert_eq!(entry(tested, key).await.minute.unwrap().claimed, 60);
}

async fn key_without_claims_has_an_empty_entry(tested: &impl TestedLedger) {
    let key = tested.new_key().await;
    assert_eq!(entry(tested, key).await, LedgerEntry::default());
    assert_eq!(entry(tested, key + 1000).await, LedgerEntry::default());
}

async fn last_ban_is_stored_and_found_while_it_lasts(tested: &impl TestedLedger) {
    let (key, other) = (tested.new_key().await, tested.new_key().await);
    for strikes in 1..=2 {
        let ban = Ban {
            strikes,
            until: Some(NOON + 120 * i64::from(strikes)),
            epoch: 0,
        };
        tested.ledger().record_ban(key, ban).await.unwrap();
        assert_eq!(entry(tested, key).await.ban, ban);
    }
    assert_eq!(entry(tested, other).await.ban, Ban::default());
    for (time, expected) in [
        (NOON, vec![key]),
        (NOON + 239, vec![key]),
        (NOON + 240, vec![]),
    ] {
        assert_eq!(tested.ledger().read_banned(time).await.unwrap(), expected);
    }
}

async fn set_clock_neither_opens_nor_ends_a_window(tested: &impl TestedLedger) {
    let ledger = tested.ledger();
    // A ledger with a clock of its own knows no steps of the clocks of its servers.
    if ledger.is_shared() {
        return;
    }
    let key = tested.new_key().await;
    adjust(tested, adjustment(key, Window::Minute, 9), NOON).await;
    ledger.carry_over(|| Now::at(NOON - 600)).await.unwrap();
    let claim = |start, claimed| Some(Claim { start, claimed });
    assert_eq!(entry(tested, key).await.minute, claim(NOON - 600, 9));
    let next = adjust(tested, adjustment(key, Window::Minute, 1), NOON - 540).await;
    assert_eq!(next.claim.claimed, 1, "the time that passes ends it");
}
