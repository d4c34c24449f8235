//! `petstore keys`, also beside a running server.

use chrono::{DateTime, TimeDelta};
use petstore_client::Client;
use petstore_server::auth::{ApiKey, Identity};
use serde_json::Value;
use tempfile::TempDir;
use test_support::files::read_files;
use test_support::{ServerProcess, petstore, run_keys};

use crate::limiter::fixture::Fixture;

/// The limit that a request with this client is told, or the code of its error.
pub async fn limit_or_error(client: &Client) -> String {
    match client.list_pets().send().await {
        Ok(pets) => {
            let limit = &pets.headers()["x-ratelimit-limit"];
            limit.to_str().unwrap().to_owned()
        }
        Err(petstore_client::Error::ErrorResponse(error)) => error.code.clone(),
        Err(other) => panic!("{other}"),
    }
}

/// Sends until the key is banned.
pub async fn send_until_banned(client: &Client) {
    // Each new minute admits some more.
    for _ in 0..1000 {
        if limit_or_error(client).await == "api_key_banned" {
            return;
        }
    }
    panic!("no ban after 1000 requests");
}

#[tokio::test]
async fn changes_of_a_key_apply_to_the_next_request_of_a_running_server() {
    let server = ServerProcess::start();
    let keys = |arguments: &[&str]| run_keys(&server.database(), arguments);
    let client = |issued: &Value| server.client_with_key(issued["key"].as_str().unwrap());
    let issued = keys(&["create", "--name", "shop", "--plan", "free"]);
    let (id, prefix) = (issued["id"].to_string(), issued["prefix"].as_str().unwrap());
    let first = client(&issued);
    assert_eq!(limit_or_error(&first).await, "60");

    let changed = keys(&["set-plan", prefix, "--plan", "pro"]);
    assert_eq!(
        (&changed["plan"], &changed["per_minute"]),
        (&"pro".into(), &300.into())
    );
    assert_eq!(limit_or_error(&first).await, "300");

    let second = client(&keys(&["rotate", &id]));
    for secret in [&first, &second] {
        assert_eq!(limit_or_error(secret).await, "300");
    }
    let third = client(&keys(&["rotate", &id, "--overlap", "0s"]));
    assert_eq!(limit_or_error(&third).await, "300");
    for secret in [&first, &second] {
        assert_eq!(limit_or_error(secret).await, "revoked_api_key");
    }

    keys(&["revoke", &id]);
    assert_eq!(limit_or_error(&third).await, "revoked_api_key");
    let listed = keys(&["list"]);
    let is_shop = |key: &&Value| key["name"] == "shop";
    let shop = listed.as_array().unwrap().iter().find(is_shop).unwrap();
    assert!(shop["revoked_at"].is_string(), "{shop}");
}

#[tokio::test]
async fn created_key_is_shown_in_full_only_once() {
    let server = ServerProcess::start();
    let create = [
        "create", "--name", "shop", "--plan", "pro", "--access", "read",
    ];
    let issued = run_keys(&server.database(), &create);
    assert_eq!(
        (&issued["plan"], &issued["access"]),
        (&"pro".into(), &"read".into())
    );
    let key = ApiKey::parse(issued["key"].as_str().unwrap()).unwrap();
    let id = issued["id"].to_string();
    for arguments in [&["list"][..], &["show", &id]] {
        let output = petstore()
            .args(["keys", "--database"])
            .arg(server.database())
            .args(arguments)
            .output();
        let printed = String::from_utf8(output.unwrap().stdout).unwrap();
        let short = format!("{}…{}", key.prefix(), key.last4());
        assert!(printed.contains(&short), "{printed}");
        let json = run_keys(&server.database(), arguments).to_string();
        assert!(!(printed + &json).contains(key.expose()), "{arguments:?}");
    }
}

#[test]
fn rotated_key_is_accepted_for_24_hours_by_default() {
    let server = ServerProcess::start();
    let rotated = run_keys(&server.database(), &["rotate", "1"]);
    let shown = run_keys(&server.database(), &["show", "1"]);
    let time = |value: &Value| DateTime::parse_from_rfc3339(value.as_str().unwrap()).unwrap();
    let secrets = shown["secrets"].as_array().unwrap();
    assert_eq!(secrets.len(), 2);
    let overlap = time(&rotated["old_accepted_until"]) - time(&secrets[0]["created_at"]);
    assert_eq!(overlap, TimeDelta::hours(24));
}

#[tokio::test]
async fn show_lists_usage_strikes_and_ban_and_unban_clears_the_ban() {
    // So far ahead of the real clock that its windows have not ended.
    const NOON_2100: i64 = 4_102_488_000;
    let fixture = Fixture::new();
    let database = fixture.database();
    let create = ["create", "--name", "shop", "--plan", "enterprise"];
    let limits = ["--per-minute", "60", "--per-day", "1000"];
    let issued = run_keys(&database, &[&create[..], &limits].concat());
    let key = ApiKey::parse(issued["key"].as_str().unwrap()).unwrap();
    let Identity::Key(caller) = fixture.identify(&key, NOON_2100) else {
        panic!("the key is not valid");
    };
    assert_eq!(caller.account.limits.per_minute, 60);
    assert_eq!(fixture.admitted_of(121, &key, NOON_2100).await, 60);
    fixture.limiter.close().await.unwrap();

    let shown = run_keys(&database, &["show", "1"]);
    let day = &shown["day"];
    assert_eq!((&day["used"], &day["limit"]), (&60.into(), &1000.into()));
    assert_eq!(shown["strikes"], 1);
    assert_eq!(shown["banned_until"], "2100-01-01T12:02:00Z");
    assert!(shown["last_used_at"].is_string(), "{shown}");

    run_keys(&database, &["unban", "1"]);
    let shown = run_keys(&database, &["show", "1"]);
    assert_eq!(shown["strikes"], 0);
    assert_eq!(shown.get("banned_until"), Some(&Value::Null));
}

#[test]
fn failed_commands_end_with_status_2_and_one_line() {
    let server = ServerProcess::start();
    let create = "create --name x --plan";
    for (command, reason) in [
        ("show 424242", "there is no key 424242"),
        ("revoke pst_none", "there is no key"),
        ("unban 424242", "there is no key 424242"),
        ("rotate 424242", "there is no key 424242"),
        ("set-plan 1 --plan enterprise", "needs its figures"),
        ("create --name= --plan free", "1 to 100 characters"),
        (
            &format!("{create} free --per-minute 7 --per-day 70"),
            "plan free are fixed",
        ),
        (&format!("{create} enterprise"), "needs its figures"),
        (
            &format!("{create} enterprise --per-minute 0 --per-day 70"),
            "out of bounds",
        ),
        (
            &format!("{create} enterprise --per-minute 71 --per-day 70"),
            "never be sent",
        ),
    ] {
        for json in [None, Some("--json")] {
            let mut keys = petstore();
            keys.arg("keys").args(command.split(' ')).args(json);
            let output = keys.arg("--database").arg(server.database()).output();
            assert_fails(output.unwrap(), reason);
        }
    }
    let revoke = ["revoke", "1"];
    run_keys(&server.database(), &revoke);
    let mut keys = petstore();
    keys.arg("keys").args(revoke);
    let output = keys.arg("--database").arg(server.database()).output();
    assert_fails(output.unwrap(), "key 1 is revoked");
    assert_eq!(server.send("GET", "/pets", "").status, 200);
}

#[test]
fn files_that_are_not_a_database_are_rejected_and_left_alone() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "milk").unwrap();
    let before = read_files(folder.path());
    for (name, reason) in [
        ("none.db", "`petstore serve` makes one"),
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

#[test]
fn help_lists_every_command() {
    let output = petstore().args(["keys", "--help"]).output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    for word in [
        "create",
        "list",
        "show",
        "set-plan",
        "rotate",
        "revoke",
        "unban",
        "Examples:",
    ] {
        assert!(help.contains(word), "{word} in {help}");
    }
}
