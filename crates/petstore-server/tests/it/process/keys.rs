//! `petstore keys` as a process, also beside a running server. The commands are tested in `spec-gate`.

use std::time::{Duration, Instant};

use petstore_client::Client;
use serde_json::Value;
use tempfile::TempDir;
use test_support::files::read_files;
use test_support::process::TIMEOUT;
use test_support::{Backend, ServerProcess, petstore, poll_until};

/// Sends a request, and returns the rate limit in its response, or its error code.
pub async fn limit_or_error(client: &Client) -> String {
    match client.list_pets().send().await {
        Ok(pets) => {
            let limit = &pets.headers()["x-ratelimit-limit"];
            limit.to_str().unwrap().to_owned()
        }
        Err(petstore_client::RequestError::ErrorResponse(error)) => error.code.clone(),
        Err(other) => panic!("{other}"),
    }
}

/// Sends requests until the key of `client` is banned.
pub async fn send_until_banned(client: &Client) {
    // Each new minute admits some more.
    for _ in 0..1000 {
        if limit_or_error(client).await == "api_key_banned" {
            return;
        }
    }
    panic!("no ban after 1000 requests");
}

#[test]
fn log_has_the_first_refused_request_of_a_key_in_a_second_and_counts_the_others() {
    let mut server = ServerProcess::start();
    let limits = ["--per-minute", "1", "--per-day", "100"];
    server.key = server.create_key(&[&["--plan", "enterprise"][..], &limits].concat());
    let line = poll_until("a line that counts others", || {
        for _ in 0..50 {
            server.send("GET", "/pets", "");
        }
        let lines = server.read_log();
        lines.into_iter().find(|line| line["left_out"].is_u64())
    });
    assert_eq!(line["status"], 429);
    assert_eq!(line["key"], server.key[..8]);
    assert!(line["left_out"].as_u64() > Some(0), "{line}");
}

#[test]
fn failed_commands_end_with_status_2_and_one_line() {
    let server = ServerProcess::start();
    for (command, reason) in [
        ("show 424242", "there is no key 424242"),
        (
            "set-plan 1 --plan enterprise",
            "--per-minute N and --per-day N",
        ),
    ] {
        for json in [None, Some("--json")] {
            let mut keys = petstore();
            server.storage.set_environment(&mut keys);
            keys.arg("keys").args(command.split(' ')).args(json);
            assert_fails(keys.output().unwrap(), reason);
        }
    }
    assert_eq!(server.send("GET", "/pets", "").status, 200);
}

#[test]
fn files_that_are_not_a_database_are_rejected_and_left_alone() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "milk").unwrap();
    let before = read_files(folder.path());
    for (name, reason) in [
        ("none.db", "create one with `petstore serve`"),
        ("notes.txt", "not a SQLite database"),
    ] {
        let mut keys = petstore();
        keys.args(["keys", "list", "--database"]);
        let output = keys.arg(folder.path().join(name)).output();
        assert_fails(output.unwrap(), reason);
    }
    assert!(read_files(folder.path()) == before);
}

#[track_caller]
fn assert_fails(output: std::process::Output, reason: &str) {
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert_eq!(output.stdout, b"");
    assert!(
        stderr.starts_with("petstore: ") && stderr.contains(reason),
        "{stderr}"
    );
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}
