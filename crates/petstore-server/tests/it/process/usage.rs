//! `petstore usage` beside a server that has stopped, on the backend of the tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use test_support::{ServerProcess, Storage, petstore, programs};

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

/// The program `dropspec`, which cargo builds beside `petstore`.
fn dropspec() -> PathBuf {
    Path::new(petstore().get_program()).with_file_name("dropspec")
}

/// Runs `dropspec diff` in a folder, and returns the usage of each finding about removed operations.
fn diff(folder: &Path, arguments: &[&str]) -> Vec<(String, String)> {
    let mut command = Command::new(dropspec());
    command.args(["diff", "--format", "json"]).args(arguments);
    let output = command.current_dir(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let removed = findings.iter().filter(|it| !it["usage"].is_null());
    removed
        .map(|it| {
            let line = format!("{} {}", text(&it["level"]), text(&it["usage"]["summary"]));
            (text(&it["operations"][0]), line)
        })
        .collect()
}

#[test]
fn diff_reads_what_usage_prints() {
    if programs::are_missing(&[dropspec().to_str().unwrap()], "diff by real usage") {
        return;
    }
    let mut server = ServerProcess::start();
    server.key = server.create_key(&["--plan", "free"]);
    server.send("GET", "/pets", "");
    server.send("GET", "/pets/1", "");
    let document = server.send("GET", "/openapi.json", "").body.to_vec();
    let document = String::from_utf8(document).unwrap();
    let storage = server.stop();
    let text = usage(&storage, &["--json"]);
    let today = usage_json(&storage, &[])["to"].as_str().unwrap().to_owned();

    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (base, counts) = (file("base.json", &document), file("usage.json", &text));
    let mut revision: Value = serde_json::from_str(&document).unwrap();
    for (path, method) in [
        ("/pets", "get"),
        ("/categories", "get"),
        ("/pets/{petId}", "get"),
    ] {
        let item = revision["paths"][path].as_object_mut().unwrap();
        item.remove(method).unwrap();
    }
    let revision = file("revision.json", &revision.to_string());

    let used = format!("error used by 1 key in the last 30 days (last on {today})");
    let unused = format!("error not used by any key since {today} (counted days: 1)");
    let mut found = diff(
        folder.path(),
        &[&base, &revision, "--today", &today, "--usage", &counts],
    );
    found.sort();
    assert_eq!(
        found,
        [
            ("GET /categories".to_owned(), unused),
            ("GET /pets".to_owned(), used.clone()),
            ("GET /pets/{petId}".to_owned(), used),
        ]
    );
    // One day of the service proves nothing about thirty.
    let allowing = ["--usage", &counts, "--allow-unused-for", "30"];
    let arguments = [&[&base, &revision, "--today", &*today][..], &allowing].concat();
    let found = diff(folder.path(), &arguments);
    assert!(
        found.iter().all(|(_, line)| line.starts_with("error ")),
        "{found:?}"
    );
}
