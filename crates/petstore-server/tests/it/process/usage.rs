//! `petstore usage` beside a server that has stopped, on the backend of the tests.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use test_support::{ServerProcess, Storage, error_line, petstore, programs};

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

/// The report of an operation.
fn find<'r>(report: &'r Value, operation: &str) -> &'r Value {
    let mut operations = report["operations"].as_array().unwrap().iter();
    operations.find(|it| it["operation"] == operation).unwrap()
}

#[test]
fn usage_shows_which_keys_call_which_operations() {
    let mut server = ServerProcess::start();
    server.key = server.create_key(&["--plan", "free"]);
    let prefix = server.key[..8].to_owned();
    for path in ["/pets", "/pets", "/pets/1", "/pets/no-number"] {
        server.send("GET", path, "");
    }
    let storage = server.stop();
    let report = usage_json(&storage, &[]);
    let operations = report["operations"].as_array().unwrap();
    assert_eq!(operations.len(), petstore_api::OPERATIONS.len());
    let (today, pets) = (&report["to"], find(&report, "listPets"));
    assert_eq!(
        (&pets["method"], &pets["path"]),
        (&json!("GET"), &json!("/pets"))
    );
    assert_eq!(pets["counted"], json!([{ "from": today, "to": today }]));
    let key = &pets["keys"][0];
    let seen = (&key["name"], &key["requests"], &key["last"]);
    assert_eq!(seen, (&json!("a customer"), &json!(2), today));
    assert_eq!(find(&report, "getPet")["keys"][0]["requests"], 2);
    assert_eq!(find(&report, "deletePet")["keys"], json!([]));

    let text = usage(&storage, &[]);
    assert!(text.contains("getPet (deprecated)"), "{text}");
    let of_key = usage_json(&storage, &["--key", &prefix]);
    assert_eq!(of_key["operations"].as_array().unwrap().len(), 2);
    let of_operation = usage_json(&storage, &["--operation", "getPet", "--days", "1"]);
    assert_eq!(of_operation["operations"].as_array().unwrap().len(), 1);
    for arguments in [["--operation", "petGet"], ["--key", "pst_none"]] {
        error_line(&run(&storage, &arguments));
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
    assert_eq!(report["operations"][0]["keys"][0]["requests"], 1);
}

#[test]
fn diff_reads_what_usage_prints() {
    // Cargo builds it beside `petstore`.
    let dropspec = Path::new(petstore().get_program()).with_file_name("dropspec");
    if programs::are_missing(&[dropspec.to_str().unwrap()], "diff by real usage") {
        return;
    }
    let mut server = ServerProcess::start();
    server.key = server.create_key(&["--plan", "free"]);
    server.send("GET", "/pets", "");
    let document = server.send("GET", "/openapi.json", "");
    let mut revision: Value = document.json();
    for path in ["/pets", "/categories"] {
        let item = revision["paths"][path].as_object_mut().unwrap();
        item.remove("get").unwrap();
    }
    let storage = server.stop();
    let today = usage_json(&storage, &[])["to"].as_str().unwrap().to_owned();
    for (name, text) in [
        ("base.json", document.text()),
        ("revision.json", &revision.to_string()),
        ("usage.json", &usage(&storage, &["--json"])),
    ] {
        std::fs::write(storage.path().join(name), text).unwrap();
    }
    let mut diff = Command::new(dropspec);
    diff.current_dir(storage.path())
        .args(["diff", "--format", "json", "base.json", "revision.json"])
        .args(["--today", &today, "--usage", "usage.json"]);
    let output = diff.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let summaries = findings.iter().filter(|it| !it["usage"].is_null());
    let mut summaries: Vec<String> = summaries
        .map(|it| format!("{} {}", it["operations"][0], it["usage"]["summary"]))
        .collect();
    summaries.sort();
    // The server ran for less than an hour.
    let unused = "usage is not known: there is no counted day".to_owned();
    let used = format!("used by 1 key in the last 30 days (last on {today})");
    let expected = [("GET /categories", unused), ("GET /pets", used)];
    assert_eq!(
        summaries,
        expected.map(|(it, text)| format!("{it:?} {text:?}"))
    );
}
