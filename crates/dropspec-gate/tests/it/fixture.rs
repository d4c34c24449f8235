//! API keys in a database of their own, with a limiter over them. Time is an argument, so no test waits for it.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dropspec_gate::ApiKeys;
use dropspec_gate::auth::{ApiKey, Authenticate, KeyPlan, Principal, Unauthenticated};
use dropspec_gate::clock::Time;
use dropspec_gate::keys::{
    KEY_TABLES, KEY_TABLES_2, KeyIdentity, KeySettings, NewKey, POSTGRES_KEY_TABLES,
};
use dropspec_gate::rate_limit::{Account, Decision, Limiter, LimiterPolicy, RateLimits};
use dropspec_runtime::security::Credentials;
use dropspec_runtime::{PlanInfo, SecurityScheme, SecuritySchemeInfo};
use dropspec_store::EngineError;
use dropspec_store::postgres::PostgresEngine;
use dropspec_store::sqlite::{Engine, EngineConfig, Schema};
use futures::FutureExt;
use tempfile::TempDir;

/// 2026-11-21 12:00:00 UTC.
pub const NOON: i64 = 1_795_262_400;
pub const FREE: RateLimits = RateLimits::new(60, 1000);
/// More than any call takes, however busy the machine is.
const TIMEOUT: Duration = Duration::from_secs(60);
pub const PLANS: &[PlanInfo] = &[
    PlanInfo {
        name: "free",
        limits: Some(FREE),
    },
    PlanInfo {
        name: "pro",
        limits: Some(RateLimits::new(300, 10_000)),
    },
    PlanInfo {
        // A name of the document's own.
        name: "partner",
        limits: None,
    },
];
pub const SCHEME: SecuritySchemeInfo = SecuritySchemeInfo {
    name: "key",
    kind: SecurityScheme::Header("X-API-Key"),
};
pub const SCHEMA: Schema = Schema {
    application_id: 0x7465_7374,
    migrations: &[
        &["PRAGMA application_id = 0x74657374"],
        KEY_TABLES,
        KEY_TABLES_2,
    ],
};

pub const POSTGRES_SCHEMA: dropspec_store::postgres::Schema = dropspec_store::postgres::Schema {
    application: "test",
    migrations: &[POSTGRES_KEY_TABLES],
};
const SETTINGS: KeySettings = KeySettings {
    mark: "test_",
    scheme: Some(SCHEME),
    plans: PLANS,
};

/// API keys on PostgreSQL, which others may use, too.
pub async fn open_postgres(url: &str) -> ApiKeys {
    let config = url.parse().unwrap();
    let engine = PostgresEngine::open(POSTGRES_SCHEMA, &config).await;
    ApiKeys::new(Arc::new(engine.unwrap()), SETTINGS)
}

/// API keys with their limiter; the database is removed with it.
pub struct Fixture {
    pub keys: Arc<ApiKeys>,
    pub limiter: Arc<Limiter<ApiKeys>>,
    engine: Arc<Engine>,
    policy: LimiterPolicy,
    directory: TempDir,
}

impl Fixture {
    /// With the usual policy.
    pub fn new() -> Fixture {
        Fixture::with(LimiterPolicy::new(FREE))
    }

    /// With a policy without bans.
    pub fn without_bans() -> Fixture {
        Fixture::with(LimiterPolicy {
            bans_enabled: false,
            ..LimiterPolicy::new(FREE)
        })
    }

    fn with(policy: LimiterPolicy) -> Fixture {
        let policy = LimiterPolicy {
            ledger_timeout: TIMEOUT,
            ..policy
        };
        Fixture::open(policy, TempDir::new().unwrap())
    }

    fn open(policy: LimiterPolicy, directory: TempDir) -> Fixture {
        let config = EngineConfig {
            read_connections: 2,
            read_timeout: TIMEOUT,
            write_timeout: TIMEOUT,
            ..EngineConfig::new(directory.path().join("keys.db"))
        };
        let engine = Arc::new(Engine::open(SCHEMA, &config).unwrap());
        let keys = Arc::new(ApiKeys::new(Arc::clone(&engine), SETTINGS));
        Fixture {
            limiter: Arc::new(Limiter::new(Arc::clone(&keys), policy)),
            keys,
            engine,
            policy,
            directory,
        }
    }

    /// The same keys for another user.
    pub fn open_keys(&self) -> ApiKeys {
        ApiKeys::new(Arc::clone(&self.engine), SETTINGS)
    }

    /// Runs SQL in the database.
    pub async fn execute(&self, sql: &'static str) {
        let write = self
            .engine
            .write(move |db| Ok::<_, EngineError>(db.execute_batch(sql)?));
        write.await.unwrap();
    }

    pub async fn free_key(&self) -> ApiKey {
        self.create_key(key_plan("free")).await
    }

    pub async fn enterprise_key(&self, per_minute: u64, per_day: u64) -> ApiKey {
        self.create_key(custom_plan(per_minute, per_day)).await
    }

    /// A key for each pair of limits, of a minute and of a day.
    pub async fn enterprise_keys(&self, limits: &[(u64, u64)]) -> Vec<ApiKey> {
        let mut keys = Vec::new();
        for (per_minute, per_day) in limits {
            keys.push(self.enterprise_key(*per_minute, *per_day).await);
        }
        keys
    }

    async fn create_key(&self, plan: KeyPlan) -> ApiKey {
        let secret = self.keys.generate_secret().unwrap();
        let new = new_key(plan);
        self.keys.create(new, &secret, time(NOON)).await.unwrap();
        secret
    }

    /// The principal of a request with this key, or why it has none.
    pub fn verify(
        &self,
        credentials: Credentials<'_>,
        now: i64,
    ) -> Result<Principal<KeyIdentity>, Unauthenticated> {
        let verified = self.keys.verify(&SCHEME, credentials, time(now));
        verified.now_or_never().unwrap().unwrap()
    }

    pub fn verify_key(
        &self,
        key: &ApiKey,
        now: i64,
    ) -> Result<Principal<KeyIdentity>, Unauthenticated> {
        self.verify(Credentials::Key(key.expose().into()), now)
    }

    /// Why a request with this key is not authenticated at `now`; `None` if it is.
    pub fn rejection(&self, key: &ApiKey, now: i64) -> Option<Unauthenticated> {
        self.verify_key(key, now).err()
    }

    pub fn account(&self, key: &ApiKey) -> Account {
        self.verify_key(key, NOON).unwrap().account
    }

    /// Charges one request, as the gate does, by a clock without steps.
    pub async fn send(&self, key: &ApiKey, cost: u64, now: i64) -> Decision {
        self.send_at(key, cost, at(now)).await
    }

    /// Charges one request, as the gate does.
    pub async fn send_at(&self, key: &ApiKey, cost: u64, time: Time) -> Decision {
        let account = self.account(key);
        self.limiter.charge_key(&account, cost, time).await
    }

    /// Sends requests of cost 1, and returns the number of admitted ones.
    pub async fn admitted_of(&self, requests: u64, key: &ApiKey, now: i64) -> u64 {
        let mut admitted = 0;
        for _ in 0..requests {
            admitted += u64::from(self.send(key, 1, now).await.is_admitted());
        }
        admitted
    }

    /// Waits until the limiter has stored what a clock step changed.
    pub async fn settle(&self) {
        // Its task runs, and its write comes before this one.
        tokio::task::yield_now().await;
        let write = self.engine.write(|_| Ok::<_, EngineError>(()));
        write.await.unwrap();
    }

    /// Stops properly and starts again.
    pub async fn restart(self) -> Fixture {
        self.limiter.close().await.unwrap();
        self.crash().await
    }

    /// Stops without returning leases, and starts again.
    pub async fn crash(self) -> Fixture {
        // What is written already is on the disk; nothing more is written.
        self.engine.close().await.unwrap();
        let Fixture {
            keys,
            limiter,
            engine,
            policy,
            directory,
        } = self;
        drop((keys, limiter));
        while Arc::strong_count(&engine) > 1 {
            tokio::task::yield_now().await;
        }
        drop(engine);
        Fixture::open(policy, directory)
    }
}

/// The readings of a clock that can be set.
pub struct SteppedClock {
    pub time: Time,
}

impl SteppedClock {
    pub fn new(now: i64) -> SteppedClock {
        SteppedClock { time: at(now) }
    }

    /// Lets so many seconds pass.
    pub fn advance(&mut self, seconds: i64) {
        self.time.wall += TimeDelta::seconds(seconds);
    }

    /// Sets the clock forward, or back if `seconds` is below 0.
    pub fn step(&mut self, seconds: i64) {
        self.advance(seconds);
        self.time.steps += 1;
        self.time.stepped += TimeDelta::seconds(seconds);
    }

    pub fn seconds(&self) -> i64 {
        self.time.wall.timestamp()
    }
}

pub fn key_plan(name: &str) -> KeyPlan {
    KeyPlan::resolve(PLANS, name, None).unwrap()
}

pub fn custom_plan(per_minute: u64, per_day: u64) -> KeyPlan {
    let custom = RateLimits::new(per_minute, per_day);
    KeyPlan::resolve(PLANS, "partner", Some(custom)).unwrap()
}

pub fn new_key(plan: KeyPlan) -> NewKey {
    NewKey::new("test", plan)
}

/// The time `now` by a clock without steps.
pub fn at(now: i64) -> Time {
    Time::without_steps(time(now))
}

pub fn time(now: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(now, 0).unwrap()
}

/// Creates a key of the plan `free`, and returns its id.
pub async fn create_key(keys: &ApiKeys) -> i64 {
    let secret = keys.generate_secret().unwrap();
    let created = keys.create(new_key(key_plan("free")), &secret, time(NOON));
    created.await.unwrap()
}
