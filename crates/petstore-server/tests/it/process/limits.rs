//! `--limits`: several servers that count requests in one Redis.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;
use test_redis::TestRedis;
use test_support::process::poll_until;
use test_support::{ServerProcess, run_petstore};

/// Requests a day of the key that all servers limit together.
const LIMIT: usize = 300;

const SERVERS: usize = 3;

/// How often a server is killed.
const KILLS: usize = 12;

/// Servers with copies of one database, so that they know the same keys by the same ids.
fn start_servers(engine: &TestRedis, key: &[&str]) -> (Vec<ServerProcess>, String) {
    let first = ServerProcess::start();
    let key = first.create_key(key);
    let database = first.stop();
    let start = |_| {
        let directory = TempDir::new().unwrap();
        let name = "petstore.db";
        std::fs::copy(database.path().join(name), directory.path().join(name)).unwrap();
        start_server(engine, directory, &key)
    };
    ((0..SERVERS).map(start).collect(), key)
}

fn start_server(engine: &TestRedis, directory: TempDir, key: &str) -> ServerProcess {
    let mut server = ServerProcess::run(
        test_support::process::petstore(),
        directory,
        &["--limits", &engine.url()],
    );
    server.key = key.to_owned();
    server
}

fn count_categories(server: &ServerProcess) -> usize {
    let connection = Connection::open(server.database()).unwrap();
    let count = "SELECT count(*) FROM categories";
    connection.query_row(count, [], |row| row.get(0)).unwrap()
}

/// Creates a category, and returns the status.
fn create_category(server: &ServerProcess) -> u16 {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = NEXT.fetch_add(1, Ordering::Relaxed);
    let body = format!("{{\"name\":\"{name}\"}}");
    server.send("POST", "/categories", &body).status
}

#[test]
fn limit_holds_over_servers_that_are_killed_and_an_engine_that_restarts() {
    let Some(mut engine) = TestRedis::start("limit_holds_over_servers") else {
        return;
    };
    let limit = LIMIT.to_string();
    let plan = [
        "--plan",
        "enterprise",
        "--per-minute",
        &limit,
        "--per-day",
        &limit,
    ];
    let (mut servers, key) = start_servers(&engine, &plan);
    for kill in 0..KILLS {
        for turn in 0..12 {
            create_category(&servers[(kill + turn) % SERVERS]);
        }
        let killed = servers.remove(kill % SERVERS);
        servers.push(start_server(&engine, killed.kill(), &key));
        if kill % 3 == 2 {
            engine.restart();
            // A server that has noticed it answers 503 for a moment.
            for server in &servers {
                poll_until("the engine can be used", || {
                    let available = server.metric("petstore_limits_engine_available");
                    (available == 1 && create_category(server) != 503).then_some(())
                });
            }
        }
    }
    for server in &servers {
        poll_until("the limit", || {
            (create_category(server) == 429).then_some(())
        });
    }
    let written: usize = servers.iter().map(count_categories).sum();
    assert!(written <= LIMIT, "{written} of {LIMIT} were admitted");
    // What a killed server had leased is lost: at most a tenth, less towards the end.
    assert!(written >= 100, "{written} of {LIMIT} were admitted");
}

#[test]
fn requests_are_refused_while_the_engine_is_away_and_the_operator_learns_of_it_once() {
    let Some(mut engine) = TestRedis::start("requests_are_refused_while_the_engine_is_away") else {
        return;
    };
    let server = ServerProcess::start_with(&["--limits", &engine.url()]);
    assert_eq!(server.send("GET", "/categories", "").status, 200);
    assert_eq!(server.metric("petstore_limits_engine_available"), 1);
    let is_shared = |line: &Value| line["msg"] == "limits are shared with other servers";
    let line = server.wait_for_log_line(is_shared);
    let name = line["server"].as_str().unwrap();
    let info = format!("petstore_limits_server_info{{server=\"{name}\"}}");
    assert_eq!(server.metric(&info), 1);

    engine.kill();
    let unavailable = |server: &ServerProcess| {
        // A key without a lease: another one each time.
        let plan = [
            "--plan",
            "enterprise",
            "--per-minute",
            "100",
            "--per-day",
            "100",
        ];
        let key = server.create_key(&plan);
        let request = format!(
            "GET /categories HTTP/1.1\r\nHost: {}\r\nX-API-Key: {key}\r\nConnection: close\r\n\r\n",
            server.public
        );
        test_support::blocking_http::send(server.public, &request).status
    };
    for _ in 0..5 {
        assert_eq!(unavailable(&server), 503);
    }
    assert_eq!(server.metric("petstore_limits_engine_available"), 0);
    assert_eq!(
        server.get_panel("/readyz").status,
        200,
        "reads of pages go on"
    );

    engine.restart();
    poll_until("the engine can be used", || {
        (unavailable(&server) == 200).then_some(())
    });
    server.wait_for_log_line(|line| line["msg"] == "the engine of the limits can be used again");
    let lines = server.read_log();
    let errors = lines.iter().filter(|line| {
        line["msg"] == "the engine of the limits cannot be used"
            || line["msg"] == "the limiter could not use its ledger"
    });
    assert_eq!(errors.count(), 1);
}

#[test]
fn keys_show_reads_the_usage_of_all_servers() {
    let Some(engine) = TestRedis::start("keys_show_reads_the_usage") else {
        return;
    };
    let plan = [
        "--plan",
        "enterprise",
        "--per-minute",
        "1000",
        "--per-day",
        "1000",
    ];
    let (servers, _) = start_servers(&engine, &plan);
    for server in &servers {
        for _ in 0..7 {
            assert_eq!(server.send("GET", "/categories", "").status, 200);
        }
    }
    let directories: Vec<TempDir> = servers.into_iter().map(ServerProcess::stop).collect();
    let show = |directory: &Path| {
        let url = engine.url();
        let arguments = ["keys", "show", "3", "--json", "--limits", &url];
        let output = run_petstore(directory, &arguments);
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    for directory in &directories {
        let shown = show(directory.path());
        assert_eq!(shown["day"]["used"], 21, "{shown}");
        assert!(shown["last_used_at"].is_string(), "{shown}");
    }
}

#[test]
fn wrong_limits_are_errors_at_the_start() {
    let Some(engine) = TestRedis::start_with("wrong_limits", &["--requirepass", "right"]) else {
        return;
    };
    let wrong = engine.url().replace("//", "//:wrong-secret@");
    for (limits, expected) in [
        ("localhost:6379", "write redis://HOST"),
        ("redis://a/1,redis://b", "a cluster has only the database 0"),
        (&wrong, "cannot use the engine of the limits at 127.0.0.1:"),
    ] {
        let directory = TempDir::new().unwrap();
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--limits", limits];
        let output = run_petstore(directory.path(), &arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{limits}: {stderr}");
        assert!(stderr.contains(expected), "{limits}: {stderr}");
        assert!(!stderr.contains("wrong-secret"), "{stderr}");
    }
}
