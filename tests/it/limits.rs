//! Rate limits and bans as clients see them. Their arithmetic is tested beside the limiter.

use chrono::TimeDelta;
use petstore_client::types::RateLimitStatus;
use petstore_server::api::Petstore;
use serde_json::{Value, json};
use service_program::api_keys;
use test_support::{Backend, Caller, Response, TestApp};

/// Sends requests until the key is banned; returns how many requests were rate limited before, and the response of the
/// ban.
async fn send_until_banned(caller: &Caller<'_>) -> (usize, Response) {
    let mut limited = 0;
    for _ in 0..1000 {
        let response = caller.get("/pets").await;
        match response.outcome().as_str() {
            "200" => {}
            "429 rate_limit_exceeded" => limited += 1,
            "429 api_key_banned" => return (limited, response),
            other => panic!("{other}"),
        }
    }
    panic!("no ban after 1000 requests")
}

#[tokio::test]
async fn rate_limit_operation_returns_both_windows_and_is_not_charged() {
    let app = TestApp::start().await;
    let caller = app.caller(&app.create_free_key().await);
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
            let response = caller.get("/rate-limit").await;
            assert_eq!(response.json::<Value>(), status(60 - used, 1000 - used));
            assert_eq!(response.rate_limit(), (60, 60 - used, noon + 60));
        }
        caller.get("/pets").await;
    }
}

#[tokio::test]
async fn operation_that_costs_nothing_has_a_limit_of_its_own_which_bans_nobody() {
    let app = TestApp::start().await;
    let caller = app.caller(&app.create_key_with_limits(10, 1000).await);
    let noon = app.clock.seconds();
    for _ in 0..10 {
        let response = caller.get("/rate-limit").await;
        assert_eq!((response.status, response.rate_limit().1), (200, 10));
    }
    let expected = "429 rate_limit_exceeded: the limit of 10 requests a minute to free operations is spent; try again in 60 seconds";
    for _ in 0..100 {
        let response = caller.get("/rate-limit").await;
        assert_eq!(response.error(), expected);
        assert_eq!(response.number("Retry-After"), Some(60));
    }
    let response = caller.get("/pets").await;
    assert_eq!(response.rate_limit(), (10, 9, noon + 60));
    app.clock.advance(TimeDelta::minutes(1));
    assert_eq!(caller.get("/rate-limit").await.status, 200);
}

#[tokio::test]
async fn key_is_banned_for_longer_each_time_until_it_is_unbanned() {
    let app = TestApp::start().await;
    let key = app.create_key_with_limits(10, 1_000_000).await;
    let caller = app.caller(&key);
    let (limited, first) = send_until_banned(&caller).await;
    assert_eq!(limited, 30);
    let expected = "429 api_key_banned: the API key is banned for sending on after its limit; try again in 120 seconds";
    assert_eq!(first.error(), expected);
    let other = app.create_free_key().await;
    assert_eq!(app.caller(&other).get("/pets").await.status, 200);
    app.clock.advance(TimeDelta::seconds(119));
    let last = caller.get("/pets").await;
    assert_eq!(last.outcome(), "429 api_key_banned");
    assert_eq!(last.number("Retry-After"), Some(1));
    app.clock.advance(TimeDelta::seconds(1));
    let (_, second) = send_until_banned(&caller).await;
    let waits = [first, second].map(|banned| banned.number("Retry-After"));
    assert_eq!(waits, [Some(120), Some(240)]);

    let status: RateLimitStatus = caller.get("/rate-limit").await.json();
    let until = app.clock.seconds() + 240;
    assert_eq!((status.strikes, status.banned_until), (2, Some(until)));
    // As `petstore keys unban` does it.
    let beside = app.storage().open_beside_server().await;
    let keys = api_keys::<Petstore>(beside.clone());
    keys.unban(key.id).await.unwrap();
    beside.close().await.unwrap();
    app.clock.advance(TimeDelta::seconds(60));
    // A server asks its file with each request, and another database every half second.
    while !Backend::chosen().is_file() && caller.get("/pets").await.status == 429 {}
    assert_eq!(caller.get("/pets").await.status, 200);
    let status: RateLimitStatus = caller.get("/rate-limit").await.json();
    assert_eq!((status.strikes, status.banned_until), (0, None));
    let (limited, banned) = send_until_banned(&caller).await;
    let wait = banned.number("Retry-After");
    assert_eq!((limited, wait), (30, Some(120)), "without strikes");
}
