//! `petstore keys`, as the operator runs it.

use std::path::Path;
use std::process::{Command, Output};

use chrono::Utc;
use petstore_api::Plan;
use petstore_server::auth::{Access, ApiKey, Identity};
use petstore_server::rate_limit::Limits;
use serde_json::Value;
use tempfile::TempDir;

use super::fixture::{Fixture, NOON};

fn keys(database: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_petstore"))
        .arg("keys")
        .args(arguments)
        .env("PETSTORE_DATABASE", database)
        .output()
        .unwrap()
}

/// Runs a command that is to succeed, and returns what it prints as JSON.
fn json(database: &Path, arguments: &[&str]) -> Value {
    let output = keys(database, &[arguments, &["--json"]].concat());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.stderr, b"");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs a command that is to fail, and returns its one line.
fn refusal(database: &Path, arguments: &[&str]) -> String {
    let output = keys(database, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert_eq!(output.stdout, b"", "{arguments:?}");
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

fn secret(issued: &Value) -> ApiKey {
    ApiKey::parse(issued["key"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn a_created_key_works_beside_a_running_server_and_is_shown_once() {
    let fixture = Fixture::new();
    let database = fixture.database();
    let issued = json(
        &database,
        &[
            "create", "--name", "shop", "--plan", "pro", "--access", "read",
        ],
    );
    let key = secret(&issued);
    let Identity::Key(caller) = fixture.identify(&key, NOON) else {
        panic!("the key is not valid");
    };
    assert_eq!((caller.plan, caller.access), (Plan::Pro, Access::Read));
    assert_eq!(caller.account.key_id, issued["id"].as_i64().unwrap());
    for arguments in [&["list"][..], &["show", "1"]] {
        let printed = keys(&database, arguments).stdout;
        let printed = String::from_utf8(printed).unwrap();
        assert!(!printed.contains(key.expose()), "{printed}");
        assert!(
            printed.contains(&format!("{}…{}", key.prefix(), key.last4())),
            "{printed}"
        );
        assert!(
            !json(&database, arguments)
                .to_string()
                .contains(key.expose())
        );
    }
}

#[tokio::test]
async fn an_enterprise_key_takes_its_figures_and_the_others_none() {
    let fixture = Fixture::new();
    let database = fixture.database();
    let create = |more: &[&str]| {
        [&["create", "--name", "x", "--plan"], more]
            .concat()
            .join(" ")
    };
    let figures = ["--per-minute", "7", "--per-day", "70"];
    let enterprise = [
        &["create", "--name", "x", "--plan", "enterprise"][..],
        &figures,
    ]
    .concat();
    let key = secret(&json(&database, &enterprise));
    assert_eq!(
        fixture.account(&key).limits,
        Limits {
            per_minute: 7,
            per_day: 70
        }
    );

    let cases = [
        (
            create(&["free", "--per-minute", "7", "--per-day", "70"]),
            "plan free are fixed",
        ),
        (create(&["enterprise"]), "needs its figures"),
        (
            create(&["enterprise", "--per-minute", "0", "--per-day", "70"]),
            "out of bounds",
        ),
        (
            create(&["enterprise", "--per-minute", "71", "--per-day", "70"]),
            "never be sent",
        ),
    ];
    for (command, expected) in cases {
        let line = refusal(&database, &command.split(' ').collect::<Vec<_>>());
        assert!(line.contains(expected), "{command}: {line}");
    }
    assert_eq!(json(&database, &["list"]).as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_plan_is_changed_a_key_rotated_revoked_and_found_by_its_prefix() {
    let fixture = Fixture::new();
    let database = fixture.database();
    let old = secret(&json(
        &database,
        &["create", "--name", "shop", "--plan", "free"],
    ));
    let changed = json(&database, &["set-plan", old.prefix(), "--plan", "business"]);
    assert_eq!(
        (&changed["plan"], &changed["per_minute"]),
        (&"business".into(), &1000.into())
    );
    assert_eq!(fixture.account(&old).limits.per_minute, 1000);

    let rotated = json(&database, &["rotate", "1"]);
    let new = secret(&rotated);
    assert!(rotated["old_accepted_until"].is_string());
    assert_eq!(
        json(&database, &["show", "1"])["secrets"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let now = Utc::now().timestamp();
    assert!(matches!(fixture.identify(&old, now), Identity::Key(_)));
    assert!(matches!(
        fixture.identify(&old, now + 86_400),
        Identity::Anonymous(_)
    ));

    let newest = secret(&json(
        &database,
        &["rotate", new.prefix(), "--overlap", "0s"],
    ));
    for ended in [&old, &new] {
        assert!(matches!(
            fixture.identify(ended, now + 1),
            Identity::Anonymous(_)
        ));
    }
    assert!(matches!(
        fixture.identify(&newest, now + 1),
        Identity::Key(_)
    ));

    assert!(json(&database, &["revoke", "1"])["revoked_at"].is_string());
    assert!(matches!(
        fixture.identify(&newest, now),
        Identity::Anonymous(_)
    ));
    assert!(refusal(&database, &["revoke", "1"]).contains("key 1 is revoked"));
}

#[tokio::test]
async fn usage_and_bans_are_shown_and_a_ban_is_lifted() {
    let fixture = Fixture::new();
    let database = fixture.database();
    let key = secret(&json(
        &database,
        &["create", "--name", "shop", "--plan", "free"],
    ));
    let now = Utc::now().timestamp();
    while fixture.send(&key, 1, now).await.is_admitted() {}
    fixture.admitted_of(60, &key, now).await;
    fixture.limiter.close().await.unwrap();

    let shown = json(&database, &["show", "1"]);
    assert_eq!(
        (&shown["day"]["used"], &shown["day"]["limit"]),
        (&60.into(), &1000.into())
    );
    assert_eq!(shown["strikes"], 1);
    assert!(
        shown["banned_until"].is_string() && shown["last_used_at"].is_string(),
        "{shown}"
    );

    json(&database, &["unban", "1"]);
    let shown = json(&database, &["show", "1"]);
    assert_eq!(
        (&shown["strikes"], &shown["banned_until"]),
        (&0.into(), &Value::Null)
    );
}

#[tokio::test]
async fn what_cannot_be_done_is_one_clear_line() {
    let fixture = Fixture::new();
    let database = fixture.database();
    assert!(refusal(&database, &["show", "7"]).contains("there is no key 7"));
    assert!(refusal(&database, &["show", "pst_nope"]).contains("there is no key"));
    assert!(refusal(&database, &["create", "--name", "", "--plan", "free"]).contains("1 to 100"));

    let empty = TempDir::new().unwrap();
    let missing = empty.path().join("none.db");
    assert!(refusal(&missing, &["list"]).contains("`petstore serve` makes one"));
    assert_eq!(
        std::fs::read_dir(empty.path()).unwrap().count(),
        0,
        "nothing is made"
    );
    let foreign = empty.path().join("notes.txt");
    std::fs::write(&foreign, "milk").unwrap();
    assert!(refusal(&foreign, &["list"]).contains("not a SQLite database"));
}

#[test]
fn help_teaches() {
    let output = keys(Path::new("unused"), &["--help"]);
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
