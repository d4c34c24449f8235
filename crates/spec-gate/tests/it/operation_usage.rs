//! The usage of operations: what a server counts, and what databases store.

use futures::future::join_all;
use spec_gate::ApiKeys;
use spec_gate::rate_limit::{Ledger, OperationCount};
use test_postgres::TestDatabase;

use super::fixture::{Fixture, create_key, open_postgres};
use super::tiny_service::{TOKEN, send, start_with_ledger, three_a_day};

const TODAY: i64 = 20_000;

fn count(day: i64, operation: &str, input: &str, key_id: i64, requests: u64) -> OperationCount {
    OperationCount {
        day,
        operation: operation.to_owned(),
        input: input.to_owned(),
        key_id,
        requests,
    }
}

/// What is stored since a day, with the names of keys.
async fn read(keys: &ApiKeys, first_day: i64) -> Vec<String> {
    let counts = keys.read_operation_usage(first_day).await.unwrap();
    let rows = counts.iter().map(|it| {
        let (count, name) = (&it.count, it.key_name.as_deref().unwrap_or("-"));
        let (day, key) = (count.day - TODAY, count.key_id);
        format!(
            "{}/{} {key} {name} {day}: {}",
            count.operation, count.input, count.requests
        )
    });
    rows.collect()
}

async fn counts_are_added_by_row_and_old_days_are_deleted(keys: &ApiKeys) {
    let id = create_key(keys).await;
    let first = vec![
        count(TODAY, "list", "", 0, 0),
        count(TODAY, "list", "", id, 2),
        count(TODAY, "list", "query parameter limit", id, 1),
        count(TODAY - 9, "list", "", id, 5),
        count(TODAY, "create", "", 77, 4),
    ];
    keys.add_operation_usage(first, TODAY - 9).await.unwrap();
    let second = vec![
        count(TODAY, "list", "", id, 3),
        count(TODAY, "list", "", 0, 1),
    ];
    keys.add_operation_usage(second, TODAY - 9).await.unwrap();
    let today = [
        "create/ 77 - 0: 4".to_owned(),
        "list/ 0 - 0: 1".to_owned(),
        format!("list/ {id} test 0: 5"),
        format!("list/query parameter limit {id} test 0: 1"),
    ];
    assert_eq!(read(keys, TODAY).await, today);
    assert_eq!(read(keys, TODAY - 9).await.len(), 5);
    keys.add_operation_usage(Vec::new(), TODAY - 8)
        .await
        .unwrap();
    assert_eq!(read(keys, TODAY - 9).await, today);
}

#[tokio::test]
async fn sqlite_adds_counts_by_row_and_deletes_old_days() {
    counts_are_added_by_row_and_old_days_are_deleted(&Fixture::new().keys).await;
}

#[tokio::test]
async fn postgres_adds_counts_by_row_and_deletes_old_days() {
    if let Some(database) = TestDatabase::create("operation_usage") {
        let keys = open_postgres(database.url()).await;
        counts_are_added_by_row_and_old_days_are_deleted(&keys).await;
    }
}

#[tokio::test]
async fn counts_of_several_servers_add_up() {
    let Some(database) = TestDatabase::create("counts_of_several_servers") else {
        return;
    };
    let mut servers = Vec::new();
    for _ in 0..3 {
        servers.push(open_postgres(database.url()).await);
    }
    // Each in another order.
    let rows = |server: usize| {
        let keys = 0..20;
        let mut rows: Vec<_> = keys.map(|key| count(TODAY, "list", "", key, 1)).collect();
        rows.rotate_left(server * 7);
        rows
    };
    let calls = (0..30).map(|call| servers[call % 3].add_operation_usage(rows(call % 3), TODAY));
    for added in join_all(calls).await {
        added.unwrap();
    }
    let stored = servers[0].read_operation_usage(TODAY).await.unwrap();
    assert_eq!(stored.len(), 20);
    assert!(
        stored.iter().all(|it| it.count.requests == 30),
        "{stored:?}"
    );
}

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
async fn server_stores_counts_a_minute_after_the_first() {
    let (server, _, ledger) = start_with_ledger(three_a_day());
    send(&server, "/status", None, None).await;
    assert!(ledger.usage.lock().unwrap().is_empty());
    // From here on nothing but the timer is awaited.
    tokio::time::pause();
    tokio::time::sleep(std::time::Duration::from_secs(61)).await;
    assert_eq!(ledger.usage.lock().unwrap().len(), 4);
    tokio::time::resume();
    server.stop().await.unwrap();
}
