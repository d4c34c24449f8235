//! Limits over HTTP, by a clock that the test moves: how many requests get through, who is banned and for how long, and
//! whom a request without a key is charged to.

mod addresses;
mod bans;

use std::collections::BTreeMap;

use chrono::TimeDelta;
use serde_json::{Value, json};
use test_support::{Answer, Caller, TestApp};

async fn without_bans() -> TestApp {
    TestApp::start_with(|config| config.policy.bans = None).await
}

/// Sends until the first refusal.
async fn use_up(caller: &Caller<'_>) {
    for _ in 0..1000 {
        if caller.get("/pets").await.status == 429 {
            return;
        }
    }
    panic!("there is no limit");
}

fn counted(answers: &[Answer]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for answer in answers {
        *counts.entry(answer.outcome()).or_default() += 1;
    }
    counts
}

fn expected<const N: usize>(counts: [(&str, usize); N]) -> BTreeMap<String, usize> {
    BTreeMap::from(counts.map(|(outcome, count)| (outcome.to_owned(), count)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_ten_thousand_requests_at_once_sixty_get_through_in_each_minute() {
    let app = without_bans().await;
    let key = app.free_key().await;
    for minute in 1..=2 {
        let answers = app.storm(&key, "/pets", 10_000).await;
        let counts = expected([("200", 60), ("429 rate_limit_exceeded", 9_940)]);
        assert_eq!(counted(&answers), counts, "minute {minute}");

        let reset = app.clock.seconds() + 60;
        let mut remaining = Vec::new();
        for answer in &answers {
            let (limit, left, until) = answer.standing();
            assert_eq!((limit, until), (60, reset));
            if answer.status == 200 {
                remaining.push(left);
            } else {
                assert_eq!((left, answer.number("Retry-After")), (0, Some(60)));
            }
        }
        remaining.sort_unstable();
        assert_eq!(
            remaining,
            Vec::from_iter(0..60),
            "each place was given once"
        );
        app.clock.advance(TimeDelta::minutes(1));
    }
}

#[tokio::test]
async fn the_days_limit_holds_when_the_minutes_would_allow() {
    let app = without_bans().await;
    let key = app.key_for(60, 100).await;
    let midnight = app.clock.seconds() + 12 * 60 * 60;
    let counts = counted(&app.storm(&key, "/pets", 70).await);
    assert_eq!(
        counts,
        expected([("200", 60), ("429 rate_limit_exceeded", 10)])
    );
    app.clock.advance(TimeDelta::minutes(1));
    let answers = app.storm(&key, "/pets", 70).await;
    assert_eq!(
        counted(&answers),
        expected([("200", 40), ("429 rate_limit_exceeded", 30)])
    );

    let caller = app.caller(&key);
    let refused = caller.get("/pets").await;
    assert_eq!(refused.standing(), (100, 0, midnight));
    let wait = refused.number("Retry-After").unwrap();
    assert_eq!(wait, midnight - app.clock.seconds());
    assert_eq!(
        refused.error(),
        format!(
            "429 rate_limit_exceeded: the limit of 100 requests a day is spent; try again in {wait} seconds"
        )
    );
    app.clock.advance(TimeDelta::seconds(wait - 1));
    assert_eq!(caller.get("/pets").await.status, 429, "a second too early");
    app.clock.advance(TimeDelta::seconds(1));
    let admitted = caller.get("/pets").await;
    assert_eq!(
        (admitted.outcome(), admitted.standing()),
        ("200".to_owned(), (60, 59, midnight + 60))
    );
}

#[tokio::test]
async fn who_asks_for_the_limits_is_told_them_and_not_charged() {
    let app = without_bans().await;
    let caller = app.caller(&app.free_key().await);
    let noon = app.clock.seconds();
    let status = |minute: i64, day: i64| {
        json!({
            "plan": "free",
            "minute": {"limit": 60, "remaining": minute, "reset": noon + 60},
            "day": {"limit": 1000, "remaining": day, "reset": noon + 12 * 60 * 60},
            "strikes": 0,
        })
    };
    for used in [0, 1, 2] {
        for _ in 0..3 {
            let answer = caller.get("/rate-limit").await;
            assert_eq!(answer.json::<Value>(), status(60 - used, 1000 - used));
            assert_eq!(answer.standing(), (60, 60 - used, noon + 60));
        }
        caller.get("/pets").await;
    }
    use_up(&caller).await;
    for _ in 0..70 {
        let answer = caller.get("/rate-limit").await;
        assert_eq!(answer.json::<Value>(), status(0, 940), "exhausted");
        assert_eq!(answer.standing(), (60, 0, noon + 60));
        assert_eq!(answer.header("Retry-After"), None);
    }
}
