//! Walks the operation table and the document: every declared outcome of every operation has a scene that provokes
//! it over HTTP, or stands in the list of what is still to come.

mod scene;
mod scenes;
mod stage;

use std::collections::BTreeSet;

use futures::{StreamExt, stream};
use petstore_api::{OPERATIONS, Operation};
use petstore_e2e::Outcome;

use self::scene::Scene;
use self::scenes::SCENES;

/// What comes with API keys and the counting of requests: these statuses of every operation, and all that getRateLimit
/// has to say.
const NEXT_ISSUE_STATUSES: [u16; 3] = [401, 403, 429];
const NEXT_ISSUE_OPERATION: (&str, [u16; 3]) = ("getRateLimit", [200, 500, 503]);

/// Scenes that are played at the same time.
const AT_ONCE: usize = 6;

fn is_for_the_next_issue(outcome: &Outcome) -> bool {
    let (operation, statuses) = NEXT_ISSUE_OPERATION;
    NEXT_ISSUE_STATUSES.contains(&outcome.status)
        || (outcome.operation == operation && statuses.contains(&outcome.status))
}

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
    let scenes = declared()
        .into_iter()
        .filter(|(_, outcome)| !is_for_the_next_issue(outcome))
        .map(async |(operation, outcome)| {
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
                Ok(())
            } else {
                Err(format!("{outcome}: ended as {seen}: {:?}", answer.body))
            }
        });
    let ended: Vec<_> = stream::iter(scenes)
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    let failures: Vec<String> = ended.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
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

/// The list can only shrink: what it names is declared, and no scene provokes it yet.
#[tokio::test]
async fn the_next_issue_brings_what_is_listed_and_nothing_else() {
    let (operation, statuses) = NEXT_ISSUE_OPERATION;
    let listed = declared().into_iter().map(|(_, outcome)| outcome);
    let listed: BTreeSet<Outcome> = listed.filter(is_for_the_next_issue).collect();
    let provoked: Vec<_> = listed
        .iter()
        .filter(|outcome| outcome.operation != operation && scene_of(outcome).is_some())
        .collect();
    assert!(provoked.is_empty(), "remove from the list: {provoked:?}");
    for status in NEXT_ISSUE_STATUSES {
        let declared = listed.iter().any(|outcome| outcome.status == status);
        assert!(declared, "{status} is not declared");
    }
    for status in statuses {
        let declared = |outcome: &&Outcome| outcome.operation == operation;
        let declared = listed.iter().filter(declared).any(|o| o.status == status);
        assert!(declared, "{operation} declares no {status}");
    }
    assert!(OPERATIONS.iter().any(|info| info.operation_id == operation));

    // While requests are not counted nobody is told limits, nor asked for a key.
    let app = petstore_e2e::TestApp::start().await;
    assert_eq!(app.get("/rate-limit").await.status, 503);
    assert_eq!(app.get("/pets").await.status, 200);
}
