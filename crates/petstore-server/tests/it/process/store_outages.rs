//! A database that cannot be written: requests return 503, the log gives the cause, and the server recovers.

use std::io::Write;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::json;
use test_support::{Response, ServerProcess, Storage, blocking_http, poll_until};

fn create_category(server: &ServerProcess, name: &str) -> Response {
    server.send("POST", "/categories", &json!({ "name": name }).to_string())
}

fn assert_unavailable(response: &Response) {
    assert_eq!(response.outcome(), "503 unavailable");
    assert_eq!(response.header("retry-after"), Some("1"));
}

/// Waits until a request of the key is admitted. A ledger that failed is called again after a second.
fn wait_for_admission(server: &ServerProcess) {
    poll_until("the ledger to be called again", || {
        (server.send("GET", "/pets", "").status == 200).then_some(())
    });
}

/// Expects that the store can be read. Neither request needs a lease, which would be a write.
fn assert_readable(server: &ServerProcess) {
    assert_eq!(server.get_panel("/readyz").status, 200);
    assert_eq!(server.send("GET", "/rate-limit", "").status, 200);
}

/// Expects a warning about this response that names the cause.
fn assert_logged(server: &ServerProcess, response: &Response, cause: &str) {
    let id = json!(response.header("x-request-id").unwrap());
    let is_warning = |it: &serde_json::Value| it["request_id"] == id && it["level"] == "WARN";
    let line = server.wait_for_log_line(is_warning);
    let error = line["error"].as_str().unwrap();
    assert!(error.contains(cause), "{error}");
}

#[test]
fn locked_database_returns_503_until_it_is_unlocked() {
    let server = ServerProcess::start_on_file();
    let other = Connection::open(server.database()).unwrap();
    // A key that was never used needs a lease.
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let limited = server.send("GET", "/pets", "");
    assert_unavailable(&limited);
    assert_logged(&server, &limited, "the ledger did not answer in time");
    other.execute_batch("ROLLBACK").unwrap();
    wait_for_admission(&server);
    assert_eq!(create_category(&server, "Cat").status, 201);

    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let failed = create_category(&server, "Dog");
    assert_unavailable(&failed);
    assert_logged(&server, &failed, "database is locked");
    assert_readable(&server);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(create_category(&server, "Dog").status, 201);
    assert!(server.metric("petstore_writer_undone_total") > 0);
}

/// Sends so many requests at once, each of which must be answered within two seconds, and returns their outcomes.
fn outcomes_within_two_seconds(server: &ServerProcess, requests: usize) -> Vec<String> {
    let send = || {
        let request = server.format_request("GET", "/pets", "", "Connection: close\r\n");
        let mut stream = blocking_http::connect(server.public);
        stream
            .set_read_timeout(Some(Duration::from_secs(2)))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        blocking_http::read_response(&mut stream).outcome()
    };
    thread::scope(|scope| {
        let sent: Vec<_> = (0..requests).map(|_| scope.spawn(send)).collect();
        sent.into_iter().map(|it| it.join().unwrap()).collect()
    })
}

#[test]
fn while_the_database_is_locked_requests_of_a_small_plan_are_answered_within_two_seconds() {
    for (arguments, expected) in [
        (&[][..], "503 unavailable"),
        (&["--without-ledger", "admit"], "200"),
    ] {
        let mut server = ServerProcess::start_in(Storage::file(), arguments);
        // A key for the first request alone, and one for many at once.
        let keys = ["free", "free"].map(|plan| server.create_key(&["--plan", plan]));
        let other = Connection::open(server.database()).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        for (key, requests) in keys.iter().zip([1, 20]) {
            server.key.clone_from(key);
            let outcomes = outcomes_within_two_seconds(&server, requests);
            assert_eq!(outcomes, vec![expected; requests], "{arguments:?}");
        }
        let ready = server.get_panel("/readyz");
        assert_eq!(ready.status, 200);
        let text = "ready, but the usage of keys could not be stored the last time\n";
        assert_eq!(ready.text(), text);
        other.execute_batch("ROLLBACK").unwrap();
        wait_for_admission(&server);
        poll_until("the ledger to work", || {
            wait_for_admission(&server);
            (server.get_panel("/readyz").text() == "ready\n").then_some(())
        });
        let decision = "petstore_limiter_decisions_total{plan=\"free\",outcome=";
        let admitted = server.find_metric(&format!("{decision}\"admitted_without_lease\"}}"));
        assert_eq!(admitted.is_some_and(|it| it >= 21), expected == "200");
    }
}
