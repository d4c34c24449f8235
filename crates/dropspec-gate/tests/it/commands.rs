//! The key commands, as a service mounts them.

use chrono::TimeDelta;
use clap::{CommandFactory, FromArgMatches, Parser};
use dropspec_gate::ApiKeys;
use dropspec_gate::auth::{Access, ApiKey, Unauthenticated};
use dropspec_gate::keys::KeyScopes;
use dropspec_gate::keys::commands::{Caller, KeyCommands};
use dropspec_runtime::{Method, OperationInfo, SchemeUse};
use serde_json::Value;

use super::fixture::{Fixture, NOON, PLANS, time};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    keys: KeyCommands,
}

/// Runs a command, and returns its output or its error.
async fn run(fixture: &Fixture, arguments: &[&str]) -> Result<String, String> {
    run_as(&fixture.keys, &Caller::new(time(NOON)), arguments).await
}

/// Runs a command of a caller, and returns its output or its error.
pub async fn run_as(keys: &ApiKeys, caller: &Caller, arguments: &[&str]) -> Result<String, String> {
    let command = KeyCommands::restrict_plans(Cli::command(), PLANS, "free");
    let matches = command.try_get_matches_from([&["keys"], arguments].concat());
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    let commands = cli.map_err(|error| error.to_string())?.keys;
    let mut out = Vec::new();
    let result = commands.run(keys, caller, &mut out).await;
    result.map_err(|error| format!("{error:#}"))?;
    Ok(String::from_utf8(out).unwrap())
}

async fn json(fixture: &Fixture, arguments: &[&str]) -> Value {
    let output = run(fixture, &[arguments, &["--json"]].concat()).await;
    serde_json::from_str(&output.unwrap()).unwrap()
}

fn secret(issued: &Value) -> ApiKey {
    ApiKey::parse("test_", issued["key"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn created_key_is_valid_and_its_secret_is_not_shown_again() {
    let fixture = Fixture::new();
    let create = [
        "create", "--name", "shop", "--plan", "pro", "--access", "read",
    ];
    let issued = json(&fixture, &create).await;
    let key = secret(&issued);
    let principal = fixture.verify_key(&key, NOON).unwrap();
    assert_eq!((principal.plan, principal.access), ("pro", Access::Read));
    assert_eq!(principal.account.key_id, issued["id"].as_i64().unwrap());
    for arguments in [&["list"][..], &["show", "1"]] {
        let text = run(&fixture, arguments).await.unwrap();
        assert!(!text.contains(key.expose()), "{text}");
        let public = format!("{}…{}", key.prefix(), key.last4());
        assert!(text.contains(&public), "{text}");
        let json = json(&fixture, arguments).await.to_string();
        assert!(!json.contains(key.expose()), "{json}");
    }
}

#[tokio::test]
async fn limits_are_required_for_a_plan_without_limits_and_rejected_for_others() {
    let fixture = Fixture::new();
    let create = |more: &'static str| {
        let arguments = format!("create --name x --plan {more}");
        let fixture = &fixture;
        async move {
            let arguments: Vec<&str> = arguments.split(' ').collect();
            run(fixture, &arguments).await
        }
    };
    create("partner --per-minute 7 --per-day 70").await.unwrap();
    let shown = json(&fixture, &["show", "1"]).await;
    assert_eq!(
        (&shown["per_minute"], &shown["per_day"]),
        (&7.into(), &70.into())
    );

    let cases = [
        (
            "free --per-minute 7 --per-day 70",
            "of the plan free has its limits, 60 a minute and 1000 a day, and none of its own",
        ),
        ("free --per-minute 5", "or take --plan partner"),
        ("partner --per-minute 5", "--per-minute N and --per-day N"),
        ("partner", "--per-minute N and --per-day N"),
        ("partner --per-minute 0 --per-day 70", "out of bounds"),
        ("partner --per-minute 71 --per-day 70", "never be sent"),
        ("gold", "possible values: free, pro, partner"),
    ];
    for (arguments, expected) in cases {
        let error = create(arguments).await.unwrap_err();
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    assert_eq!(json(&fixture, &["list"]).await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn key_has_all_scopes_or_those_that_are_given() {
    let fixture = Fixture::new();
    let create = ["create", "--name", "shop", "--plan", "free"];
    let all = json(&fixture, &create).await;
    assert_eq!(all["scopes"], Value::Null);
    let some = [&create[..], &["--scope", "read", "--scope", "write:all"]].concat();
    let issued = json(&fixture, &some).await;
    assert_eq!(issued["scopes"], Value::from(vec!["read", "write:all"]));
    let key = secret(&issued);
    let scopes = || {
        fixture
            .verify_key(&key, NOON)
            .unwrap()
            .identity
            .scopes
            .clone()
    };
    assert!(scopes().has("write:all") && !scopes().has("write"));
    let text = run(&fixture, &["show", "2"]).await.unwrap();
    assert!(
        text.contains("write access, scopes read write:all, test_"),
        "{text}"
    );

    run(&fixture, &["set-scopes", "2", "--scope", "write"])
        .await
        .unwrap();
    assert!(scopes().has("write") && !scopes().has("read"));
    run(&fixture, &["set-scopes", "2", "--no-scopes"])
        .await
        .unwrap();
    assert_eq!(scopes(), KeyScopes::only([]));
    let error = run(&fixture, &["set-scopes", "2"]).await.unwrap_err();
    assert!(error.contains("--all-scopes"), "{error}");
    assert_eq!(scopes(), KeyScopes::only([]), "nothing was granted");
    run(&fixture, &["set-scopes", "2", "--all-scopes"])
        .await
        .unwrap();
    assert_eq!(scopes(), KeyScopes::ALL);
    let error = run(&fixture, &[&create[..], &["--scope", "a b"]].concat()).await;
    let error = error.unwrap_err();
    assert!(error.contains("repeat --scope for several"), "{error}");
}

#[test]
fn only_scopes_that_operations_need_can_be_granted() {
    const READ: &[&[SchemeUse]] = &[&[SchemeUse::new(0, &["read", "list"])], &[]];
    let read = OperationInfo {
        security: READ,
        ..OperationInfo::new("read", Method::Get, "/")
    };
    for (operations, scope, expected) in [
        (&[read][..], "list", None),
        (&[read], "raed", Some("[possible values: list, read]")),
        (
            &[],
            "read",
            Some("no operation of this service needs a scope"),
        ),
    ] {
        for arguments in [
            &[
                "create", "--name", "shop", "--plan", "pro", "--scope", scope,
            ][..],
            &["set-scopes", "2", "--scope", scope],
        ] {
            let command = KeyCommands::restrict_scopes(Cli::command(), operations);
            let parsed = command.try_get_matches_from([&["keys"], arguments].concat());
            let error = parsed.err().map(|error| error.to_string());
            match (&error, expected) {
                (None, None) => {}
                (Some(error), Some(expected)) => assert!(error.contains(expected), "{error}"),
                _ => panic!("{scope}: {error:?}"),
            }
        }
    }
}

#[tokio::test]
async fn key_is_found_by_prefix_changed_rotated_and_revoked() {
    let fixture = Fixture::new();
    let old = secret(&json(&fixture, &["create", "--name", "shop", "--plan", "free"]).await);
    let changed = json(&fixture, &["set-plan", old.prefix(), "--plan", "pro"]).await;
    assert_eq!(
        (&changed["plan"], &changed["per_minute"]),
        (&"pro".into(), &300.into())
    );
    assert_eq!(fixture.account(&old).limits.per_minute, 300);

    let rotated = json(&fixture, &["rotate", "1"]).await;
    let new = secret(&rotated);
    let end = time(NOON) + TimeDelta::hours(24);
    assert_eq!(rotated["old_accepted_until"], "2026-11-22T12:00:00Z");
    let shown = json(&fixture, &["show", "1"]).await;
    assert_eq!(shown["secrets"].as_array().unwrap().len(), 2);
    assert_eq!(shown["secrets"][1]["expires_at"], "2026-11-22T12:00:00Z");
    assert_eq!(shown["secrets"][1]["expired"], false);
    assert_eq!(fixture.rejection(&old, end.timestamp() - 1), None);
    let replaced = Some(Unauthenticated::Replaced);
    assert_eq!(fixture.rejection(&old, end.timestamp()), replaced);

    let longer = json(&fixture, &["rotate", "1", "--overlap", "48h"]).await;
    assert_eq!(longer["old_accepted_until"], "2026-11-23T12:00:00Z");

    let rotate = ["rotate", new.prefix(), "--overlap", "0s"];
    let newest = secret(&json(&fixture, &rotate).await);
    assert_eq!(fixture.rejection(&old, NOON), replaced);
    assert_eq!(fixture.rejection(&new, NOON), replaced);
    assert_eq!(fixture.rejection(&newest, NOON), None);
    for secret in &json(&fixture, &["show", "1"]).await["secrets"]
        .as_array()
        .unwrap()[1..]
    {
        assert_eq!(
            (&secret["expires_at"], &secret["expired"]),
            (&Value::Null, &true.into())
        );
    }
    let shown = run(&fixture, &["show", "1"]).await.unwrap();
    let when_replaced = shown.matches(", expired when it was replaced\n").count();
    assert_eq!(when_replaced, 3, "{shown}");

    assert!(json(&fixture, &["revoke", "1"]).await["revoked_at"].is_string());
    let revoked = Some(Unauthenticated::Revoked);
    assert_eq!(fixture.rejection(&newest, NOON), revoked);
    let again = run(&fixture, &["revoke", "1"]).await.unwrap_err();
    assert_eq!(again, "key 1 was revoked before; nothing changes");
    let rotate = run(&fixture, &["rotate", "1"]).await.unwrap_err();
    assert!(rotate.contains("key 1 is revoked"), "{rotate}");
}

#[tokio::test]
async fn show_reports_usage_and_ban_and_unban_ends_it() {
    let fixture = Fixture::new();
    let key = secret(&json(&fixture, &["create", "--name", "shop", "--plan", "free"]).await);
    fixture.admitted_of(121, &key, NOON).await;
    fixture.limiter.close().await.unwrap();

    let shown = json(&fixture, &["show", "1"]).await;
    assert_eq!(
        (&shown["day"]["used"], &shown["day"]["limit"]),
        (&60.into(), &1000.into())
    );
    assert_eq!(shown["strikes"], 1);
    assert_eq!(shown["banned_until"], "2026-11-21T12:02:00Z");
    assert_eq!(shown["last_used_at"], "2026-11-21T12:00:00Z");

    let unban = ["unban", "1"];
    assert_eq!(json(&fixture, &unban).await["was_banned"], true);
    let text = run(&fixture, &unban).await.unwrap();
    assert!(
        text.ends_with("\nIt was not banned; its strikes are removed.\n"),
        "{text}"
    );
    let shown = json(&fixture, &["show", "1"]).await;
    assert_eq!(
        (&shown["strikes"], &shown["banned_until"]),
        (&0.into(), &Value::Null)
    );
}

#[tokio::test]
async fn key_without_a_plan_has_the_first_one_and_a_change_needs_one() {
    let fixture = Fixture::new();
    let issued = json(&fixture, &["create", "--name", "shop"]).await;
    let principal = fixture.verify_key(&secret(&issued), NOON).unwrap();
    assert_eq!(principal.plan, "free");
    let error = run(&fixture, &["set-plan", "1"]).await.unwrap_err();
    assert!(error.contains("--plan"), "{error}");
}

#[tokio::test]
async fn unknown_key_and_empty_name_are_errors() {
    let fixture = Fixture::new();
    let cases = [
        (&["show", "7"][..], "there is no key 7"),
        (&["show", "test_nope"], "there is no key \"test_nope\""),
        (&["create", "--name", "", "--plan", "free"], "1 to 100"),
        (&["create", "--name", "a\u{1b}[2J"], "control characters"),
    ];
    for (arguments, expected) in cases {
        let error = run(&fixture, arguments).await.unwrap_err();
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}
