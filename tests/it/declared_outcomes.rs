//! Every declared outcome of every operation is provoked over HTTP: a status and, for an error, a code.

mod case;
mod cases;
pub mod sample_data;
mod sender;
pub mod store_fault;

use std::collections::BTreeSet;

use futures::{StreamExt, stream};
use petstore_api::Operation;
use test_support::DeclaredOutcome;

use self::case::Case;
use self::cases::CASES;

/// Number of cases that run at the same time.
const CONCURRENCY: usize = 6;

/// Finds the index of the case that provokes an outcome. A case of one operation goes before one of all.
fn find_case(outcome: &DeclaredOutcome) -> Option<usize> {
    let is_named = |name: &str| match name.strip_prefix('*') {
        Some(end) => outcome.name().ends_with(end),
        None => name == outcome.name(),
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

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn every_declared_outcome_of_every_operation_is_seen() {
    let cases = all_outcomes()
        .into_iter()
        .map(async |(operation, outcome)| {
            let Some(index) = find_case(&outcome) else {
                return Err(format!("{outcome}: declared, but no case provokes it"));
            };
            let (_, _, arrange) = CASES[index];
            let mut case = Case::succeeding(operation);
            arrange(&mut case);
            let response = case.run().await;
            let is_error = response.status >= 400;
            let seen = DeclaredOutcome {
                operation: operation.info().operation_id.to_owned(),
                status: response.status,
                code: is_error.then(|| response.json::<petstore_api::types::Error>().code),
            };
            if seen == outcome {
                Ok(outcome)
            } else {
                Err(format!("{outcome}: was {seen}: {:?}", response.body))
            }
        });
    let results: Vec<_> = stream::iter(cases)
        .buffer_unordered(CONCURRENCY)
        .collect()
        .await;
    let (seen, failures): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    let failures: Vec<String> = failures.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let seen: BTreeSet<DeclaredOutcome> = seen.into_iter().filter_map(Result::ok).collect();
    let declared = all_outcomes().into_iter().map(|(_, outcome)| outcome);
    assert_eq!(seen, declared.collect());
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
