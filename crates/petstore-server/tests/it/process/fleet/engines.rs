//! The engines of the servers, which crash, and the networks between, which break.

use std::sync::Arc;
use std::time::Duration;

use dropspec_store::postgres::PostgresEngine;
use petstore_server::store::{POSTGRES_SCHEMA, Store};
use test_postgres::{Shutdown, TestServer};
use test_redis::{Mode, TestProxy, TestRedis};

use super::servers::SERVERS;

/// The engines, and the networks of each server to them.
pub struct Engines {
    postgres: TestServer,
    redis: TestRedis,
    networks: Vec<Networks>,
}

struct Networks {
    postgres: TestProxy,
    redis: TestProxy,
}

impl Engines {
    /// Starts the engines. `None` if one is not installed; then the test is reported as skipped.
    pub async fn start() -> Option<Engines> {
        let postgres = TestServer::start("fleet")?;
        let redis = TestRedis::start("fleet")?;
        let mut networks = Vec::new();
        for _ in 0..SERVERS {
            networks.push(Networks {
                postgres: TestProxy::start(postgres.port()).await,
                redis: TestProxy::start(redis.port()).await,
            });
        }
        Some(Engines {
            postgres,
            redis,
            networks,
        })
    }

    /// The URL of the database, without a network between.
    pub fn database(&self) -> String {
        self.postgres.url("postgres")
    }

    /// The records.
    pub async fn store(&self) -> Store {
        let config = self.database().parse().unwrap();
        Store::new(Arc::new(
            PostgresEngine::open(POSTGRES_SCHEMA, &config)
                .await
                .unwrap(),
        ))
    }

    /// The URLs of the engines for a server: that of the database, and that of the limits.
    pub fn urls(&self, server: usize) -> (String, String) {
        let networks = &self.networks[server];
        let database = format!(
            "postgres://postgres@{}/postgres",
            networks.postgres.address()
        );
        (database, networks.redis.url())
    }

    /// Breaks the networks of another server than this one.
    pub fn break_networks(&mut self, server: usize, random: &mut fastrand::Rng) {
        let networks = &self.networks[(server + 1) % SERVERS];
        let delay = Duration::from_millis(random.u64(1..20));
        let modes = [Mode::Forward, Mode::Delay(delay), Mode::Cut, Mode::Halve];
        networks.postgres.set(random.choice(modes).unwrap());
        networks.redis.set(random.choice(modes).unwrap());
    }

    /// Mends what [`Engines::break_networks`] broke.
    pub fn mend_networks(&self, server: usize) {
        let networks = &self.networks[(server + 1) % SERVERS];
        networks.postgres.set(Mode::Forward);
        networks.redis.set(Mode::Forward);
    }

    /// Crashes one of the engines in turn, and starts it again. Neither loses what it has acknowledged.
    pub fn crash(&mut self, turn: usize) {
        match turn % 2 {
            0 => {
                let shutdowns = [Shutdown::Immediate, Shutdown::Fast];
                self.postgres.stop(shutdowns[turn / 2 % 2]);
                self.postgres.restart();
            }
            _ => self.redis.restart(),
        }
    }
}
