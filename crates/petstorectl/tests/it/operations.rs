//! Every operation as a command.

use std::collections::BTreeSet;

use petstore_api::OPERATIONS;
use serde_json::{Value, json};
use test_support::{TestApp, examples};

use crate::command::ctl;

/// `listPets` becomes `list-pets`.
fn kebab(operation_id: &str) -> String {
    let letters = operation_id.chars().map(|letter| {
        if letter.is_ascii_uppercase() {
            format!("-{}", letter.to_ascii_lowercase())
        } else {
            letter.to_string()
        }
    });
    letters.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_every_operation() {
    let app = TestApp::start().await;
    let kitten = json!({ "id": 1, "name": "Kit", "categoryId": 1, "status": "available" });
    let mittens = json!({ "id": 1, "name": "Mittens", "categoryId": 1, "status": "available" });
    let item = json!({ "petId": 1, "quantity": 5, "status": "available" });
    let left = json!([{ "petId": 1, "quantity": 2, "status": "available" }]);
    let order = |units: i64| json!({ "id": 1, "petId": 1, "quantity": units, "complete": false });
    let lines = [
        (
            "create-category --name Cat",
            json!({ "id": 1, "name": "Cat" }),
        ),
        ("get-category 1", json!({ "id": 1, "name": "Cat" })),
        (
            "replace-category 1 --name Dog",
            json!({ "id": 1, "name": "Dog" }),
        ),
        ("list-categories", json!([{ "id": 1, "name": "Dog" }])),
        (
            "create-pet --name Kit --category-id 1 --idempotency-key mine",
            kitten,
        ),
        (
            "replace-pet --pet-id 1 --name Mittens --category-id 1",
            mittens.clone(),
        ),
        ("get-pet --pet-id 1", mittens.clone()),
        ("list-pets --status available --limit 1", json!([mittens])),
        ("set-inventory --pet-id 1 --quantity 5", item.clone()),
        ("get-inventory 1", item),
        ("place-order --pet-id 1 --quantity 2", order(2)),
        ("update-order 1 --quantity 3", order(3)),
        ("get-order --order-id 1", order(3)),
        ("list-orders --pet-id 1 --complete false", json!([order(3)])),
        ("list-inventory", left),
        ("cancel-order 1", Value::Null),
        ("delete-pet --pet-id 1", Value::Null),
        ("delete-category --category-id 1", Value::Null),
    ];
    let name = |line: &str| line.split(' ').next().unwrap().to_owned();
    let mut done: BTreeSet<String> = lines.iter().map(|(line, _)| name(line)).collect();
    // What the others may refer to is deleted last.
    let is_last = |(_, expected): &(&str, Value)| expected.is_null();
    let (last, lines): (Vec<_>, Vec<_>) = lines.into_iter().partition(is_last);
    for (line, expected) in lines {
        let run = ctl(&app, &format!("{line} --output json")).await;
        assert_eq!(run.json(), expected, "{line}");
    }

    let limits = ctl(&app, "get-rate-limit --output json").await;
    assert_eq!(limits.json()["plan"], "enterprise");
    done.insert("get-rate-limit".to_owned());

    // The other operations succeed with the examples of the document, in this order.
    for method in ["POST", "GET", "PUT", "PATCH", "DELETE"] {
        for operation in OPERATIONS.iter().filter(|it| it.method.as_str() == method) {
            let command = kebab(operation.operation_id);
            if !done.insert(command.clone()) {
                continue;
            }
            let ids = operation.path.matches('{').map(|_| " 1");
            let line = ids.fold(command, |line, id| line + id);
            let run = match examples::example_of_body(operation) {
                Some(body) => {
                    let file = tempfile::NamedTempFile::new().unwrap();
                    std::fs::write(&file, body.to_string()).unwrap();
                    ctl(
                        &app,
                        &format!("{line} --body-file {}", file.path().display()),
                    )
                    .await
                }
                None => ctl(&app, &line).await,
            };
            assert_eq!(run.code, Some(0), "{line}: {}", run.err);
        }
    }
    for (line, _) in last {
        let run = ctl(&app, &format!("{line} --output json")).await;
        let outcome = (run.code, run.out.as_str());
        assert_eq!(outcome, (Some(0), ""), "{line}: {}", run.err);
    }
}
