//! `kill -9` of a server while requests are in flight: the limit of a window holds over all restarts, and each kill
//! costs at most what was leased and what was in flight.
//!
//! The limit of the day is tested, so that the rounds do not depend on the start of a minute.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use test_support::ServerProcess;

/// Number of rounds, each with another key, and with other points at which the server is killed.
const ROUNDS: usize = 5;

const KILLS: usize = 4;

/// Number of clients: few, so that requests in flight do not use up the limit.
const CLIENTS: usize = 2;

/// Limit of requests a day of the key.
const LIMIT: usize = 60;

/// Maximum number of requests that a kill costs: a lease, and those in flight.
const LOST: usize = 6 + CLIENTS;

/// Maximum number of requests that count as spent on credit after the crashes of one minute: 6 each, after at most three.
const CREDIT: usize = 3 * 6;

#[test]
fn killed_servers_admit_60_requests_in_all_less_leases_and_requests_in_flight() {
    let mut server = ServerProcess::start();
    let (mut rounds, mut midnights) = (0, 0);
    while rounds < ROUNDS {
        server.key = server.create_limited_key(LIMIT as u64, LIMIT as u64);
        let before = count_categories(&server);
        let day = server
            .send("GET", "/rate-limit", "")
            .json::<serde_json::Value>()["day"]["reset"]
            .clone();
        let mut admitted = 0;
        for kill in 0..KILLS {
            let (killed, acknowledged) = kill_during_requests(server, (rounds + kill) % 4);
            (server, admitted) = (killed, admitted + acknowledged);
        }
        while create_category(&server) == Some(true) {
            admitted += 1;
            assert!(admitted <= LIMIT, "there is no limit");
        }
        let status: serde_json::Value = server.send("GET", "/rate-limit", "").json();
        if status["day"]["reset"] != day {
            // The limit began anew at midnight (UTC).
            midnights += 1;
            assert_eq!(midnights, 1, "two midnights in a few seconds");
            continue;
        }
        let written = count_categories(&server) - before;
        assert!(written <= LIMIT, "{written} were admitted");
        assert!(admitted <= written, "{admitted} of {written} were answered");
        assert!(
            admitted + KILLS * LOST + CREDIT >= LIMIT,
            "too few: {admitted}"
        );
        rounds += 1;
    }
}

/// Kills and restarts the server after so many more requests. Returns how many were admitted.
fn kill_during_requests(server: ServerProcess, requests: usize) -> (ServerProcess, usize) {
    let (report, admitted) = mpsc::channel();
    let key = server.key.clone();
    let acknowledged = thread::scope(|scope| {
        for _ in 0..CLIENTS {
            let (report, server) = (report.clone(), &server);
            scope.spawn(
                move || while create_category(server) == Some(true) && report.send(()).is_ok() {},
            );
        }
        drop(report);
        let first = admitted.iter().take(requests + 1).count();
        server.process.signal("KILL");
        first + admitted.iter().count()
    });
    let mut server = ServerProcess::start_in(server.kill(), &[]);
    server.key = key;
    (server, acknowledged)
}

/// Whether a category was created, or the limit was reached; `None` if the server is gone.
fn create_category(server: &ServerProcess) -> Option<bool> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let body = format!(r#"{{"name": "{}"}}"#, NEXT.fetch_add(1, Ordering::Relaxed));
    match server.try_send("POST", "/categories", &body, "")?.status {
        201 => Some(true),
        429 => Some(false),
        other => panic!("{other}"),
    }
}

/// Counts the categories. Each admitted request created one.
fn count_categories(server: &ServerProcess) -> usize {
    let counts = server.storage.query("SELECT count(*) FROM categories");
    counts[0].parse().unwrap()
}
