//! `kill -9` of a server under load, again and again in one minute: the minute's limit holds over all of its lives, and
//! each kill costs what was leased and what was in flight at most.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use petstore_client::types::NewCategory;
use petstore_client::{Client, Error};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::task::JoinSet;

use super::keys::created;
use super::running::Running;

/// Each with another key, and other points at which the server is killed.
const ROUNDS: u64 = 5;

const KILLS: u64 = 5;

/// Few, so that what they have in flight leaves something to be counted.
const CLIENTS: u64 = 2;

/// The free plan's requests a minute.
const LIMIT: u64 = 60;

/// The most of it that is leased and unspent.
const BLOCK: u64 = 6;

/// How old a minute may be for all of this to fit into what is left of it.
const YOUNG: i64 = 30;

/// What one minute came to.
#[derive(Debug, Default)]
struct Minute {
    /// Requests that were answered as admitted.
    answered: u64,
    /// Requests that were in flight at a kill.
    in_flight: u64,
    /// Kills, as many as there were lives.
    kills: u64,
    /// Kills with requests in flight.
    kills_under_load: u64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_all_lives_of_a_server_a_minute_has_sixty_places() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("db");
    Running::start(&database).kill();
    let mut rounds = 0;
    // How long after requests were sent the server is killed at the latest.
    let mut latest = Duration::from_millis(4);
    // A machine that is busy with other things may not be done in a minute; a second one it has time for.
    for _ in 0..3 * ROUNDS {
        let key = created(&database, &["--plan", "free"]);
        let before = categories(&database);
        let Some(minute) = one_minute(&database, &key, &mut latest).await else {
            continue;
        };
        let admitted = categories(&database) - before;
        assert!(admitted <= LIMIT, "{admitted} were admitted: {minute:?}");
        let lost = minute.kills * BLOCK + minute.in_flight;
        assert!(minute.answered + lost >= LIMIT, "too few: {minute:?}");
        assert!(minute.answered <= admitted, "what was answered was done");
        rounds += 1;
        if rounds == ROUNDS {
            return;
        }
    }
    panic!("so many kills do not fit into a minute here");
}

/// Starts a server and kills it, until there were enough kills; then uses up what the minute has left. `None` if the
/// minute was over, or used up, before.
async fn one_minute(database: &Path, key: &str, latest: &mut Duration) -> Option<Minute> {
    let begin = young_minute().await;
    let mut minute = Minute::default();
    while minute.kills_under_load < KILLS {
        let server = Running::start(database);
        let client = server.client_of(key);
        match create(&client).await {
            Ending::Admitted => minute.answered += 1,
            _ => return None,
        }
        let mut clients = JoinSet::new();
        for _ in 0..CLIENTS {
            let client = client.clone();
            clients.spawn(async move { create(&client).await });
        }
        kill_after(server, latest.mul_f64(fraction()));
        let ends = clients.join_all().await;
        if ends.contains(&Ending::Refused) {
            return None;
        }
        let count = |of| ends.iter().filter(|end| **end == of).count() as u64;
        minute.answered += count(Ending::Admitted);
        minute.in_flight += count(Ending::Broken);
        minute.kills += 1;
        minute.kills_under_load += u64::from(ends.contains(&Ending::Broken));
        // Too late wastes a life. This settles where seven kills of eight find something in flight.
        let all_answered = ends.iter().all(|end| *end == Ending::Admitted);
        *latest = latest.mul_f64(if all_answered { 0.5 } else { 1.1 });
    }
    let server = Running::start(database);
    let client = server.client_of(key);
    while let Ending::Admitted = create(&client).await {
        minute.answered += 1;
        assert!(minute.answered <= LIMIT, "the minute has no end");
    }
    (minute_of(Utc::now()) == begin).then_some(minute)
}

/// Kills at a point of a request's life that is too near for a timer.
fn kill_after(server: Running, point: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < point {
        std::hint::spin_loop();
    }
    server.kill();
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Admitted,
    Refused,
    /// It was sent, and nobody answered.
    Broken,
    /// There was no server any more.
    NeverSent,
}

async fn create(client: &Client) -> Ending {
    let body = NewCategory::builder().name(format!("{:x}", random()));
    match client.create_category().body(body).send().await {
        Ok(_) => Ending::Admitted,
        Err(Error::ErrorResponse(error)) => {
            assert_eq!(error.code, "rate_limit_exceeded", "{error:?}");
            Ending::Refused
        }
        Err(Error::CommunicationError(error)) if error.is_connect() => Ending::NeverSent,
        Err(Error::CommunicationError(_) | Error::ResponseBodyError(_)) => Ending::Broken,
        Err(other) => panic!("{other}"),
    }
}

/// Each request that is admitted makes one.
fn categories(database: &Path) -> u64 {
    let connection = Connection::open(database).unwrap();
    let count = "SELECT count(*) FROM categories";
    connection.query_row(count, [], |row| row.get(0)).unwrap()
}

/// Waits until the present minute is young, and returns it.
async fn young_minute() -> i64 {
    loop {
        let now = Utc::now();
        let old = now.timestamp().rem_euclid(60);
        if old < YOUNG {
            return minute_of(now);
        }
        let rest = u64::try_from(60 - old).unwrap();
        tokio::time::sleep(Duration::from_secs(rest)).await;
    }
}

fn minute_of(time: DateTime<Utc>) -> i64 {
    time.timestamp().div_euclid(60)
}

/// From 0 to 1.
fn fraction() -> f64 {
    f64::from(random() as u32) / f64::from(u32::MAX)
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
