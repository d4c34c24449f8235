//! `petstore usage` beside a server that has stopped, on the backend of the tests.

use std::process::Output;

use serde_json::{Value, json};
use test_support::{ServerProcess, Storage, petstore};

fn run(storage: &Storage, arguments: &[&str]) -> Output {
    let mut command = petstore();
    storage.set_environment(&mut command);
    command.arg("usage").args(arguments).output().unwrap()
}

/// Runs the command, expects success, and returns what it prints.
fn usage(storage: &Storage, arguments: &[&str]) -> String {
    let output = run(storage, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn usage_json(storage: &Storage, arguments: &[&str]) -> Value {
    serde_json::from_str(&usage(storage, &[arguments, &["--json"]].concat())).unwrap()
}

/// The keys that called an operation: name and number of requests.
fn callers(report: &Value, operation: &str) -> Vec<(String, u64)> {
    let operations = report["operations"].as_array().unwrap();
    let found = operations.iter().find(|it| it["operation"] == operation);
    let keys = found.unwrap()["keys"].as_array().unwrap();
    let keys = keys.iter().map(|key| {
        let name = key["name"].as_str().unwrap().to_owned();
        (name, key["requests"].as_u64().unwrap())
    });
    keys.collect()
}

#[test]
fn usage_shows_which_keys_call_which_operations() {
    let mut server = ServerProcess::start();
    server.create_category("Cat");
    server.key = server.create_key(&["--plan", "free"]);
    let prefix = server.key[..8].to_owned();
    for path in ["/pets", "/pets", "/pets/1", "/pets/no-number"] {
        server.send("GET", path, "");
    }
    let storage = server.stop();

    let report = usage_json(&storage, &[]);
    assert_eq!(report["service"], "petstore");
    let operations = report["operations"].as_array().unwrap();
    assert_eq!(operations.len(), petstore_api::OPERATIONS.len());
    assert_eq!(callers(&report, "listPets"), [("a customer".to_owned(), 2)]);
    assert_eq!(callers(&report, "getPet"), [("a customer".to_owned(), 2)]);
    assert_eq!(callers(&report, "createCategory").len(), 1);
    assert!(callers(&report, "deletePet").is_empty());
    let list_pets = &report["operations"][0];
    assert_eq!(list_pets["method"], "GET");
    assert_eq!(list_pets["path"], "/pets");
    let today = &report["to"];
    assert_eq!(
        list_pets["counted"],
        json!([{ "from": today, "to": today }])
    );
    let key = &list_pets["keys"][0];
    assert_eq!(key["last"], *today);
    assert_eq!(key["days"][today.as_str().unwrap()], 2);

    let text = usage(&storage, &[]);
    assert!(text.contains("getPet (deprecated)"), "{text}");
    let of_key = usage_json(&storage, &["--key", &prefix]);
    assert_eq!(of_key["operations"].as_array().unwrap().len(), 2);
    assert_eq!(of_key["only_key"], key["key"]);
    let of_operation = usage_json(&storage, &["--operation", "getPet", "--days", "1"]);
    assert_eq!(of_operation["operations"].as_array().unwrap().len(), 1);
    for arguments in [
        ["--operation", "petGet"],
        ["--key", "pst_none"],
        ["--days", "0"],
    ] {
        assert_eq!(
            run(&storage, &arguments).status.code(),
            Some(2),
            "{arguments:?}"
        );
    }
}

#[test]
fn killed_server_loses_the_last_minute_and_a_stopped_one_nothing() {
    let server = ServerProcess::start();
    server.send("GET", "/pets", "");
    let key = server.key.clone();
    let storage = server.kill();
    let report = usage_json(&storage, &["--operation", "listPets"]);
    assert_eq!(report["operations"][0]["counted"], json!([]));
    let mut server = ServerProcess::run(petstore(), storage, &[]);
    server.key = key;
    server.send("GET", "/pets", "");
    let report = usage_json(&server.stop(), &["--operation", "listPets"]);
    assert_eq!(callers(&report, "listPets")[0].1, 1);
}
