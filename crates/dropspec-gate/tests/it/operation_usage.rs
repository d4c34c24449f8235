//! The usage of operations: what databases store.

use dropspec_gate::ApiKeys;
use dropspec_gate::rate_limit::{Ledger, OperationCount};
use futures::future::join_all;
use test_postgres::TestDatabase;

use super::fixture::{Fixture, create_key, open_postgres};

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
