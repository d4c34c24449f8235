//! What the operator changes of a key, and the log of it, on both engines.

use std::sync::Arc;

use dropspec_gate::ApiKeys;
use dropspec_gate::auth::{ApiKey, Authenticate, Unauthenticated};
use dropspec_gate::keys::commands::Caller;
use dropspec_gate::keys::{Author, KeyError, LOG_ROWS, POSTGRES_KEY_TABLES};
use dropspec_runtime::security::Credentials;
use futures::FutureExt;
use serde_json::{Value, json};
use test_postgres::TestDatabase;

use crate::commands::run_as;
use crate::fixture::{Fixture, NOON, POSTGRES_SCHEMA, SCHEME, open_postgres, time};

/// Keys in a database of one engine.
enum Store {
    Sqlite(Fixture),
    Postgres(TestDatabase, Arc<ApiKeys>),
}

impl Store {
    /// A store of each engine that there is.
    async fn all(test: &str) -> Vec<Store> {
        let mut stores = vec![Store::Sqlite(Fixture::new())];
        if let Some(database) = TestDatabase::create(test) {
            let keys = Arc::new(open_postgres(database.url()).await);
            stores.push(Store::Postgres(database, keys));
        }
        stores
    }

    fn keys(&self) -> &ApiKeys {
        match self {
            Store::Sqlite(fixture) => &fixture.keys,
            Store::Postgres(_, keys) => keys,
        }
    }

    async fn execute(&self, sql: &'static str) {
        match self {
            Store::Sqlite(fixture) => fixture.execute(sql).await,
            Store::Postgres(database, _) => database.execute(sql),
        }
    }

    async fn run(&self, arguments: &str) -> Result<String, String> {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        run_as(self.keys(), &caller(), &arguments).await
    }

    async fn json(&self, arguments: &str) -> Value {
        let output = self.run(&format!("{arguments} --json")).await;
        serde_json::from_str(&output.unwrap()).unwrap()
    }

    /// The changes in the log of a key: what was changed, from what, to what.
    async fn log(&self, key: &str) -> Vec<[Value; 3]> {
        let log = self.json(&format!("log {key}")).await;
        let log = log.as_array().unwrap().iter();
        log.map(|it| ["change", "old", "new"].map(|name| it[name].clone()))
            .collect()
    }

    /// Why a secret is not accepted at a time.
    async fn rejection(&self, secret: &ApiKey, now: i64) -> Option<Unauthenticated> {
        let credentials = Credentials::Key(secret.expose().into());
        let verified = self.keys().verify(&SCHEME, credentials, time(now)).await;
        verified.unwrap().err()
    }
}

fn caller() -> Caller {
    Caller::new(Author {
        name: "command line, ann@desk".to_owned(),
        time: time(NOON),
    })
}

fn secret(issued: &Value) -> ApiKey {
    ApiKey::parse("test_", issued["key"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn each_change_is_in_the_log_with_its_author() {
    for store in Store::all("each_change_is_in_the_log").await {
        let create = "create --name shop --expires 2027-01-01 --note Ann's";
        let issued = store.json(create).await;
        assert_eq!(issued["expires_at"], "2027-01-01T00:00:00Z");
        assert_eq!(issued["note"], "Ann's");
        let old = secret(&issued);
        let change = "change 1 --name market --access read --expires never --note=";
        let changed = store.json(change).await;
        assert_eq!(
            [&changed["name"], &changed["access"], &changed["expires_at"]],
            [&json!("market"), &json!("read"), &Value::Null]
        );
        assert_eq!(changed["note"], Value::Null);
        store
            .json("set-plan 1 --plan partner --per-minute 7 --per-day 70")
            .await;
        store.json("set-scopes 1 --scope a --scope b").await;
        let new = secret(&store.json("rotate 1 --overlap 1h").await);
        store.json("revoke 1").await;
        store.json("unban 1").await;

        let shown = |key: &ApiKey| format!("{}…{}", key.prefix(), key.last4());
        let until = ", accepted until 2026-11-21T13:00:00Z";
        let expected = [
            json!(["ban", null, null]),
            json!(["revoked", null, "2026-11-21T12:00:00Z"]),
            json!(["secret", shown(&old) + until, shown(&new)]),
            json!(["scopes", "all", "a b"]),
            json!(["plan", "free", "partner with 7 a minute, 70 a day"]),
            json!(["note", "Ann's", null]),
            json!(["expiry", "2027-01-01T00:00:00Z", null]),
            json!(["access", "write", "read"]),
            json!(["name", "shop", "market"]),
            json!([
                "created",
                null,
                "name shop, plan free, access write, scopes all, expiry 2027-01-01T00:00:00Z, note Ann's"
            ]),
        ];
        assert_eq!(json!(store.log("1").await), json!(expected));
        let first = &store.json("log --last 1").await[0];
        assert_eq!(
            [&first["time"], &first["author"], &first["key_name"]],
            ["2026-11-21T12:00:00Z", "command line, ann@desk", "market"]
        );
        let text = store.run("log 1").await.unwrap();
        assert!(text.contains("  1 market  name "), "{text}");
        assert!(!text.contains(new.expose()), "{text}");
    }
}

#[tokio::test]
async fn change_that_is_refused_or_changes_nothing_is_not_in_the_log() {
    for store in Store::all("change_that_is_refused").await {
        store.json("create --name shop").await;
        store.json("change 1 --name shop --access write").await;
        let cases = [
            ("change 1", "nothing would change; give --name"),
            ("change 7 --name x", "there is no key 7"),
            ("change 1 --expires 2026-11-21", "is not in the future"),
            ("change 1 --expires 0s", "`keys revoke` ends a key at once"),
            ("change 1 --expires 1ms", "is not in the future"),
            ("change 1 --expires 9000y", "write never"),
            ("change 1 --expires soon", "write a date (2027-01-01)"),
            ("change 1 --access all", "possible values: read, write"),
        ];
        for (command, expected) in cases {
            let error = store.run(command).await.unwrap_err();
            assert!(error.contains(expected), "{command}: {error}");
        }
        assert_eq!(store.log("1").await.len(), 1);
        store.json("revoke 1").await;
        let error = store.run("change 1 --name x").await.unwrap_err();
        assert!(error.contains("key 1 is revoked"), "{error}");
        assert_eq!(store.log("1").await.len(), 2);
        // What fails after the change is not stored, either.
        store
            .execute("ALTER TABLE api_key_log RENAME TO moved")
            .await;
        store.run("create --name other").await.unwrap_err();
        assert_eq!(store.json("list").await.as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn expired_key_is_refused_until_its_expiry_is_changed() {
    for store in Store::all("expired_key_is_refused").await {
        let issued = store.json("create --name shop --expires 90d").await;
        assert_eq!(issued["expires_at"], "2027-02-19T12:00:00Z");
        let (key, end) = (secret(&issued), NOON + 90 * 86_400);
        assert_eq!(store.rejection(&key, end - 1).await, None);
        let expired = Some(Unauthenticated::Expired);
        assert_eq!(store.rejection(&key, end).await, expired);
        let new = secret(&store.json("rotate 1").await);
        assert_eq!(store.rejection(&new, end).await, expired);
        // The change applies to the next request, though the key is in memory.
        store.json("change 1 --expires 2027-02-19T12:00:01Z").await;
        assert_eq!(store.rejection(&new, end).await, None);
        assert_eq!(store.rejection(&new, end + 1).await, expired);
        store.json("change 1 --expires never").await;
        assert_eq!(store.rejection(&new, end + 1).await, None);
    }
}

#[tokio::test]
async fn log_keeps_the_newest_changes() {
    assert_eq!(LOG_ROWS, 100_000);
    for store in Store::all("log_keeps_the_newest_changes").await {
        store.json("create --name shop").await;
        store
            .execute(
                "INSERT INTO api_key_log (id, changed_at, author, key_id, subject)
                VALUES (2, 0, 'x', 1, 'kept'), (100001, 0, 'x', 1, 'last')",
            )
            .await;
        // On PostgreSQL, ids that were given do not move the next one.
        if let Store::Postgres(database, _) = &store {
            database.execute("ALTER TABLE api_key_log ALTER COLUMN id RESTART WITH 100002");
        }
        store.execute("DELETE FROM api_key_log WHERE id = 1").await;
        store
            .execute(
                "INSERT INTO api_key_log (id, changed_at, author, key_id, subject)
                VALUES (1, 0, 'x', 1, 'gone'), (3, 0, 'x', 1, 'kept')",
            )
            .await;
        store.json("change 1 --name market").await;
        let changes: Vec<Value> = store
            .log("1")
            .await
            .iter()
            .map(|it| it[0].clone())
            .collect();
        assert_eq!(changes, ["name", "last", "kept"]);
    }
}

#[tokio::test]
async fn ambiguous_prefix_is_called_so_and_what_lists_show_is_not() {
    for store in Store::all("ambiguous_prefix").await {
        let mut issued = Vec::new();
        for name in ["a", "b", "c"] {
            issued.push(secret(&store.json(&format!("create --name {name}")).await));
        }
        for command in ["show", "revoke", "log"] {
            let error = store.run(&format!("{command} test_")).await.unwrap_err();
            let expected =
                "\"test_\" is ambiguous, as several keys begin so: 1, 2, 3; name one by its id";
            assert!(error.contains(expected), "{command}: {error}");
        }
        for (id, secret) in (1..).zip(issued) {
            let name = format!("{}…{}", secret.prefix(), secret.last4());
            let shown = store.json(&format!("show {name}")).await;
            assert_eq!(shown["id"], id);
            let command = format!("show {}", secret.expose());
            let error = store.run(&command).await.unwrap_err();
            assert!(error.contains("that is a whole secret"), "{error}");
        }
        let error = store.run("show test_%").await.unwrap_err();
        assert!(error.contains("there is no key"), "{error}");
    }
}

#[tokio::test]
async fn revoke_asks_a_person_and_no_program() {
    let fixture = Fixture::new();
    let run = |confirm, arguments: &'static [&'static str]| {
        let caller = Caller {
            confirm,
            ..caller()
        };
        let keys = &fixture.keys;
        async move { run_as(keys, &caller, arguments).await }
    };
    for _ in 0..3 {
        run(None, &["create", "--name", "shop"]).await.unwrap();
    }
    let refused = run(
        Some(|question| {
            assert!(
                question.starts_with("Revoke key 1 \"shop\": free, "),
                "{question}"
            );
            assert!(question.ends_with("? This cannot be undone."), "{question}");
            Ok(false)
        }),
        &["revoke", "1"],
    );
    assert_eq!(refused.await.unwrap_err(), "key 1 is not revoked");
    let is_revoked = |id| {
        let found = fixture.keys.find(id).now_or_never().unwrap();
        found.unwrap().unwrap().revoked_at.is_some()
    };
    assert!(!is_revoked(1));
    run(Some(|_| Ok(true)), &["revoke", "1"]).await.unwrap();
    run(Some(|_| panic!("asked")), &["revoke", "2", "--yes"])
        .await
        .unwrap();
    run(None, &["revoke", "3"]).await.unwrap();
    assert!([1, 2, 3].into_iter().all(is_revoked));
}

#[tokio::test]
async fn lists_fit_the_terminal_and_a_program_gets_everything() {
    let fixture = Fixture::new();
    let name = "a customer with a rather long name ".repeat(2);
    let note = "what is remembered ".repeat(20);
    let run = |columns, arguments: Vec<&str>| {
        let caller = Caller {
            columns,
            ..caller()
        };
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        let keys = &fixture.keys;
        async move {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            run_as(keys, &caller, &arguments).await.unwrap()
        }
    };
    let large = ["--per-minute", "5000", "--per-day", "1000000"];
    let partner = [
        "create", "--plan", "partner", "--name", &name, "--note", &note,
    ];
    run(None, [&partner[..], &large].concat()).await;
    run(
        None,
        vec!["create", "--name", "shop", "--expires", "2027-01-01"],
    )
    .await;
    run(None, vec!["create", "--name", "old"]).await;
    run(None, vec!["revoke", "3"]).await;
    fixture
        .execute("UPDATE api_keys SET banned_until = 1795262500, strikes = 1, last_used_at = 1795255200 WHERE id = 1")
        .await;
    // Wider than what can be formatted.
    fixture
        .execute("UPDATE api_key_log SET author = hex(zeroblob(35000)) WHERE id = 1")
        .await;
    let log = run(None, vec!["log"]).await;
    assert!(log.lines().all(|line| line.chars().count() < 3000));
    for command in ["list", "log"] {
        for width in [80, 100, 120] {
            let text = run(Some(width), vec![command]).await;
            let longest = text.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(width), "{width}:\n{text}");
        }
    }
    let narrow = run(Some(80), vec!["list"]).await;
    for part in [
        "LIMITS",
        "5000/min 1000000/day",
        "60/min 1000/day",
        "LAST USED",
        "2 h ago",
        "never",
        "BANNED",
        "for 2 min",
        "expires 2027-01-01",
        "revoked 2026-11-21",
    ] {
        assert!(narrow.contains(part), "{part}:\n{narrow}");
    }
    let everything = run(None, vec!["list"]).await;
    for part in [
        name.trim_end(),
        note.trim_end(),
        "NOTE",
        "ACCESS",
        "KEY",
        "2026-11-21T10:00:00Z",
        "until 2026-11-21T12:01:40Z",
    ] {
        assert!(everything.contains(part), "{part}:\n{everything}");
    }
}

#[tokio::test]
async fn reserved_requests_are_not_shown_as_used() {
    let fixture = Fixture::new();
    let key = fixture.enterprise_key(1000, 10_000).await;
    assert_eq!(fixture.admitted_of(5, &key, NOON).await, 5);
    fixture.settle().await;
    let show = || async {
        let text = run_as(&fixture.keys, &caller(), &["show", "1", "--json"]).await;
        let shown: Value = serde_json::from_str(&text.unwrap()).unwrap();
        ["used", "reserved"].map(|name| shown["day"][name].as_u64().unwrap())
    };
    // What the server has used since of its lease is known to it alone.
    assert_eq!(show().await, [1, 999]);
    let text = run_as(&fixture.keys, &caller(), &["show", "1"])
        .await
        .unwrap();
    let line = "day        1 of 10000 used, and up to 999 more that servers have reserved, until 2026-11-22T00:00:00Z\n";
    assert!(text.contains(line), "{text}");
    fixture.limiter.close().await.unwrap();
    assert_eq!(show().await, [5, 0]);
}

#[tokio::test]
async fn usage_that_is_elsewhere_is_not_shown_as_none() {
    for store in Store::all("usage_that_is_elsewhere").await {
        store.json("create --name shop").await;
        let keys = store.keys();
        assert_eq!(keys.limits_engine().await.unwrap(), None);
        for address in [
            Some("limits.example:6379"),
            None,
            Some("limits.example:6379"),
        ] {
            let address = address.map(str::to_owned);
            keys.set_limits_engine(address.clone()).await.unwrap();
            assert_eq!(keys.limits_engine().await.unwrap(), address);
        }
        let caller = Caller {
            counted_in: keys.limits_engine().await.unwrap(),
            ..caller()
        };
        let text = run_as(keys, &caller, &["show", "1"]).await.unwrap();
        let line = "usage      is counted by Redis at limits.example:6379; give --limits with its URL to see it\n";
        assert!(text.contains(line) && !text.contains(" of "), "{text}");
        let shown = run_as(keys, &caller, &["show", "1", "--json"])
            .await
            .unwrap();
        let shown: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!([&shown["minute"], &shown["day"]], [&Value::Null; 2]);
        assert_eq!(shown["counted_in"], "limits.example:6379");
    }
}

#[tokio::test]
async fn keys_of_an_older_version_are_kept_on_postgres() {
    let Some(database) = TestDatabase::create("keys_of_an_older_version") else {
        return;
    };
    let [older @ .., _] = POSTGRES_KEY_TABLES else {
        panic!("no migrations")
    };
    let schema = dropspec_store::postgres::Schema {
        migrations: vec![older].leak(),
        ..POSTGRES_SCHEMA
    };
    let config = database.url().parse().unwrap();
    drop(
        dropspec_store::postgres::PostgresEngine::open(schema, &config)
            .await
            .unwrap(),
    );
    database.execute(
        "INSERT INTO api_keys (name, plan, access, created_at) VALUES ('shop', 'free', 'read', 1)",
    );
    let keys = open_postgres(database.url()).await;
    keys.change(1, |key| key.expires_at = Some(7), time(NOON))
        .await
        .unwrap();
    let found = keys.find(1).await.unwrap().unwrap();
    assert_eq!(
        (&*found.given.name, found.given.expires_at, found.given.note),
        ("shop", Some(7), None)
    );
    assert_eq!(keys.read_log(None, 9).await.unwrap().len(), 1);
    let unknown = keys.change(2, |_| {}, time(NOON)).await;
    assert!(matches!(unknown, Err(KeyError::NotFound(2))), "{unknown:?}");
}
