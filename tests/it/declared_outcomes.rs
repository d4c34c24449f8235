//! Every declared outcome of every operation is provoked over HTTP: a status and, for an error, a code.

mod case;
mod cases;
pub mod sample_data;
mod sender;
pub mod store_fault;

use std::collections::BTreeSet;

use futures::{StreamExt, stream};
use petstore_api::Operation;
use test_support::{DeclaredOutcome, Response, TestApp};

use self::case::Case;
use self::cases::CASES;
use self::sender::FREE_LIMIT;

/// Number of cases that run at the same time.
const CONCURRENCY: usize = 6;

/// Finds the index of the case that provokes an outcome. A case of one operation goes before one of all.
fn find_case(outcome: &DeclaredOutcome) -> Option<usize> {
    let is_named = |name: &str| match (name.strip_prefix('*'), name.strip_suffix('*')) {
        (Some(end), _) => outcome.name().ends_with(end),
        (None, Some(start)) => outcome.name().starts_with(start),
        (None, None) => name == outcome.name(),
    };
    let matching = |operation: &str| {
        let mut cases = CASES.iter();
        cases.position(|(of, name, _)| *of == operation && is_named(name))
    };
    matching(&outcome.operation).or_else(|| matching("*"))
}

fn all_outcomes() -> Vec<(Operation, DeclaredOutcome)> {
    let operations = Operation::ALL.into_iter();
    let outcomes = operations.flat_map(|operation| {
        let outcomes = DeclaredOutcome::of_operation(operation).into_iter();
        outcomes.map(move |outcome| (operation, outcome))
    });
    outcomes.collect()
}

/// The failures of the outcomes that were not seen.
fn compare(operation: Operation, outcome: &DeclaredOutcome, response: &Response) -> Option<String> {
    let is_error = response.status >= 400;
    let seen = DeclaredOutcome {
        operation: operation.info().operation_id.to_owned(),
        status: response.status,
        code: is_error.then(|| response.json::<petstore_api::types::Error>().code),
    };
    if seen != *outcome {
        return Some(format!("{outcome}: was {seen}: {:?}", response.body));
    }
    let remaining = FREE_LIMIT as i64 - i64::from(operation.info().rate_limit_cost);
    let is_charged = outcome.name() != "success" || response.rate_limit().1 == remaining;
    (!is_charged).then(|| format!("{outcome}: is not charged its cost"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn every_declared_outcome_of_every_operation_is_seen() {
    let mut failures = Vec::new();
    let (mut shared, mut own) = (Vec::new(), Vec::new());
    for (operation, outcome) in all_outcomes() {
        let Some(index) = find_case(&outcome) else {
            failures.push(format!("{outcome}: declared, but no case provokes it"));
            continue;
        };
        let mut case = Case::succeeding(operation);
        CASES[index].2(&mut case);
        let cases = if case.can_share_a_server() {
            &mut shared
        } else {
            &mut own
        };
        cases.push((operation, outcome, case));
    }
    let app = TestApp::start().await;
    sample_data::create(&app).await;
    for (operation, outcome, case) in shared {
        let response = case.run_on(&app).await;
        failures.extend(compare(operation, &outcome, &response));
    }
    let compared = own.into_iter().map(async |(operation, outcome, case)| {
        let response = case.run().await;
        compare(operation, &outcome, &response)
    });
    let compared: Vec<_> = stream::iter(compared)
        .buffer_unordered(CONCURRENCY)
        .collect()
        .await;
    failures.extend(compared.into_iter().flatten());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_case_provokes_a_declared_outcome() {
    let used: BTreeSet<usize> = all_outcomes()
        .iter()
        .filter_map(|(_, outcome)| find_case(outcome))
        .collect();
    let unused: Vec<_> = (0..CASES.len())
        .filter(|case| !used.contains(case))
        .map(|case| (CASES[case].0, CASES[case].1))
        .collect();
    assert!(unused.is_empty(), "declared by no operation: {unused:?}");
}
