//! Whom a request without a key is charged to.

use http::Method;
use test_support::{Caller, TestApp};

/// A server behind proxies of the networks 127.0.0.0/8 and 10.0.0.0/8.
async fn behind_proxies() -> TestApp {
    TestApp::start_with(|config| {
        let networks = ["127.0.0.0/8", "10.0.0.0/8"];
        config.trusted_proxies = networks.map(|network| network.parse().unwrap()).into();
    })
    .await
}

/// Sends so many requests as there are in a minute.
async fn exhaust(caller: &Caller<'_>) {
    for left in (0..60).rev() {
        let answer = caller.get("/pets").await;
        assert_eq!(answer.outcome(), "401 missing_api_key");
        assert_eq!(answer.standing().1, left);
    }
    let answer = caller.get("/pets").await;
    assert_eq!(answer.outcome(), "429 rate_limit_exceeded");
}

#[tokio::test]
async fn behind_trusted_proxies_each_address_has_its_own_limits() {
    let app = behind_proxies().await;
    exhaust(&app.anonymous().forwarded_for("192.0.2.1")).await;
    let same = [
        "192.0.2.1, 10.0.0.9",
        "203.0.113.7, 192.0.2.1",
        "garbage, 192.0.2.1,10.1.1.1 , 127.0.0.2",
        "::ffff:192.0.2.1",
        "192.0.2.1:4711",
    ];
    for hops in same {
        let answer = app.anonymous().forwarded_for(hops).get("/pets").await;
        assert_eq!(answer.status, 429, "{hops}");
    }
    let others = [
        "192.0.2.2",
        "192.0.2.1, 192.0.2.3",
        "2001:db8::1",
        "192.0.2.1, garbage",
    ];
    for hops in others {
        let answer = app.anonymous().forwarded_for(hops).get("/pets").await;
        assert_eq!(answer.status, 401, "{hops}");
        assert_eq!(answer.standing().1, 59, "{hops}");
    }
    let lines = app.anonymous().forwarded_for("203.0.113.1");
    let lines = lines.forwarded_for("192.0.2.1");
    assert_eq!(lines.get("/pets").await.status, 429, "two lines are a list");
}

#[tokio::test]
async fn a_network_of_64_bits_is_one_caller() {
    let app = behind_proxies().await;
    for host in 0..60 {
        let hops = format!("2001:db8:0:7::{host:x}");
        let answer = app.anonymous().forwarded_for(&hops).get("/pets").await;
        assert_eq!(answer.standing().1, 59 - host, "{hops}");
    }
    let same = app.anonymous().forwarded_for("2001:db8:0:7:ffff::");
    assert_eq!(same.get("/pets").await.status, 429);
    let next = app.anonymous().forwarded_for("2001:db8:0:8::");
    assert_eq!(next.get("/pets").await.status, 401);
}

#[tokio::test]
async fn what_a_peer_says_that_is_not_trusted_is_ignored() {
    let app = TestApp::start().await;
    for host in 0..60 {
        let hops = format!("192.0.2.{host}");
        let answer = app.anonymous().forwarded_for(&hops).get("/pets").await;
        assert_eq!(answer.standing().1, 59 - host, "{hops}");
    }
    let answer = app
        .anonymous()
        .forwarded_for("192.0.2.200")
        .get("/pets")
        .await;
    assert_eq!(answer.outcome(), "429 rate_limit_exceeded");
}

#[tokio::test]
async fn a_valid_key_does_not_care_where_it_is_used() {
    let app = TestApp::start().await;
    exhaust(&app.anonymous()).await;
    let key = app.free_key().await;
    let answer = app.caller(&key).get("/pets").await;
    assert_eq!(
        (answer.outcome().as_str(), answer.standing().1),
        ("200", 59)
    );
    let answer = app
        .anonymous()
        .showing("X-API-Key", "pst_typo")
        .get("/pets")
        .await;
    assert_eq!(answer.outcome(), "429 rate_limit_exceeded", "no key at all");
}

#[tokio::test]
async fn addresses_are_never_banned() {
    let app = TestApp::start().await;
    exhaust(&app.anonymous()).await;
    for _ in 0..100 {
        let answer = app.anonymous().get("/pets").await;
        assert_eq!(answer.outcome(), "429 rate_limit_exceeded");
    }
    app.clock.advance(chrono::TimeDelta::minutes(1));
    let answer = app.anonymous().get("/pets").await;
    assert_eq!(answer.outcome(), "401 missing_api_key");
}

#[tokio::test]
async fn a_document_is_charged_to_the_key_and_without_one_to_the_address() {
    let app = TestApp::start().await;
    let key = app.free_key().await;
    let caller = app.caller(&key);
    for (read, path) in ["/openapi.yaml", "/openapi.json"].into_iter().enumerate() {
        for (again, method) in [Method::GET, Method::HEAD].into_iter().enumerate() {
            let left = 59 - (2 * read + again) as i64;
            for reader in [&caller, &app.anonymous()] {
                let answer = reader.call(method.clone(), path).await;
                let seen = (answer.outcome(), answer.standing().1);
                assert_eq!(seen, ("200".to_owned(), left), "{method} {path}");
            }
        }
    }
    let wrong = app.anonymous().showing("X-API-Key", "pst_typo");
    let answer = wrong.get("/openapi.yaml").await;
    let seen = (answer.outcome(), answer.standing().1);
    assert_eq!(
        seen,
        ("200".to_owned(), 55),
        "to anyone, whatever they show"
    );
}
