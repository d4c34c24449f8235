//! `petstore keys` beside a running server: what it changes reaches the server within a second.

use std::path::Path;
use std::time::{Duration, Instant};

use petstore_client::types::Error;
use petstore_client::{Client, ResponseValue};
use serde_json::Value;
use tempfile::TempDir;

use super::running::Running;
use crate::binary::petstore;

/// How long a change may take to reach the server.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Runs `petstore keys`, which is to succeed, and returns what it prints as JSON.
pub fn keys(database: &Path, arguments: &[&str]) -> Value {
    let output = petstore()
        .arg("keys")
        .args(arguments)
        .args(["--json", "--database"])
        .arg(database)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {said}");
    assert_eq!(said, "", "{arguments:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Creates a key, and returns its secret.
pub fn created(database: &Path, arguments: &[&str]) -> String {
    let create = ["create", "--name", "a customer"];
    let issued = keys(database, &[&create, arguments].concat());
    issued["key"].as_str().unwrap().to_owned()
}

/// What a request with this client ends in: the limit that it is told, or the code of the error.
pub async fn ending(client: &Client) -> String {
    match client.list_pets().send().await {
        Ok(answer) => limit(&answer),
        Err(petstore_client::Error::ErrorResponse(error)) => code(&error),
        Err(other) => panic!("{other}"),
    }
}

fn limit<T>(answer: &ResponseValue<T>) -> String {
    let limit = &answer.headers()["x-ratelimit-limit"];
    limit.to_str().unwrap().to_owned()
}

fn code(error: &ResponseValue<Error>) -> String {
    error.code.clone()
}

/// Asks until the server answers so, for as long as it may take.
async fn soon(client: &Client, expected: &[&str]) {
    let begin = Instant::now();
    loop {
        let seen = ending(client).await;
        if expected.contains(&seen.as_str()) {
            return;
        }
        let waited = begin.elapsed();
        assert!(
            waited < AT_ONCE,
            "{seen}, not {expected:?}, after {waited:?}"
        );
    }
}

/// Sends until the key is banned.
pub async fn ban(client: &Client) {
    // A minute that ends meanwhile gives the key some more.
    for _ in 0..1000 {
        if ending(client).await == "api_key_banned" {
            return;
        }
    }
    panic!("a thousand requests, and no ban");
}

#[tokio::test]
async fn what_the_operator_changes_reaches_a_running_server_within_a_second() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("db");
    let server = Running::start(&database);
    let issued = keys(&database, &["create", "--name", "shop", "--plan", "free"]);
    let (id, key) = (issued["id"].to_string(), issued["key"].as_str().unwrap());
    let id = id.as_str();
    let client = server.client_of(key);
    soon(&client, &["60"]).await;

    keys(&database, &["set-plan", id, "--plan", "pro"]);
    soon(&client, &["300"]).await;

    let rotate = ["rotate", id, "--overlap", "1h"];
    let second = keys(&database, &rotate)["key"].as_str().unwrap().to_owned();
    let second = server.client_of(&second);
    soon(&second, &["300"]).await;
    assert_eq!(ending(&client).await, "300", "the old one holds on");
    let rotate = ["rotate", id, "--overlap", "0s"];
    let third = keys(&database, &rotate)["key"].as_str().unwrap().to_owned();
    let third = server.client_of(&third);
    soon(&third, &["300"]).await;
    for ended in [&client, &second] {
        soon(ended, &["revoked_api_key"]).await;
    }

    keys(&database, &["revoke", id]);
    soon(&third, &["revoked_api_key"]).await;
    let listed = keys(&database, &["list"]);
    let of_the_shop = |key: &&Value| key["name"] == "shop";
    let shop = listed.as_array().unwrap().iter().find(of_the_shop).unwrap();
    assert!(shop["revoked_at"].is_string(), "{shop}");
    server.kill();
}

#[tokio::test]
async fn a_ban_is_shown_and_lifted_while_the_server_runs() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("db");
    let server = Running::start(&database);
    let few = [
        "--plan",
        "enterprise",
        "--per-minute",
        "2",
        "--per-day",
        "9",
    ];
    let key = created(&database, &few);
    let client = server.client_of(&key);
    ban(&client).await;
    let shown = keys(&database, &["show", &key[..8]]);
    assert_eq!(shown["strikes"], 1, "{shown}");
    assert!(shown["banned_until"].is_string(), "{shown}");
    assert!(shown["last_used_at"].is_string(), "{shown}");

    keys(&database, &["unban", &key[..8]]);
    // What the windows have left is another matter.
    soon(&client, &["2", "9", "rate_limit_exceeded"]).await;
    let shown = keys(&database, &["show", &key[..8]]);
    assert_eq!(
        (&shown["strikes"], &shown["banned_until"]),
        (&0.into(), &Value::Null)
    );
    server.kill();
}

#[tokio::test]
async fn what_cannot_be_done_ends_with_2_and_one_line_and_the_server_goes_on() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("db");
    let server = Running::start(&database);
    let cases: [(&[&str], &str); 6] = [
        (&["show", "424242"], "there is no key 424242"),
        (&["revoke", "pst_none"], "there is no key"),
        (&["unban", "424242"], "there is no key 424242"),
        (
            &["set-plan", "1", "--plan", "enterprise"],
            "needs its figures",
        ),
        (
            &["create", "--name", "", "--plan", "free"],
            "1 to 100 characters",
        ),
        (&["rotate", "424242"], "there is no key 424242"),
    ];
    for (arguments, reason) in cases {
        for json in [&[][..], &["--json"]] {
            let mut command = petstore();
            command.arg("keys").args(arguments).args(json);
            let output = command.arg("--database").arg(&database).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
            assert_eq!(output.stdout, b"", "{arguments:?}");
            assert!(
                said.starts_with("petstore: ") && said.contains(reason),
                "{said}"
            );
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
    server.client.list_pets().send().await.unwrap();
    server.kill();
}
