//! Servers whose clocks differ from that of their database.

use std::process::Command;

use test_postgres::{FakeClock, TestDatabase};
use test_support::process::{petstore_by, poll_until};
use test_support::{Response, ServerProcess, Storage};

use super::postgres::{keys, start};

const HOUR: i64 = 3_600;

/// Starts a server on a database, by another clock.
fn start_by(clock: &FakeClock, url: &str) -> ServerProcess {
    let mut command = petstore_by(clock.command(Command::new));
    command.env("PETSTORE_DATABASE", url);
    ServerProcess::run(command, Storage::file(), &[])
}

fn create_once(server: &ServerProcess, key: &str) -> Response {
    let headers = format!("Idempotency-Key: {key}\r\n");
    let body = format!("{{\"name\":\"Category {key}\"}}");
    server.send_with("POST", "/categories", &body, &headers)
}

#[test]
fn stored_times_are_by_the_clock_of_the_database() {
    let test = "stored_times_are_by_the_clock_of_the_database";
    let Some(clock) = FakeClock::ahead_by(25 * HOUR, test) else {
        return;
    };
    let Some(database) = TestDatabase::create(test) else {
        return;
    };
    let url = database.url();
    let right = start(url).with_first_key();
    let mut ahead = start_by(&clock, url);
    ahead.key.clone_from(&right.key);

    // Executed once: the name of a category is unique.
    for (first, second, key) in [(&right, &ahead, "1"), (&ahead, &right, "2")] {
        let created = create_once(first, key);
        assert_eq!(created.status, 201, "{created:?}");
        let again = create_once(second, key);
        assert_eq!((again.status, again.text()), (201, created.text()));
    }
    let id = keys(url, &["list"])[0]["id"].to_string();
    keys(url, &["rotate", &id, "--overlap", "3h"]);
    let categories = |server: &ServerProcess| server.send("GET", "/categories", "").status;
    assert_eq!([categories(&right), categories(&ahead)], [200, 200]);

    assert_eq!(right.get_panel("/readyz").text(), "ready\n");
    let text = ahead.get_panel("/readyz").text().to_owned();
    let expected = "ready, but the clock of this machine is ";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.ends_with(" seconds ahead of that of the database\n"));
    let lead = ahead.metric("petstore_clock_lead_seconds");
    assert!(lead.abs_diff(25 * 3_600) <= 1, "{lead}");
    let message = "the clock of this machine differs from that of the database, which counts";
    ahead.wait_for_log_line(|line| line["msg"] == message);

    clock.set(0);
    poll_until("the clock is right", || {
        (ahead.get_panel("/readyz").text() == "ready\n").then_some(())
    });
    let message = "the clock of this machine is that of the database again";
    ahead.wait_for_log_line(|line| line["msg"] == message);
}
