//! Servers that die, engines that restart or lose everything, and networks that break: no limit is exceeded, and everything
//! goes on afterwards.

use std::time::Duration;

use dropspec_gate::rate_limit::{Ban, Ledger, LimiterPolicy, Outcome, TimeSource, WithoutLedger};
use dropspec_gate::redis_ledger::RedisLedger;
use futures::future::join_all;
use test_redis::{Mode, TestProxy, TestRedis};

use super::{Servers, account, policy};
use crate::fixture::NOON;

/// More than anything takes.
const TIMEOUT: Duration = Duration::from_secs(60);

#[tokio::test]
async fn engine_that_loses_everything_learns_what_servers_know() {
    let Some(engine) = TestRedis::start("engine_that_loses_everything") else {
        return;
    };
    let servers = Servers::on_redis(4, &engine.url()).await;
    let account = account(1, 600, 100_000);
    let mut admitted = 0;
    for turn in 0..400 {
        admitted += servers.admitted_of(1, turn % 4, &account, NOON).await;
    }
    engine.command(&["FLUSHALL"]);
    for turn in 0..2000 {
        admitted += servers.admitted_of(1, turn % 4, &account, NOON).await;
    }
    println!("admitted {admitted} of 600");
    // Each server may know less than the last lease of each other one.
    assert!((600..=600 + 4 * 60).contains(&admitted), "{admitted}");
}

#[tokio::test]
async fn requests_are_refused_at_once_or_admitted_while_the_engine_is_away() {
    let Some(mut engine) = TestRedis::start("while_the_engine_is_away") else {
        return;
    };
    for (without_ledger, expected) in [
        (WithoutLedger::Refuse, Outcome::Unavailable),
        (WithoutLedger::Admit, Outcome::AdmittedWithoutLease),
    ] {
        let policy = LimiterPolicy {
            without_ledger,
            ..policy()
        };
        let servers = Servers::on_redis_with(1, &engine.url(), TimeSource::Caller, policy).await;
        let account = account(1, 10_000_000, 10_000_000);
        engine.kill();
        let away = async { while servers.send(0, &account, NOON).await.outcome != expected {} };
        tokio::time::timeout(TIMEOUT, away).await.unwrap();
        // Other keys do not wait for it, either.
        for key_id in 2..50 {
            let other = super::account(key_id, 60, 1000);
            assert_eq!(servers.send(0, &other, NOON).await.outcome, expected);
        }
        engine.restart();
        servers.connected().await;
        // Who is admitted anyway does not wait for the call that finds the engine again.
        let back = async {
            while servers.send(0, &account, NOON + 1).await.outcome != Outcome::Admitted {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(TIMEOUT, back).await.unwrap();
        engine.command(&["FLUSHALL"]);
    }
}

#[tokio::test]
async fn start_without_the_engine_succeeds_and_finds_it_later() {
    let Some(mut engine) = TestRedis::start("start_without_the_engine") else {
        return;
    };
    engine.kill();
    let url = engine.url();
    let ledger = RedisLedger::connect(url.parse().unwrap(), "test", TimeSource::Caller);
    let ledger = ledger.await.unwrap();
    assert!(ledger.read_entry(1).await.is_err());
    let mut faults = ledger.watch_fault();
    assert!(faults.borrow_and_update().is_some());
    engine.restart();
    let works = faults.wait_for(Option::is_none);
    tokio::time::timeout(TIMEOUT, works).await.unwrap().unwrap();
    assert!(ledger.read_entry(1).await.is_ok());
}

#[tokio::test]
async fn wrong_password_is_an_error_at_the_start() {
    let Some(engine) = TestRedis::start_with("wrong_password", &["--requirepass", "right"]) else {
        return;
    };
    for (credentials, works) in [("", false), (":wrong@", false), (":right@", true)] {
        let url = engine.url().replace("//", &format!("//{credentials}"));
        let ledger = RedisLedger::connect(url.parse().unwrap(), "test", TimeSource::Caller);
        let ledger = ledger.await;
        assert_eq!(ledger.is_ok(), works, "{credentials}: {ledger:?}");
    }
}

/// The certificates of the tests of HTTPS: one for `localhost`, and one that nobody has signed.
const CERTIFICATES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../petstore-server/tests/it/process/tls"
);

#[tokio::test]
async fn certificate_of_the_engine_is_verified() {
    let port = test_postgres::free_port().to_string();
    let [certificate, key] =
        ["certificate.pem", "key.pem"].map(|name| format!("{CERTIFICATES}/{name}"));
    let options = [
        ["--tls-port", &port],
        ["--tls-cert-file", &certificate],
        ["--tls-key-file", &key],
        ["--tls-ca-cert-file", &certificate],
        ["--tls-auth-clients", "no"],
    ];
    let options = options.concat();
    let test = "certificate_of_the_engine_is_verified";
    let Some(_engine) = TestRedis::start_with(test, &options) else {
        return;
    };
    for (parameter, expected) in [
        (&*certificate, None),
        ("", Some("invalid peer certificate")),
        (
            &format!("{CERTIFICATES}/other_certificate.pem"),
            Some("invalid peer certificate"),
        ),
        (
            "/no/such/file",
            Some("/no/such/file cannot be used as sslrootcert"),
        ),
        (&key, Some("holds no certificate")),
    ] {
        let parameter = match parameter {
            "" => String::new(),
            file => format!("?sslrootcert={file}"),
        };
        let url = format!("rediss://localhost:{port}/{parameter}");
        let ledger = RedisLedger::connect(url.parse().unwrap(), "test", TimeSource::Caller);
        match (ledger.await, expected) {
            (Ok(ledger), None) => assert!(ledger.read_entry(1).await.is_ok()),
            (Err(error), Some(expected)) => {
                let error = format!("{:#}", anyhow::Error::new(error));
                assert!(error.contains(expected), "{url}: {error}");
            }
            (ledger, _) => panic!("{url}: {ledger:?}"),
        }
    }
}

#[tokio::test]
async fn user_with_rights_to_its_keys_and_its_channel_suffices() {
    let user = "--user app on >right ~test:* &test:* +@all -@admin -@dangerous --user default off";
    let options: Vec<&str> = user.split(' ').collect();
    let Some(engine) = TestRedis::start_with("user_with_rights", &options) else {
        return;
    };
    let url = engine.url().replace("//", "//app:right@");
    let servers = Servers::on_redis(2, &url).await;
    let account = account(1, 60, 1000);
    let one = servers.admitted_of(20, 0, &account, NOON).await;
    let other = servers.admitted_of(60, 1, &account, NOON).await;
    assert_eq!(one + other, 60);
    let mut ban = Ban::default();
    ban.start(NOON);
    servers.ledgers[0].record_ban(1, ban).await.unwrap();
    assert_eq!(servers.ledgers[1].read_entry(1).await.unwrap().ban, ban);
    assert_eq!(servers.ledgers[1].read_banned(NOON).await.unwrap(), [1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn limit_holds_whatever_the_network_does() {
    let Some(engine) = TestRedis::start("limit_holds_whatever_the_network_does") else {
        return;
    };
    let proxy = TestProxy::start(engine.port()).await;
    let account = account(1, 20_000, 1_000_000);
    let policy = LimiterPolicy {
        ledger_timeout: Duration::from_millis(1500),
        ..policy()
    };
    let time = TimeSource::Caller;
    let behind = Servers::on_redis_with(2, &proxy.url(), time, policy).await;
    let direct = Servers::on_redis_with(1, &engine.url(), time, policy).await;
    let mut admitted = 0;
    let modes = [
        Mode::Delay(Duration::from_millis(3)),
        Mode::Cut,
        Mode::DropReplies,
        Mode::Halve,
        Mode::Stall,
    ];
    let mut now = NOON;
    for mode in modes.into_iter().chain(modes) {
        // What fails in a second is not tried again before the next one.
        for (mode, requests) in [(mode, 150), (Mode::Forward, 50)] {
            proxy.set(mode);
            if mode == Mode::Forward {
                behind.connected().await;
            }
            // On a busy machine a call may be late once more.
            for attempt in 0..20 {
                now += 1;
                let loads = [(&behind, 0), (&behind, 1), (&direct, 0)];
                let loads = loads
                    .map(|(servers, server)| servers.admitted_of(requests, server, &account, now));
                let of_each = join_all(loads).await;
                admitted += of_each.iter().sum::<u64>();
                if mode != Mode::Forward || of_each == [50, 50, 50] {
                    break;
                }
                assert_ne!(attempt, 19, "all work again, not {of_each:?}");
            }
        }
    }
    for (servers, server) in [(&behind, 0), (&behind, 1), (&direct, 0)] {
        admitted += servers.admitted_of(20_000, server, &account, now + 1).await;
    }
    // A lease is lost with each reply that is lost.
    assert!((10_000..=20_000).contains(&admitted), "{admitted}");
}
