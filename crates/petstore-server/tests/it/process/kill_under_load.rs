//! `kill -9` of a server while requests are in flight: the limit of a window holds over all restarts, and each kill
//! costs at most what was leased and what was in flight.
//!
//! The limit of the day is tested, so that the rounds do not depend on the start of a minute.

use std::sync::atomic::{AtomicUsize, Ordering};

use petstore_client::types::NewCategory;
use petstore_client::{Client, RequestError};
use test_support::ServerProcess;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Number of rounds, each with another key, and with other points at which the server is killed.
const ROUNDS: usize = 5;

const KILLS: usize = 4;

/// Number of clients: few, so that requests in flight do not use up the limit.
const CLIENTS: usize = 2;

/// Limit of requests a day of the key.
const LIMIT: usize = 60;

/// Maximum number of requests of a key that are leased but not spent.
const LEASE: usize = 6;

/// Maximum number of requests that count as spent on credit after the crashes of one minute: 6 each, after at most three.
const CREDIT: usize = 3 * 6;

/// What happened to the requests of one round.
#[derive(Debug, Default)]
struct Round {
    admitted: usize,
    /// Requests without a response, because of a kill.
    in_flight: usize,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_servers_admit_60_requests_in_all_less_leases_and_requests_in_flight() {
    let mut server = ServerProcess::start();
    let (mut rounds, mut midnights) = (0, 0);
    let mut in_flight = 0;
    while rounds < ROUNDS {
        let limit = LIMIT.to_string();
        let plan = ["--plan", "enterprise", "--per-minute", &limit];
        let key = server.create_key(&[&plan[..], &["--per-day", &limit]].concat());
        let before = count_categories(&server);
        let day = day_reset(&server, &key).await;
        let round;
        (server, round) = run_round(server, &key, rounds).await;
        if day_reset(&server, &key).await != day {
            // The limit began anew at midnight (UTC).
            midnights += 1;
            assert_eq!(midnights, 1, "two midnights in a few seconds");
            continue;
        }
        let written = count_categories(&server) - before;
        assert!(written <= LIMIT, "{written} were admitted: {round:?}");
        assert!(
            round.admitted <= written,
            "{written} were written: {round:?}"
        );
        let lost = KILLS * LEASE + CREDIT + round.in_flight;
        assert!(round.admitted + lost >= LIMIT, "too few: {round:?}");
        in_flight += round.in_flight;
        rounds += 1;
    }
    assert!(in_flight > 0, "no kill met a request in flight");
}

/// Kills and restarts the server several times during requests; then sends requests until the limit is reached.
async fn run_round(mut server: ServerProcess, key: &str, number: usize) -> (ServerProcess, Round) {
    let mut round = Round::default();
    for kill in 0..KILLS {
        let (report, mut responses) = mpsc::unbounded_channel();
        let mut clients = JoinSet::new();
        for _ in 0..CLIENTS {
            clients.spawn(send_until_killed(
                server.client_with_key(key),
                report.clone(),
            ));
        }
        drop(report);
        for _ in 0..=(number + kill) % 4 {
            responses.recv().await;
        }
        server = ServerProcess::start_in(server.kill(), &[]);
        for (admitted, was_in_flight) in clients.join_all().await {
            round.admitted += admitted;
            round.in_flight += usize::from(was_in_flight);
        }
    }
    let client = server.client_with_key(key);
    while let Outcome::Admitted = create_category(&client).await {
        round.admitted += 1;
        assert!(round.admitted <= LIMIT, "there is no limit");
    }
    (server, round)
}

/// Sends requests until the server is gone or the limit is reached. Returns how many requests were admitted, and
/// whether the last one was in flight.
async fn send_until_killed(client: Client, report: mpsc::UnboundedSender<()>) -> (usize, bool) {
    let mut admitted = 0;
    loop {
        match create_category(&client).await {
            Outcome::Admitted => admitted += 1,
            Outcome::Limited | Outcome::NotSent => return (admitted, false),
            Outcome::Interrupted => return (admitted, true),
        }
        // Nobody receives it after the kill.
        let _ = report.send(());
    }
}

/// The outcome of a request.
enum Outcome {
    Admitted,
    Limited,
    /// It was sent, and there was no response.
    Interrupted,
    /// The connection was refused.
    NotSent,
}

async fn create_category(client: &Client) -> Outcome {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = NEXT.fetch_add(1, Ordering::Relaxed).to_string();
    let body = NewCategory::builder().name(name);
    match client.create_category().body(body).send().await {
        Ok(_) => Outcome::Admitted,
        Err(RequestError::ErrorResponse(error)) => {
            assert_eq!(error.code, "rate_limit_exceeded", "{error:?}");
            Outcome::Limited
        }
        Err(RequestError::CommunicationError(error)) if error.is_connect() => Outcome::NotSent,
        Err(RequestError::CommunicationError(_) | RequestError::ResponseBodyError(_)) => {
            Outcome::Interrupted
        }
        Err(other) => panic!("{other}"),
    }
}

/// The end of the key's day, in Unix seconds.
async fn day_reset(server: &ServerProcess, key: &str) -> i64 {
    let client = server.client_with_key(key);
    client.get_rate_limit().send().await.unwrap().day.reset
}

/// Counts the categories. Each admitted request created one.
fn count_categories(server: &ServerProcess) -> usize {
    let counts = server.storage.query("SELECT count(*) FROM categories");
    counts[0].parse().unwrap()
}
