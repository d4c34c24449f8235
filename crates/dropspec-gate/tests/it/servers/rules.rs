//! What holds for several servers on any engine that they share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dropspec_gate::rate_limit::{Ban, Ledger, LimiterPolicy, Outcome};
use futures::future::join_all;

use super::{Engine, Servers, account, policy};
use crate::fixture::{NOON, at};

pub async fn whole_limit_is_usable_and_no_more_however_requests_are_divided(engine: &impl Engine) {
    for count in [1, 2, 4, 8] {
        for limit in [10, 60, 1000] {
            let servers = Servers::start(count, engine).await;
            // Of as many turns, how many go to the first server.
            for first in [0, count, 10 * count] {
                let account = account(engine.new_key().await, limit, 100_000);
                let (mut admitted, calls) = (0, servers.lease_calls());
                for turn in 0..3 * usize::try_from(limit).unwrap() * (1 + first / count) {
                    let server = match turn % (count + first) {
                        turn if turn < count => turn,
                        _ => 0,
                    };
                    let decision = servers.send(server, &account, NOON).await;
                    admitted += u64::from(decision.is_admitted());
                }
                assert_eq!(
                    admitted, limit,
                    "{count} servers, {first} more to the first"
                );
                println!(
                    "{count} servers, limit {limit}, {first} of {} to the first: {} calls",
                    count + first,
                    servers.lease_calls() - calls
                );
            }
        }
    }
}

pub async fn server_is_not_refused_while_others_sit_on_their_leases(engine: &impl Engine) {
    let servers = Servers::start(8, engine).await;
    for limits in [(60, 1000), (10_000, 60), (3, 3)] {
        let account = account(engine.new_key().await, limits.0, limits.1);
        let limit = limits.0.min(limits.1);
        let mut admitted = 0;
        for server in 1..8 {
            admitted += servers.admitted_of(1, server, &account, NOON).await;
        }
        admitted += servers.admitted_of(limit, 0, &account, NOON).await;
        assert_eq!(admitted, limit, "{limits:?}");
        for server in 0..8 {
            let refused = servers.send(server, &account, NOON).await;
            assert!(
                matches!(refused.outcome, Outcome::RateLimited(_)),
                "{refused:?}"
            );
        }
        // All of them know that nothing is left, so a refusal needs no call.
        let calls = servers.lease_calls();
        for server in 0..8 {
            assert_eq!(servers.admitted_of(9, server, &account, NOON).await, 0);
        }
        assert_eq!(servers.lease_calls(), calls);
    }
}

pub async fn remaining_never_rises_on_a_server_and_is_0_when_it_refuses(engine: &impl Engine) {
    const LIMIT: u64 = 60;
    let servers = Servers::start(3, engine).await;
    for seed in 1..=5_u64 {
        let account = account(engine.new_key().await, LIMIT, 100_000);
        let (mut shown, mut sequence) = ([LIMIT; 3], seed);
        let mut refused = 0;
        while refused < 12 {
            // Mostly the first one.
            sequence = sequence
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(seed);
            let server = [0, 0, 0, 1, 2][(sequence >> 33) as usize % 5];
            let decision = servers.send(server, &account, NOON).await;
            let (before, remaining) = (shown[server], decision.rate_limit.remaining);
            if decision.is_admitted() {
                // What others have used is known with the next lease.
                assert!(remaining < before, "{before}, then {remaining}")
            } else {
                assert_eq!(remaining, 0)
            }
            refused += u64::from(!decision.is_admitted());
            shown[server] = remaining;
        }
    }
}

pub async fn concurrent_requests_to_all_servers_are_admitted_up_to_the_limit(engine: &impl Engine) {
    let servers = Servers::start(8, engine).await;
    let admitted = AtomicU64::new(0);
    for limit in [1, 7, 60, 500] {
        let account = account(engine.new_key().await, limit, 100_000);
        admitted.store(0, Ordering::Relaxed);
        let senders = (0..32).map(async |sender| {
            let some = servers.admitted_of(limit, sender % 8, &account, NOON).await;
            admitted.fetch_add(some, Ordering::Relaxed);
        });
        join_all(senders).await;
        assert_eq!(admitted.load(Ordering::Relaxed), limit);
    }
}

pub async fn server_that_stops_returns_what_it_did_not_use(engine: &impl Engine) {
    let account = account(engine.new_key().await, 60, 1000);
    let stopped = Servers::start(1, engine).await;
    assert_eq!(stopped.admitted_of(7, 0, &account, NOON).await, 7);
    stopped.limiters[0].close().await.unwrap();
    let servers = Servers::start(1, engine).await;
    let status = servers.limiters[0]
        .status(&account, at(NOON))
        .await
        .unwrap();
    assert_eq!((status.minute.remaining, status.day.remaining), (53, 993));
}

pub async fn ban_holds_on_all_servers_from_the_next_request_on(engine: &impl Engine) {
    let policy = LimiterPolicy {
        bans_enabled: true,
        ..policy()
    };
    let servers = Servers::start_with(3, engine, policy).await;
    let account = account(engine.new_key().await, 60, 1000);
    // The second one knows the key, the third one does not.
    servers.send(1, &account, NOON).await;
    while servers.send(0, &account, NOON).await.outcome != Outcome::Banned {}
    for server in [1, 2] {
        // In the next minute it needs a lease, with which it learns of the ban.
        let decision = servers.send(server, &account, NOON + 60).await;
        assert_eq!(decision.outcome, Outcome::Banned, "server {server}");
        assert_eq!(decision.rate_limit.reset, NOON + 120);
    }
    assert!(servers.send(1, &account, NOON + 120).await.is_admitted());
}

pub async fn ban_is_announced_to_servers_that_hold_leases(engine: &impl Engine) {
    let servers = Servers::start(1, engine).await;
    let account = account(engine.new_key().await, 60, 1000);
    servers.send(0, &account, NOON).await;
    let other = engine.open().await;
    let mut ban = Ban::default();
    ban.start(NOON);
    other.record_ban(account.key_id, ban).await.unwrap();
    // The notice comes within a moment; requests of cost 0 do not spend the lease.
    let banned = async {
        while servers.limiters[0]
            .status(&account, at(NOON))
            .await
            .unwrap()
            .banned_until
            .is_none()
        {}
        while servers.send(0, &account, NOON).await.outcome != Outcome::Banned {}
    };
    tokio::time::timeout(Duration::from_secs(20), banned)
        .await
        .unwrap();
}

pub async fn killed_server_costs_its_lease_and_delays_nobody_for_long(engine: &impl Engine) {
    let account = account(engine.new_key().await, 60, 1000);
    let servers = Servers::start(2, engine).await;
    let killed = Servers::start(1, engine).await;
    let mut admitted = killed.admitted_of(1, 0, &account, NOON).await;
    // As by a crash: nothing is returned.
    drop(killed);
    for server in [0, 1] {
        admitted += servers.admitted_of(60, server, &account, NOON).await;
    }
    assert_eq!(admitted, 55, "of the 6 that it leased, 5 are lost");
    let calls = servers.lease_calls();
    servers.admitted_of(20, 0, &account, NOON).await;
    assert_eq!(servers.lease_calls(), calls, "nobody waits for it again");
}
