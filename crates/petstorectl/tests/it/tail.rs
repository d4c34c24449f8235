//! `tail`: the requests of the key, until Ctrl-C.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use test_support::TestApp;

use crate::command::without_settings;

/// Starts `tail` with these arguments, and waits until it is connected.
fn start(url: &str, key: &str, arguments: &[&str]) -> (Child, impl FnMut() -> String + use<>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstorectl"));
    without_settings(&mut command)
        .args(["--url", url, "--key", key, "tail"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut notes = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = notes.next().unwrap().unwrap();
    assert!(first.contains("requests that the server"), "{first}");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, move || lines.next().unwrap().unwrap())
}

/// Presses Ctrl-C, and returns the exit code.
fn interrupt(mut child: Child) -> Option<i32> {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    child.wait().unwrap().code()
}

#[tokio::test(flavor = "multi_thread")]
async fn shows_the_requests_of_the_key_until_ctrl_c() {
    let app = TestApp::start().await;
    let url = app.server().base_url();
    let (child, mut line) = start(&url, app.owner_key(), &["--output", "jsonl"]);
    let (table, mut row) = start(&url, app.owner_key(), &[]);
    let other = app.create_free_key().await;
    app.caller(&other).get("/pets").await;
    app.get("/pets/7").await;

    let request: Value = serde_json::from_str(&line()).unwrap();
    assert_eq!(
        request["path"], "/pets/7",
        "not those of the other key: {request}"
    );
    assert_eq!(
        (&request["status"], &request["code"]),
        (&404.into(), &"pet_not_found".into())
    );
    assert!(row().starts_with("TIME "));
    let row = row();
    for cell in ["GET", "404", " ms", "getPet", "/pets/7", "pet_not_found"] {
        assert!(row.contains(cell), "{cell} is not in {row}");
    }
    assert_eq!([interrupt(child), interrupt(table)], [Some(0); 2]);
}
