//! Servers on PostgreSQL: one or several on a database, and while it is away.

use serde_json::{Value, json};
use tempfile::TempDir;
use test_postgres::{Shutdown, TestDatabase, TestServer};
use test_support::{Response, ServerProcess, error_line, petstore, poll_until, run_petstore};

/// Starts a server on a database.
pub fn start(url: &str) -> ServerProcess {
    let mut command = petstore();
    command.env("PETSTORE_DATABASE", url);
    ServerProcess::run(command, TempDir::new().unwrap(), &[])
}

/// Runs `petstore keys` on a database, expects success, and returns the JSON.
pub fn keys(url: &str, arguments: &[&str]) -> Value {
    let mut command = petstore();
    command.arg("keys").args(arguments);
    let output = command
        .args(["--json", "--database", url])
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn create_category(server: &ServerProcess, name: &str) -> Response {
    server.send("POST", "/categories", &json!({ "name": name }).to_string())
}

#[test]
fn servers_on_one_database_share_records_keys_and_the_first_key() {
    let Some(database) = TestDatabase::create("servers_on_one_database") else {
        return;
    };
    let first = start(database.url()).with_first_key();
    let mut second = start(database.url());
    second.key.clone_from(&first.key);
    assert_eq!(create_category(&first, "Cat").status, 201);
    assert_eq!(
        create_category(&second, "CAT").outcome(),
        "409 category_exists"
    );
    assert_eq!(second.category_names(), ["Cat"]);
    assert_eq!(keys(database.url(), &["list"]).as_array().unwrap().len(), 1);
    for server in [&first, &second] {
        assert_eq!(server.get_panel("/readyz").status, 200);
        assert!(server.metric("petstore_pool_connections") > 0);
    }
    assert!(first.metric("petstore_transactions_committed_total") > 0);
    let started = |server: &ServerProcess| {
        let started = server.wait_for_log_line(|line| line["msg"] == "started");
        // The URL is in the log, without a password.
        let shown = started["database"].as_str().unwrap();
        assert!(shown.starts_with("postgres://"), "{shown}");
        started["new_database"].clone()
    };
    assert_eq!([started(&first), started(&second)], [true, false]);

    let id = keys(database.url(), &["list"])[0]["id"].to_string();
    keys(database.url(), &["revoke", &id]);
    for server in [&first, &second] {
        poll_until("the revocation to hold", || {
            (server.send("GET", "/pets", "").outcome() == "401 revoked_api_key").then_some(())
        });
    }
    first.stop();
    second.stop();
}

#[test]
fn server_answers_503_while_its_database_is_away_and_goes_on_when_it_is_back() {
    let Some(mut postgres) = TestServer::start("database_is_away") else {
        return;
    };
    let url = postgres.url("postgres");
    let server = start(&url).with_first_key();
    assert_eq!(create_category(&server, "Cat").status, 201);
    let is_back = |line: &Value| line["msg"] == "the database can be used again";
    for (outages, shutdown) in [(1, Shutdown::Fast), (2, Shutdown::Immediate)] {
        postgres.stop(shutdown);
        for _ in 0..3 {
            create_category(&server, "Dog");
        }
        let failed = create_category(&server, "Dog");
        assert_eq!(failed.outcome(), "503 unavailable");
        assert_eq!(failed.header("retry-after"), Some("1"));
        assert_eq!(server.get_panel("/readyz").status, 503);
        assert_eq!(server.get_panel("/healthz").status, 200);
        postgres.restart();
        poll_until("the server to use its database again", || {
            (server.send("GET", "/categories", "").status == 200).then_some(())
        });
        assert_eq!(server.get_panel("/readyz").status, 200);
        assert_eq!(server.category_names(), ["Cat"]);
        poll_until("the end of the outage in the log", || {
            let lines = server.read_log();
            (lines.iter().filter(|it| is_back(it)).count() == outages).then_some(())
        });
    }
    assert!(server.metric("petstore_transactions_unavailable_total") > 0);
    // Two lines for each outage, however many requests and probes have failed.
    let lines = server.read_log();
    let of_storage = lines.iter().filter(|line| line["level"] != "INFO");
    let messages: Vec<&str> = of_storage.map(|it| it["msg"].as_str().unwrap()).collect();
    let outage = [
        "the database cannot be used",
        "the database can be used again",
    ];
    assert_eq!(messages, [outage, outage].concat(), "{lines:#?}");
    server.stop();
}

#[test]
fn commands_explain_what_they_cannot_do_on_a_server() {
    let Some(database) = TestDatabase::create("commands_on_a_server") else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let without_name = "postgres://me:secret@localhost";
    for (command, url, expected) in [
        (
            &["keys", "list"][..],
            database.url(),
            "has no tables of the application \"petstore\"",
        ),
        (&["backup", "file"], database.url(), "pg_dump"),
        (&["restore", "file"], database.url(), "pg_restore"),
        (&["serve"], without_name, "it names no database"),
    ] {
        let arguments = [command, &["--database", url]].concat();
        let line = error_line(&run_petstore(folder.path(), &arguments));
        assert!(
            line.contains(expected) && !line.contains("secret"),
            "{line}"
        );
    }
}
