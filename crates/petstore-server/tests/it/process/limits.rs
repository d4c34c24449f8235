//! `--limits`: several servers that count requests in one Redis.

use serde_json::Value;
use test_redis::TestRedis;
use test_support::process::{petstore, poll_until};
use test_support::{Backend, ServerProcess, Storage, run_keys, run_petstore};

const SERVERS: usize = 3;

/// Servers with one database, or with copies of a file, so that they know the same keys by the same ids.
fn start_servers(engine: &TestRedis) -> Vec<ServerProcess> {
    let first = ServerProcess::start();
    let key = first.create_limited_key(1000, 1000);
    let database = first.stop();
    let start = |_| {
        let storage = match Backend::chosen() {
            Backend::Sqlite => {
                let copy = Storage::file();
                std::fs::copy(database.database_file(), copy.database_file()).unwrap();
                copy
            }
            _ => database.for_another_server(),
        };
        let arguments = ["--limits", &engine.url()];
        let mut server = ServerProcess::run(petstore(), storage, &arguments);
        server.key.clone_from(&key);
        server
    };
    (0..SERVERS).map(start).collect()
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
    assert!(line["holder"].is_string(), "{line}");

    engine.kill();
    let unavailable = |server: &ServerProcess| {
        // A key without a lease: another one each time.
        let key = server.create_limited_key(100, 100);
        server.get_as(&key, "/categories").status
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
    let servers = start_servers(&engine);
    for server in &servers {
        for _ in 0..7 {
            assert_eq!(server.send("GET", "/categories", "").status, 200);
        }
    }
    let stopped: Vec<Storage> = servers.into_iter().map(ServerProcess::stop).collect();
    for storage in &stopped {
        if !storage.has_redis() {
            let shown = run_keys(storage, &["show", "3"]);
            let address = engine.url().replace("redis://", "");
            assert_eq!(
                shown["counted_in"],
                address.trim_end_matches('/'),
                "{shown}"
            );
            assert_eq!(shown["day"], Value::Null, "{shown}");
        }
        let shown = run_keys(storage, &["show", "3", "--limits", &engine.url()]);
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
        let storage = Storage::file();
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--limits", limits];
        let output = run_petstore(storage.path(), &arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{limits}: {error}");
        assert!(error.contains(expected), "{limits}: {error}");
        assert!(!error.contains("wrong-secret"), "{error}");
    }
}

#[test]
fn engine_that_forgets_entries_is_in_the_log() {
    let policy = ["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"];
    let Some(engine) = TestRedis::start_with("engine_that_forgets", &policy) else {
        return;
    };
    let server = ServerProcess::run(petstore(), Storage::file(), &["--limits", &engine.url()]);
    let line = server.wait_for_log_line(|line| {
        let message = line["msg"].as_str().unwrap_or_default();
        message.contains("set maxmemory-policy noeviction")
    });
    assert_eq!(line["maxmemory-policy"], "allkeys-lru");
}

#[test]
fn what_a_database_has_counted_is_known_to_an_engine_that_counts_from_now_on() {
    let test = "what_a_database_has_counted";
    let Some(engine) = TestRedis::start(test) else {
        return;
    };
    let server = ServerProcess::start_on_file();
    for _ in 0..30 {
        assert_eq!(server.send("GET", "/categories", "").status, 200);
    }
    let key = server.key.clone();
    let mut storage = server.stop();
    // The second start tells the engine nothing new.
    for used in [30, 31] {
        let arguments = ["--limits", &engine.url()];
        let mut server = ServerProcess::run(petstore(), storage, &arguments);
        server.key.clone_from(&key);
        let status: Value = server.send("GET", "/rate-limit", "").json();
        assert_eq!(status["day"]["remaining"], 10_000_000 - used);
        assert_eq!(server.send("GET", "/categories", "").status, 200);
        storage = server.stop();
    }
}
