//! A store and a limiter over it, and the few words in which the tests speak of them.

use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use petstore_api::Plan;
use petstore_server::auth::{Access, ApiKey, Caller, Identity, NewKey, Terms, identify};
use petstore_server::rate_limit::{Account, Limiter, Limits, Policy, Verdict};
use petstore_server::store::{EngineConfig, Store};
use tempfile::TempDir;

/// 2026-11-21 12:00:00 UTC.
pub const NOON: i64 = 1_795_262_400;
pub const DAY: i64 = 24 * 60 * 60;
pub const FREE: Limits = Limits {
    per_minute: 60,
    per_day: 1000,
};

/// An open store with its limiter; the directory goes with it.
pub struct Fixture {
    pub store: Arc<Store>,
    pub limiter: Limiter<Store>,
    policy: Policy,
    directory: TempDir,
}

impl Fixture {
    /// With the usual policy.
    pub fn new() -> Fixture {
        Fixture::with(Policy::new(FREE))
    }

    /// With a policy by which nobody is banned.
    pub fn without_bans() -> Fixture {
        Fixture::with(Policy {
            bans: None,
            ..Policy::new(FREE)
        })
    }

    fn with(policy: Policy) -> Fixture {
        let directory = TempDir::new().unwrap();
        let (store, limiter) = open(directory.path().join("pets.db"), policy);
        Fixture {
            store,
            limiter,
            policy,
            directory,
        }
    }

    pub async fn free_key(&self) -> ApiKey {
        self.key(Terms::new(Plan::Free, None).unwrap()).await
    }

    pub async fn enterprise_key(&self, per_minute: u64, per_day: u64) -> ApiKey {
        let own = Limits {
            per_minute,
            per_day,
        };
        self.key(Terms::new(Plan::Enterprise, Some(own)).unwrap())
            .await
    }

    async fn key(&self, terms: Terms) -> ApiKey {
        let key = ApiKey::generate().unwrap();
        let new = NewKey {
            name: "test".to_owned(),
            terms,
            access: Access::Write,
        };
        self.store.create_key(new, &key, time(NOON)).await.unwrap();
        key
    }

    /// What the gate finds when the key is shown.
    pub fn identify(&self, key: &ApiKey, now: i64) -> Identity {
        identify(
            &self.store,
            [key.expose().as_bytes()].into_iter(),
            time(now),
        )
        .unwrap()
    }

    pub fn account(&self, key: &ApiKey) -> Account {
        match self.identify(key, NOON) {
            Identity::Key(Caller { account, .. }) => account,
            Identity::Anonymous(reason) => panic!("the key is not valid: {reason:?}"),
        }
    }

    /// One request, as it goes through the gate.
    pub async fn send(&self, key: &ApiKey, cost: u64, now: i64) -> Verdict {
        let account = self.account(key);
        self.limiter.charge_key(&account, cost, now).await
    }

    /// Sends requests of cost 1, and counts those that are admitted.
    pub async fn admitted_of(&self, requests: u64, key: &ApiKey, now: i64) -> u64 {
        let mut admitted = 0;
        for _ in 0..requests {
            admitted += u64::from(self.send(key, 1, now).await.is_admitted());
        }
        admitted
    }

    /// Stops in good order and starts again.
    pub async fn restart(self) -> Fixture {
        self.limiter.close().await.unwrap();
        self.store.close().await.unwrap();
        self.reopen().await
    }

    /// Stops without giving anything back, and starts again.
    pub async fn crash(self) -> Fixture {
        // What is written already is on the disk; nothing more comes to it.
        self.store.close().await.unwrap();
        self.reopen().await
    }

    async fn reopen(self) -> Fixture {
        let Fixture {
            store,
            limiter,
            policy,
            directory,
        } = self;
        drop(limiter);
        while Arc::strong_count(&store) > 1 {
            tokio::task::yield_now().await;
        }
        drop(store);
        let (store, limiter) = open(directory.path().join("pets.db"), policy);
        Fixture {
            store,
            limiter,
            policy,
            directory,
        }
    }
}

pub fn time(now: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(now, 0).unwrap()
}

fn open(path: PathBuf, policy: Policy) -> (Arc<Store>, Limiter<Store>) {
    let config = EngineConfig {
        read_connections: 2,
        ..EngineConfig::at(path)
    };
    let store = Arc::new(Store::open(&config).unwrap());
    let limiter = Limiter::new(Arc::clone(&store), policy);
    (store, limiter)
}
