//! Tests of `operation_usage`.

use chrono::TimeDelta;
use dropspec_runtime::Method;

use super::*;

const OPERATIONS: [OperationInfo; 2] = [
    OperationInfo::new("list", Method::Get, "/pets"),
    OperationInfo::new("create", Method::Post, "/pets"),
];
const TODAY: i64 = 20_000;

fn counts(max: usize) -> OperationCounts {
    let inputs = [vec!["query parameter limit".to_owned()], Vec::new()];
    OperationCounts::with_limit(&OPERATIONS, max, |index| &inputs[index])
}

/// So many hours after the begin of the day [`TODAY`].
fn hour(hours: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(TODAY * 86_400, 0).unwrap() + TimeDelta::hours(hours)
}

/// The rows that are not stored yet: day, operation, input, key, requests.
fn rows(counts: &OperationCounts) -> Vec<String> {
    let unstored = counts.unstored(std::iter::empty());
    let rows = unstored.iter().map(|(id, requests)| {
        let row = counts.to_row(id, *requests);
        let day = row.day - TODAY;
        format!(
            "{day} {}/{} {} {}",
            row.operation, row.input, row.key_id, row.requests
        )
    });
    rows.collect()
}

fn store(counts: &OperationCounts) {
    let unstored = counts.unstored(std::iter::empty());
    counts.mark_stored(unstored.iter());
}

#[test]
fn requests_are_counted_by_day_operation_input_and_key() {
    let counts = counts(100);
    for (operation, key_id, time) in [(0, 7, 1), (0, 7, 23), (0, 7, 24), (1, 7, 1), (0, 8, 1)] {
        counts.count(operation, key_id, hour(time));
    }
    counts.count(0, WITHOUT_KEY, hour(-1));
    counts.count_input(0, 0, 8, hour(1));
    // Two subjects of tokens.
    counts.count(1, -1234, hour(1));
    counts.count(1, -9, hour(1));
    let expected = [
        "-1 list/ 0 1",
        "0 list/ 7 2",
        "0 list/ 8 1",
        "0 list/query parameter limit 8 1",
        "0 create/ -1 2",
        "0 create/ 7 1",
        "1 list/ 7 1",
    ];
    assert_eq!(rows(&counts), expected);
}

#[test]
fn what_is_stored_is_not_stored_again_and_leaves_memory_after_its_day() {
    let counts = counts(100);
    counts.count(0, 7, hour(1));
    counts.count(0, 7, hour(-1));
    store(&counts);
    assert!(rows(&counts).is_empty());
    counts.count(0, 7, hour(1));
    counts.count(0, 8, hour(-1));
    assert_eq!(rows(&counts), ["-1 list/ 8 1", "0 list/ 7 1"]);
    counts.remove_stored(TODAY);
    assert_eq!(rows(&counts).len(), 2, "they are not stored yet");
    assert_eq!(counts.counts.lock().len(), 2);
    store(&counts);
    counts.remove_stored(TODAY + 1);
    assert_eq!(counts.counts.lock().len(), 0);
}

#[test]
fn keys_beyond_the_limit_are_counted_together() {
    let counts = counts(3);
    for key_id in 1..=10 {
        counts.count(0, key_id, hour(1));
        counts.count(1, 1, hour(1));
    }
    let expected = [
        "0 list/ -2 8",
        "0 list/ 1 1",
        "0 list/ 2 1",
        "0 create/ 1 10",
    ];
    assert_eq!(rows(&counts), expected);
}

#[test]
fn each_operation_and_input_has_a_row_of_a_day_without_requests() {
    let counts = counts(100);
    counts.count(1, WITHOUT_KEY, hour(1));
    let unstored = counts.unstored([TODAY - 1, TODAY].into_iter());
    assert_eq!(unstored.len(), 6);
    assert_eq!(
        unstored.values().sum::<u64>(),
        1,
        "the rows of a day are not doubled"
    );
}
