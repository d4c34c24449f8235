//! Bans over HTTP.

use chrono::TimeDelta;
use petstore_server::store::{EngineConfig, Store};
use serde_json::Value;
use test_support::{Answer, Caller, TestApp};

use super::use_up;

/// Sends until the key is banned; returns how many refusals by limit came first, and the first one by ban.
async fn provoke(caller: &Caller<'_>) -> (usize, Answer) {
    use_up(caller).await;
    for refusals in 1..1000 {
        let answer = caller.get("/pets").await;
        match answer.outcome().as_str() {
            "429 rate_limit_exceeded" => {}
            "429 api_key_banned" => return (refusals, answer),
            other => panic!("{other}"),
        }
    }
    panic!("there is no ban")
}

#[tokio::test]
async fn the_refusal_too_many_is_the_first_by_ban_and_concerns_one_key() {
    let app = TestApp::start().await;
    let rows = [
        (
            app.key_for(10, 1000).await,
            10,
            30,
            "30 where the limit is less",
        ),
        (app.free_key().await, 60, 60, "the limit where it is more"),
    ];
    for (key, limit, forgiven, reason) in rows {
        let (refusals, banned) = provoke(&app.caller(&key)).await;
        assert_eq!(refusals, forgiven, "{reason}");
        assert_eq!(banned.standing(), (limit, 0, app.clock.seconds() + 120));
        assert_eq!(banned.number("Retry-After"), Some(120));
        assert_eq!(
            banned.error(),
            "429 api_key_banned: the API key is banned for sending on after its limit; try again in 120 seconds"
        );
    }
    let other = app.free_key().await;
    assert_eq!(app.caller(&other).get("/pets").await.status, 200);
}

#[tokio::test]
async fn each_ban_lasts_twice_as_long_and_ends_to_the_second() {
    let app = TestApp::start().await;
    let key = app.key_for(10, 1_000_000).await;
    let caller = app.caller(&key);
    for seconds in [120, 240, 480, 960] {
        let (_, banned) = provoke(&caller).await;
        assert_eq!(banned.number("Retry-After"), Some(seconds));
        app.clock.advance(TimeDelta::seconds(seconds - 1));
        let last = caller.get("/pets").await;
        assert_eq!(last.outcome(), "429 api_key_banned");
        assert_eq!(last.number("Retry-After"), Some(1));
        app.clock.advance(TimeDelta::seconds(1));
        assert_eq!(caller.get("/pets").await.status, 200);
    }
    app.clock.advance(TimeDelta::days(2));
    let (_, banned) = provoke(&caller).await;
    assert_eq!(banned.number("Retry-After"), Some(480), "two of four faded");
}

#[tokio::test]
async fn the_operator_ends_a_ban_while_the_server_runs() {
    let app = TestApp::start().await;
    let key = app.key_for(10, 1_000_000).await;
    let caller = app.caller(&key);
    provoke(&caller).await;
    app.clock.advance(TimeDelta::seconds(120));
    provoke(&caller).await;
    app.clock.advance(TimeDelta::seconds(60));
    assert_eq!(caller.get("/pets").await.outcome(), "429 api_key_banned");

    // As `petstore keys unban` does it.
    let beside = Store::open_beside_server(&EngineConfig::at(app.database())).unwrap();
    beside.unban_key(key.id).await.unwrap();
    beside.close().await.unwrap();
    assert_eq!(caller.get("/pets").await.status, 200);
    let status: Value = caller.get("/rate-limit").await.json();
    assert_eq!(
        (&status["strikes"], &status["ban"]),
        (&0.into(), &Value::Null)
    );
    let (refusals, banned) = provoke(&caller).await;
    let wait = banned.number("Retry-After");
    assert_eq!((refusals, wait), (30, Some(120)), "all is forgiven");
}

#[tokio::test]
async fn a_banned_key_is_told_so_for_nothing() {
    let app = TestApp::start().await;
    let caller = app.caller(&app.key_for(10, 1000).await);
    provoke(&caller).await;
    let until = app.clock.seconds() + 120;
    for _ in 0..50 {
        let answer = caller.get("/rate-limit").await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.standing(), (10, 0, until));
        assert_eq!(answer.header("Retry-After"), None);
        let status: Value = answer.json();
        assert_eq!(status["strikes"], 1);
        assert_eq!(status["day"]["remaining"], 990);
        assert_eq!(status["bannedUntil"], until, "{status}");
    }
    app.clock.advance(TimeDelta::seconds(120));
    let status: Value = caller.get("/rate-limit").await.json();
    assert_eq!(status.get("bannedUntil"), None, "{status}");
    assert_eq!(status["minute"]["remaining"], 10);
}
