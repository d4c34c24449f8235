//! Every operation as a command.

use std::collections::BTreeSet;

use petstore_api::OPERATIONS;
use serde_json::{Value, json};
use test_support::{TestApp, examples};

use crate::command::{ctl, ctl_with_input};

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
    let mut done = BTreeSet::new();
    for (line, expected) in lines {
        let run = ctl(&app, &format!("{line} --output json")).await;
        if expected.is_null() {
            assert_eq!(
                (run.code, run.out.as_str()),
                (Some(0), ""),
                "{line}: {}",
                run.err
            );
        } else {
            assert_eq!(run.json(), expected, "{line}");
        }
        done.insert(line.split(' ').next().unwrap().to_owned());
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
                    ctl_with_input(&app, &format!("{line} --json-body -"), &body.to_string()).await
                }
                None => ctl(&app, &line).await,
            };
            assert_eq!(run.code, Some(0), "{line}: {}", run.err);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_body_from_file_and_overrides_it_by_options() {
    let app = TestApp::start().await;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(
        file.path(),
        r#"{"name": "Cat", "description": "Domestic cats"}"#,
    )
    .unwrap();
    let line = format!(
        "create-category --output json --json-body {}",
        file.path().display()
    );

    let first = ctl(&app, &line).await;
    let created = first.json();
    let renamed = ctl(&app, &format!("{line} --name Dog")).await.json();

    let (id, name) = (
        first.out.find("\"id\"").unwrap(),
        first.out.find("\"name\"").unwrap(),
    );
    assert!(
        id < name && name < first.out.find("\"description\"").unwrap(),
        "{}",
        first.out
    );
    assert_eq!(
        created,
        json!({ "id": 1, "name": "Cat", "description": "Domestic cats" })
    );
    assert_eq!(
        renamed,
        json!({ "id": 2, "name": "Dog", "description": "Domestic cats" }),
        "the option overrides the file"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_body_of_every_operation_from_standard_input() {
    let app = TestApp::start().await;
    app.create_pet_with_stock("Mittens", 12).await;
    let lines = [
        ("create-category", r#"{"name": "Dog"}"#),
        ("replace-category --category-id 1", r#"{"name": "Feline"}"#),
        ("create-pet", r#"{"name": "Bo", "categoryId": 1}"#),
        (
            "replace-pet --pet-id 1",
            r#"{"name": "Kit", "categoryId": 1}"#,
        ),
        ("place-order", r#"{"petId": 1}"#),
        ("update-order --order-id 1", r#"{"quantity": 2}"#),
        ("set-inventory --pet-id 1", r#"{"quantity": 3}"#),
    ];
    for (line, body) in lines {
        let run = ctl_with_input(&app, &format!("{line} --json-body -"), body).await;
        assert_eq!(run.code, Some(0), "{line}: {}", run.err);
    }
    let mistaken = ctl_with_input(&app, "create-category --json-body -", "{\n \"name\": 1}").await;
    assert_eq!(mistaken.code, Some(2));
    assert_eq!(
        mistaken.err,
        "petstorectl: standard input is not a body of this request: invalid type: integer `1`, expected a string \
         at line 2 column 10\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn mistake_in_body_file_names_file_and_position() {
    let app = TestApp::start().await;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "{\n  \"name\": \"Cat\",\n}").unwrap();
    let name = file.path().display();
    let failed = ctl(&app, &format!("create-category --json-body {name}")).await;
    assert_eq!(failed.code, Some(2));
    let expected = format!(
        "petstorectl: {name} is not a body of this request: trailing comma at line 3 column 1\n"
    );
    assert_eq!(failed.err, expected);
}
