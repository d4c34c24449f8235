//! What the ledger of API keys does beyond the rules of every ledger (`ledger_rules`).

use dropspec_gate::rate_limit::{
    Account, Adjustment, Ban, Claim, CreditRecord, Ledger, Now, Window,
};

use super::fixture::{FREE, Fixture, NOON, create_key, custom_plan, time};

fn adjustment(key_id: i64, amount: i64) -> Adjustment {
    Adjustment {
        amount,
        limit: 60,
        ..Adjustment::unchanged(key_id, Window::Minute, NOON)
    }
}

#[tokio::test]
async fn last_used_is_the_time_of_the_latest_claim() {
    let fixture = Fixture::new();
    let keys = &fixture.keys;
    let key = create_key(keys).await;
    let last_used = async || keys.find(key).await.unwrap().unwrap().last_used_at;
    assert_eq!(last_used().await, None);
    keys.adjust(vec![adjustment(key, 6)], || Now::at(NOON + 7))
        .await
        .unwrap();
    assert_eq!(last_used().await, Some(NOON + 7));
    keys.adjust(vec![adjustment(key, -6)], || Now::at(NOON + 9))
        .await
        .unwrap();
    assert_eq!(last_used().await, Some(NOON + 7));
}

#[tokio::test]
async fn adjustments_are_all_made_or_none() {
    let fixture = Fixture::new();
    let keys = &fixture.keys;
    let key = create_key(keys).await;
    let nobody = key + 1;
    let adjustments = vec![adjustment(key, 6), adjustment(nobody, 6)];
    assert!(keys.adjust(adjustments, || Now::at(NOON)).await.is_err());
    assert_eq!(keys.read_entry(key).await.unwrap().minute, None);
}

#[tokio::test]
async fn ban_is_recorded_unless_it_was_lifted_meanwhile() {
    let fixture = Fixture::new();
    let keys = &fixture.keys;
    let key = create_key(keys).await;
    let mut ban = Ban::default();
    ban.start(NOON);
    keys.record_ban(key, ban).await.unwrap();
    assert_eq!(keys.read_entry(key).await.unwrap().ban, ban);
    keys.unban(key, time(NOON)).await.unwrap();
    let lifted = Ban {
        strikes: 0,
        until: None,
        epoch: 1,
    };
    assert_eq!(keys.read_entry(key).await.unwrap().ban, lifted);
    keys.record_ban(key, ban).await.unwrap();
    assert_eq!(keys.read_entry(key).await.unwrap().ban, lifted);
}

#[tokio::test]
async fn lower_limits_claim_only_credit_that_may_have_been_spent() {
    let crash = |start| Some(Claim { start, claimed: 1 });
    for (is_open, minute, claimed) in [
        (false, None, 0),
        (true, None, 6),
        (false, crash(NOON), 6),
        (true, crash(NOON), 12),
        // The minute of that crash is over.
        (true, crash(NOON - 60), 6),
    ] {
        let fixture = Fixture::new();
        let keys = &fixture.keys;
        let key = create_key(keys).await;
        let record = CreditRecord {
            is_open,
            minute,
            day: None,
        };
        keys.store_credit(record).await.unwrap();
        let plan = custom_plan(10, 1000);
        let changed = keys.change(key, move |key| key.plan = plan, time(NOON));
        changed.await.unwrap();
        let entry = keys.read_entry(key).await.unwrap();
        assert_eq!(
            entry.minute.map_or(0, |it| it.claimed),
            claimed,
            "{record:?}"
        );
    }
}

#[tokio::test]
async fn principals_without_a_key_are_counted_in_memory() {
    let fixture = Fixture::new();
    let keys = &fixture.keys;
    let key = create_key(keys).await;
    let subject = Account::of_subject("ann", FREE).key_id;
    assert!(subject < 0);
    let both = vec![
        adjustment(subject, 50),
        adjustment(key, 10),
        adjustment(subject, 20),
    ];
    let adjusted = keys.adjust(both, || Now::at(NOON)).await.unwrap();
    let granted: Vec<u64> = adjusted.iter().map(|it| it.granted).collect();
    assert_eq!(granted, [50, 10, 10], "in the order of the adjustments");
    let claimed = async |id| {
        keys.read_entry(id)
            .await
            .unwrap()
            .minute
            .map(|it| it.claimed)
    };
    assert_eq!(
        (claimed(subject).await, claimed(key).await),
        (Some(60), Some(10))
    );

    let mut ban = Ban::default();
    ban.start(NOON);
    for id in [subject, key] {
        keys.record_ban(id, ban).await.unwrap();
        assert_eq!(keys.read_entry(id).await.unwrap().ban, ban);
    }
    assert_eq!(keys.read_banned(NOON).await.unwrap(), [subject, key]);
    keys.carry_over(|| Now::at(NOON + 30)).await.unwrap();
    assert_eq!(
        (claimed(subject).await, claimed(key).await),
        (Some(60), Some(10))
    );
}
