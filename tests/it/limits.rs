//! Rate limits and bans as clients see them. Their arithmetic is tested beside the limiter.

use chrono::{DateTime, TimeDelta};
use dropspec_service::api_keys;
use petstore_client::types::RateLimitStatus;
use petstore_server::api::Petstore;
use serde_json::{Value, json};
use test_support::{Backend, Caller, Response, TestApp};

/// Sends `admitted` requests that are admitted, and one that is rate limited; returns the last response.
async fn use_up(caller: &Caller<'_>, admitted: usize, outcome: &str) -> Response {
    for number in 1..=admitted {
        let response = caller.get("/pets").await;
        assert_eq!(response.outcome(), outcome, "request {number}");
    }
    let response = caller.get("/pets").await;
    assert_eq!(response.outcome(), "429 rate_limit_exceeded");
    response
}

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
async fn day_limit_of_100_rejects_the_41st_request_of_the_second_minute() {
    let app = TestApp::start().await;
    let caller = app.caller(&app.create_key_with_limits(60, 100).await);
    let midnight = app.clock.seconds() + 12 * 60 * 60;
    let limited = use_up(&caller, 60, "200").await;
    assert_eq!(limited.rate_limit(), (60, 0, app.clock.seconds() + 60));
    app.clock.advance(TimeDelta::minutes(1));
    let limited = use_up(&caller, 40, "200").await;

    assert_eq!(limited.rate_limit(), (100, 0, midnight));
    let wait = limited.number("Retry-After").unwrap();
    assert_eq!(wait, midnight - app.clock.seconds());
    assert_eq!(
        limited.error(),
        format!(
            "429 rate_limit_exceeded: the limit of 100 requests a day is spent; try again in {wait} seconds"
        )
    );
    app.clock.advance(TimeDelta::seconds(wait - 1));
    assert_eq!(caller.get("/pets").await.status, 429, "a second early");
    app.clock.advance(TimeDelta::seconds(1));
    let admitted = caller.get("/pets").await;
    assert_eq!(
        (admitted.outcome(), admitted.rate_limit()),
        ("200".to_owned(), (60, 59, midnight + 60))
    );
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
    keys.unban(key.id, DateTime::UNIX_EPOCH).await.unwrap();
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

#[tokio::test]
async fn trusted_proxies_forward_addresses_with_limits_of_their_own() {
    let app = TestApp::start_with(|config| {
        let networks = ["127.0.0.0/8", "10.0.0.0/8"];
        config.requests.trusted_proxies = networks.map(|network| network.parse().unwrap()).into();
    })
    .await;
    let first = app.anonymous().forwarded_for("192.0.2.1");
    use_up(&first, 60, "401 missing_api_key").await;
    for hops in ["192.0.2.1, 10.0.0.9", "203.0.113.7, 192.0.2.1"] {
        let response = app.anonymous().forwarded_for(hops).get("/pets").await;
        assert_eq!(response.status, 429, "{hops}");
    }
    let others = [
        ("192.0.2.2", 59),
        ("2001:db8::1", 59),
        ("2001:db8::ffff:1", 58),
    ];
    for (hops, remaining) in others {
        let response = app.anonymous().forwarded_for(hops).get("/pets").await;
        assert_eq!(response.status, 401, "{hops}");
        assert_eq!(response.rate_limit().1, remaining, "{hops}");
    }
    let lines = app.anonymous().forwarded_for("203.0.113.1");
    let lines = lines.forwarded_for("192.0.2.1");
    assert_eq!(lines.get("/pets").await.status, 429, "two lines are a list");
}

#[tokio::test]
async fn valid_key_is_admitted_from_an_exhausted_address_and_no_other_name_of_it() {
    let app = TestApp::start().await;
    use_up(
        &app.anonymous().forwarded_for("192.0.2.1"),
        60,
        "401 missing_api_key",
    )
    .await;
    let caller = app.caller(&app.create_free_key().await);
    let response = caller.get("/pets").await;
    assert_eq!((response.status, response.rate_limit().1), (200, 59));
    let malformed = app.anonymous().with_header("X-API-Key", "pst_typo");
    let response = malformed.get("/pets").await;
    assert_eq!(response.outcome(), "429 rate_limit_exceeded");
}

#[tokio::test]
async fn clock_step_changes_what_headers_say_but_not_what_remains() {
    let app = TestApp::start().await;
    let caller = app.caller(&app.create_free_key().await);
    app.clock.advance(TimeDelta::seconds(20));
    caller.get("/pets").await;
    for (remaining, hours) in [(58, 24), (57, -24), (56, -1)] {
        app.clock.step(TimeDelta::hours(hours));
        for (caller, remaining) in [(&caller, remaining), (&app.anonymous(), remaining + 1)] {
            let info = caller.get("/pets").await.rate_limit();
            assert_eq!(info, (60, remaining, app.clock.seconds() + 40), "{hours}");
        }
    }
}
