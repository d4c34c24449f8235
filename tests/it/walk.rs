//! Walks the operation table and the document: every declared outcome of every operation has a scene that provokes
//! it over HTTP.

mod scene;
mod scenes;
mod sender;
pub mod stage;
pub mod trouble;

use std::collections::BTreeSet;

use futures::{StreamExt, stream};
use petstore_api::Operation;
use test_support::Outcome;

use self::scene::Scene;
use self::scenes::SCENES;

/// Scenes that are played at the same time.
const AT_ONCE: usize = 6;

/// The scene of an outcome, as a position in the table. A scene of one operation goes before one of all.
fn scene_of(outcome: &Outcome) -> Option<usize> {
    let matching = |operation: &str| {
        SCENES.iter().position(|(of, code, _)| {
            *of == operation && *code == outcome.code.as_deref().unwrap_or("success")
        })
    };
    matching(&outcome.operation).or_else(|| matching("*"))
}

fn declared() -> Vec<(Operation, Outcome)> {
    let operations = Operation::ALL.into_iter();
    let outcomes = operations.flat_map(|operation| {
        let outcomes = Outcome::declared(operation).into_iter();
        outcomes.map(move |outcome| (operation, outcome))
    });
    outcomes.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn every_declared_outcome_is_seen() {
    let scenes = declared().into_iter().map(async |(operation, outcome)| {
        let Some(found) = scene_of(&outcome) else {
            return Err(format!("{outcome}: declared, but no scene provokes it"));
        };
        let (_, _, arrange) = SCENES[found];
        let mut scene = Scene::of(operation);
        arrange(&mut scene);
        let answer = scene.play().await;
        let code = answer.status.is_client_error() || answer.status.is_server_error();
        let seen = Outcome {
            operation: operation.info().operation_id.to_owned(),
            status: answer.status.as_u16(),
            code: code.then(|| answer.json::<petstore_api::types::Error>().code),
        };
        if seen == outcome {
            Ok(outcome)
        } else {
            Err(format!("{outcome}: ended as {seen}: {:?}", answer.body))
        }
    });
    let ended: Vec<_> = stream::iter(scenes)
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    let (seen, failures): (Vec<_>, Vec<_>) = ended.into_iter().partition(Result::is_ok);
    let failures: Vec<String> = failures.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // Nothing is left out.
    let seen: BTreeSet<Outcome> = seen.into_iter().filter_map(Result::ok).collect();
    let declared: BTreeSet<Outcome> = declared().into_iter().map(|(_, one)| one).collect();
    assert_eq!(seen, declared);
}

#[test]
fn every_scene_is_for_a_declared_outcome() {
    let used: BTreeSet<usize> = declared()
        .iter()
        .filter_map(|(_, outcome)| scene_of(outcome))
        .collect();
    let idle: Vec<_> = (0..SCENES.len())
        .filter(|scene| !used.contains(scene))
        .map(|scene| (SCENES[scene].0, SCENES[scene].1))
        .collect();
    assert!(idle.is_empty(), "declared by no operation: {idle:?}");
}
