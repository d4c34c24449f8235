//! Three servers on one PostgreSQL and one Redis, while servers are killed, both engines crash and networks break: no acknowledged
//! write is lost, nothing is oversold, no key exceeds its limit, and repeated requests get the response of the first.
//!
//! The variable `FLEET_ROUNDS` sets the number of rounds; 20 rounds kill 100 servers and 20 engines.

mod engines;
mod load;
mod servers;

use std::sync::Arc;
use std::time::Instant;

use test_support::process::TIMEOUT;
use tokio::runtime::Handle;

use self::engines::Engines;
use self::load::Load;
use self::servers::Servers;

/// Rounds without the variable.
const ROUNDS: usize = 2;

/// The kills of servers in a round, which ends with a crash of an engine.
const KILLS: usize = 5;

/// Clients that send requests all the time.
const CLIENTS: usize = 6;

/// Writes that must succeed between two faults.
const PROGRESS: usize = 25;

/// Requests a day of the key that is limited, for each round. The clients send more.
const LIMIT: usize = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_lose_oversell_and_repeat_nothing_while_servers_engines_and_networks_fail() {
    let rounds = std::env::var("FLEET_ROUNDS").map_or(ROUNDS, |it| it.parse().unwrap());
    let Some(mut engines) = Engines::start().await else {
        return;
    };
    let mut servers = Servers::start(&engines, rounds * LIMIT);
    let load = Arc::new(Load::prepare(servers.clients(), rounds * LIMIT).await);
    let spawn = |number| {
        let (load, runtime) = (Arc::clone(&load), Handle::current());
        // A thread for each, as the main one blocks while it starts and stops processes.
        tokio::task::spawn_blocking(move || runtime.block_on(load.run(number)))
    };
    let clients: Vec<_> = (0..CLIENTS).map(spawn).collect();

    let mut random = fastrand::Rng::with_seed(1);
    for round in 0..rounds {
        for _ in 0..KILLS {
            let number = random.usize(..servers.count());
            engines.break_networks(number, &mut random);
            wait_for_progress(&load, "a server was killed").await;
            engines.mend_networks(number);
            servers.kill_and_restart(number, &engines);
        }
        engines.crash(round);
        wait_for_progress(&load, "an engine crashed").await;
    }
    load.stop();
    for client in clients {
        client.await.unwrap();
    }
    load.check(&engines.store().await).await;
}

/// Waits until so many more writes are acknowledged: the servers go on whatever has failed.
async fn wait_for_progress(load: &Load, reason: &str) {
    let (start, before) = (Instant::now(), load.acknowledged());
    while load.acknowledged() < before + PROGRESS {
        load.assert_running();
        assert!(start.elapsed() < TIMEOUT, "no progress after {reason}");
        tokio::time::sleep(load::PAUSE).await;
    }
}
