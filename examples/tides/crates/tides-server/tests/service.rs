//! The service from outside: its program on a free port, called by the generated client.
#![allow(clippy::unwrap_used)]

use std::process::Command;

use chrono::{DateTime, TimeDelta, Utc};
use dropspec_service::testing::TestProcess;
use tides_client::{Client, RetryPolicy};

/// The server on a free port, with a database of its own, and a client that sends each request once.
fn serve() -> (TestProcess, Client) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tides"));
    let server = TestProcess::serve(program.arg("serve")).unwrap();
    let client = Client::new(server.url()).with_retries(RetryPolicy::off());
    (server, client)
}

#[tokio::test]
async fn lists_and_items_need_no_key() {
    let (_server, client) = serve();
    let french = client.list_harbours().country("FR").send().await.unwrap();
    let ids: Vec<&str> = french.iter().map(|harbour| harbour.id.as_str()).collect();
    assert_eq!(ids, ["brest", "saint-malo"]);
    let brest = client.get_harbour().id("brest").send().await.unwrap();
    assert_eq!(*brest, french[0]);

    let after: DateTime<Utc> = "2026-05-01T00:00:00Z".parse().unwrap();
    let tides = client
        .list_tides()
        .id("brest")
        .after(after)
        .send()
        .await
        .unwrap();
    assert_eq!(tides.len(), 4, "the default of the document");
    assert!(tides[0].time > after && tides[0].time <= after + TimeDelta::minutes(746));
    let tides = client
        .list_tides()
        .id("brest")
        .after(tides[0].time)
        .limit(1u32)
        .send()
        .await;
    assert_eq!(tides.unwrap().len(), 1);
}

#[tokio::test]
async fn errors_have_the_schema_of_the_document() {
    let (_server, client) = serve();
    let unknown = client
        .get_harbour()
        .id("atlantis")
        .send()
        .await
        .unwrap_err();
    assert_eq!(
        (unknown.status().unwrap().as_u16(), unknown.code()),
        (404, Some("unknown_harbour"))
    );
    let now = DateTime::UNIX_EPOCH;
    let many = client
        .list_tides()
        .id("brest")
        .after(now)
        .limit(21u32)
        .send()
        .await
        .unwrap_err();
    assert_eq!(many.status().unwrap().as_u16(), 400, "{many}");
    assert!(many.message().contains("limit"), "{many}");
}

#[tokio::test]
async fn an_address_has_the_limits_of_the_anonymous_plan() {
    let (_server, client) = serve();
    // 30 requests a minute: of 61, one is the 31st of its minute if they take no longer than a minute.
    for number in 0..61 {
        let Err(error) = client.list_harbours().send().await else {
            continue;
        };
        assert!(number >= 30, "{number}: {error}");
        assert_eq!(
            (error.status().unwrap().as_u16(), error.code()),
            (429, Some("rate_limit_exceeded"))
        );
        return;
    }
    panic!("61 requests were admitted");
}
