//! The usage of operations: what a server counts.

use super::tiny_service::{TOKEN, send, start_with_ledger, three_a_day};

#[tokio::test]
async fn server_counts_admitted_requests_and_deprecated_inputs_and_stores_them_at_its_stop() {
    let (server, clock, ledger) = start_with_ledger(three_a_day());
    let note = Some(r#"{"text": "milk"}"#);
    let colored = Some(r#"{"text": "milk", "color": "red"}"#);
    for (path, token, body) in [
        ("/status", None, None),
        ("/status?verbose=true", Some(TOKEN), None),
        ("/notes", Some(TOKEN), note),
        ("/notes", Some(TOKEN), colored),
        // Admitted, and not valid.
        ("/notes", Some(TOKEN), Some("no JSON")),
        // Refused: without credentials, and beyond the limit.
        ("/notes", None, note),
        ("/notes", Some(TOKEN), note),
        ("/nowhere", Some(TOKEN), None),
    ] {
        send(&server, path, token, body).await;
    }
    clock.advance(2 * 24 * 60 * 60);
    server.stop().await.unwrap();
    let mut stored = ledger.usage.lock().unwrap().clone();
    let first = stored[0].0.day;
    assert!(stored.iter().all(|(_, oldest)| *oldest == first + 2 - 100));
    stored.retain(|(count, _)| count.requests > 0);
    let used = stored.iter().map(|(count, _)| {
        let input = count.input.rsplit('/').next().unwrap();
        (
            count.day - first,
            &*count.operation,
            input,
            count.key_id,
            count.requests,
        )
    });
    let expected = [
        (0, "getStatus", "", -1, 1),
        (0, "getStatus", "", 0, 1),
        (0, "getStatus", "query parameter verbose", -1, 1),
        (0, "createNote", "", -1, 3),
        (0, "createNote", "color", -1, 1),
    ];
    assert_eq!(used.collect::<Vec<_>>(), expected);
    // Two operations and two inputs, on three days.
    let days = ledger.usage.lock().unwrap();
    let markers = days.iter().filter(|(count, _)| count.key_id == 0);
    assert_eq!(markers.count(), 12);
}

#[tokio::test]
async fn day_is_counted_if_the_server_ran_for_an_hour_of_it() {
    for (seconds, expected) in [(10, 0), (3599, 0), (3600, 4)] {
        let (server, clock, ledger) = start_with_ledger(three_a_day());
        clock.advance(seconds);
        server.stop().await.unwrap();
        let stored = ledger.usage.lock().unwrap();
        assert_eq!(stored.len(), expected, "after {seconds} seconds");
    }
}

#[tokio::test]
async fn server_stores_counts_a_minute_after_the_first() {
    let (server, _, ledger) = start_with_ledger(three_a_day());
    send(&server, "/status", None, None).await;
    assert!(ledger.usage.lock().unwrap().is_empty());
    // From here on nothing but the timer is awaited.
    tokio::time::pause();
    tokio::time::sleep(std::time::Duration::from_secs(61)).await;
    assert_eq!(ledger.usage.lock().unwrap().len(), 1);
    tokio::time::resume();
    server.stop().await.unwrap();
}
