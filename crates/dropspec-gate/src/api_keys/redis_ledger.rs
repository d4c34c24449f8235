//! A ledger in Redis or Valkey, for limits that hold over several servers.
//!
//! Each lease is one call of a script (`adjust.lua`) for one key: it reads the clock of the engine, and claims requests of
//! the current windows. If that clock was set since the server has read it last, the call changes nothing and is made again with
//! what goes on ([`Now::current`]). The claims of a window expire a day after it, so that they outlast a clock that is a day
//! ahead. If the rest of a window does not suffice, the script asks the
//! servers that hold leases of it to give back what they have not used ([`Notice::GiveBack`]). Notices come over the
//! connection that also makes the calls.

mod address;
mod calls;
mod certificates;
mod clock;
mod connection;
mod link;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use dropspec_rate_limit::clock::Clock;
use dropspec_rate_limit::storage_error::StorageError;
use dropspec_rate_limit::{
    Adjusted, Adjustment, Ban, Claim, LAST_WAIT, Notice, Now, OtherServers, TimeSource,
    adjust_after_waits, number_of,
};
use redis::{RedisError, Script, ScriptInvocation};
use tokio::sync::{Mutex, mpsc, watch};
use tokio::task::AbortHandle;

pub use self::address::{RedisAddress, RedisAddressError};
use self::certificates::{passes_by_itself, read_root_certificates};
use self::clock::RedisClock;
use self::connection::Connection;
use self::link::{CALL_TIMEOUT, Link, timed_out};
use crate::api_keys::holder::new_holder;

/// The calls that are under way at once for adjustments of many keys.
const MAX_CALLS: usize = 64;

/// How often a call is made, if the clock of the engine was set before each of them.
const MAX_ATTEMPTS: u32 = 4;

/// The numbers of an adjustment in the reply of the script, and those before them.
const REPLY_OF_ADJUSTMENT: usize = 4;
const REPLY_HEAD: usize = 4;

/// The largest count in a script, whose numbers are floating.
const MAX_COUNT: u64 = 1 << 53;

/// Seconds for which a strike counts after its ban, or a ban lasts at most.
const DAY: i64 = 24 * 60 * 60;

/// Usage and bans in Redis or Valkey. Its entries begin with a prefix, and servers with the same prefix share them: they
/// have to know the same keys by the same ids.
#[derive(Debug)]
pub struct RedisLedger {
    link: Arc<Link>,
    connecting: AbortHandle,
    prefix: String,
    adjust: Script,
    record_ban: Script,
    /// The number of the last call. A call that the client repeats after an error counts once by it.
    calls: AtomicU64,
    notices: Mutex<mpsc::Receiver<Notice>>,
    source: TimeSource,
    last_wait: Duration,
}

impl RedisLedger {
    /// Connects to an engine, in a task of the current tokio runtime. If it does not answer, this goes on in the background.
    ///
    /// # Errors
    ///
    /// If the file of trusted certificates cannot be used, or the connection fails for a reason that does not pass by itself,
    /// such as wrong credentials or a certificate that is not trusted.
    pub async fn connect(
        address: RedisAddress,
        prefix: &str,
        source: TimeSource,
    ) -> Result<RedisLedger, StorageError> {
        let channel = format!("{prefix}:{}:notices", address.database());
        let root_certificates = read_root_certificates(&address)?;
        let clock = RedisClock::new(format!("{prefix}:clock"));
        let (link, notices) = Link::new(address, root_certificates, channel, new_holder(), clock);
        let link = Arc::new(link);
        let kept = Arc::clone(&link);
        let connecting = tokio::spawn(async move { kept.keep_connected().await }).abort_handle();
        let ledger = RedisLedger {
            link,
            connecting,
            prefix: prefix.to_owned(),
            adjust: Script::new(include_str!("redis_ledger/adjust.lua")),
            record_ban: Script::new(include_str!("redis_ledger/ban.lua")),
            calls: AtomicU64::new(0),
            notices: Mutex::new(notices),
            source,
            last_wait: LAST_WAIT,
        };
        match ledger.link.connection().await {
            Err(error) if !passes_by_itself(&error) => Err(StorageError::Internal(error)),
            _ => Ok(ledger),
        }
    }

    /// Sets how long a claim waits the last time for servers that do not give back what they hold. For tests, which may
    /// run on a busy machine.
    #[must_use]
    pub fn with_last_wait(mut self, last_wait: Duration) -> RedisLedger {
        self.last_wait = last_wait;
        self
    }

    /// The name under which this process holds leases in the engine. Each start has another one.
    pub fn holder(&self) -> &str {
        &self.link.server
    }

    /// The hosts and ports of the engine.
    pub fn address(&self) -> &RedisAddress {
        &self.link.address
    }

    /// By which policy the engine forgets entries when its memory is full; `None` if it refuses writes instead, or does not say.
    pub async fn eviction_policy(&self) -> Option<String> {
        let mut connection = self.link.connection().await.ok()?;
        let mut query = redis::cmd("CONFIG");
        query.arg("GET").arg("maxmemory*");
        // A user without the right to ask is usual, and no fault.
        let answer = query.query_async::<HashMap<String, String>>(&mut connection);
        let settings = tokio::time::timeout(CALL_TIMEOUT, answer)
            .await
            .ok()?
            .ok()?;
        let policy = settings.get("maxmemory-policy")?;
        let is_limited = settings.get("maxmemory").is_some_and(|it| it != "0");
        (is_limited && policy != "noeviction").then(|| policy.clone())
    }

    /// The sum of the steps of the engine's clock, and each change of it.
    pub fn watch_steps(&self) -> watch::Receiver<TimeDelta> {
        self.link.clock.time.watch_steps()
    }

    /// Why the engine cannot be used, and each change of it.
    pub fn watch_fault(&self) -> watch::Receiver<Option<Arc<RedisError>>> {
        self.link.watch_fault()
    }

    /// The entry of a window of a key. Both windows of a key and its ban are in one slot of a cluster.
    fn entry(&self, key_id: i64, name: &str) -> String {
        format!("{}:{{{key_id}}}:{name}", self.prefix)
    }

    fn bans(&self) -> String {
        format!("{}:bans", self.prefix)
    }

    /// Makes a call, and notes whether it has failed.
    async fn call<T>(
        &self,
        call: impl AsyncFnOnce(&mut Connection) -> Result<T, RedisError>,
    ) -> Result<T, StorageError> {
        // It was logged when the connection broke.
        let connection = self.link.connection().await;
        let mut connection = connection.map_err(|error| StorageError::OutOfUse(error))?;
        let called = tokio::time::timeout(CALL_TIMEOUT, call(&mut connection)).await;
        called
            .unwrap_or_else(|_| Err(timed_out()))
            .map_err(|error| {
                let error = Arc::new(error);
                self.link.note_failure(&error);
                StorageError::OutOfUse(error)
            })
    }

    /// Makes adjustments of one key, once. Returns the ban of the key with each.
    async fn adjust_once(
        &self,
        adjustments: &[Adjustment],
        now: &(impl Fn() -> Now + Send + Sync),
        others: OtherServers,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        for _ in 0..MAX_ATTEMPTS {
            let clock = self.link.clock.time.clock();
            let sent = clock.monotonic();
            let Some(invocation) = self.invocation(adjustments, &now(), others, number) else {
                return Ok(Vec::new());
            };
            let invoke = async |connection: &mut Connection| {
                invocation.invoke_async::<Vec<i64>>(connection).await
            };
            let reply = self.call(invoke).await?;
            if let [micros, ..] = reply[..] {
                self.link.clock.note(micros, sent);
            }
            // Nothing else if the clock of the engine was set.
            if reply.len() != 1 {
                let adjusted = read_reply(&reply, adjustments.len());
                return adjusted.ok_or_else(|| {
                    StorageError::unavailable("the engine's reply has another form")
                });
            }
        }
        Err(StorageError::unavailable(
            "the clock of the engine is set all the time",
        ))
    }

    /// The call of the script for adjustments of one key; `None` if there are none.
    fn invocation(
        &self,
        adjustments: &[Adjustment],
        now: &Now,
        others: OtherServers,
        number: u64,
    ) -> Option<ScriptInvocation<'_>> {
        let key_id = adjustments.first()?.key_id;
        let known = match self.source {
            TimeSource::Engine => self.link.clock.time.clock().now().timestamp(),
            TimeSource::Caller => now.wall,
        };
        let mut invocation = self.adjust.prepare_invoke();
        for name in ["minute", "day", "ban"] {
            invocation.key(self.entry(key_id, name));
        }
        invocation
            .arg(&self.link.server)
            .arg(number)
            .arg(known)
            .arg(u8::from(self.source == TimeSource::Caller))
            .arg(u8::from(others == OtherServers::Forget))
            .arg(&self.link.channel)
            .arg(key_id);
        let max = MAX_COUNT as i64;
        for it in adjustments {
            let current = now.current(it.window);
            invocation
                .arg(number_of(it.window))
                .arg(it.start)
                .arg(it.amount.clamp(-max, max))
                .arg(it.least.min(MAX_COUNT))
                .arg(it.leased.min(MAX_COUNT))
                .arg(it.used.min(MAX_COUNT))
                .arg(it.limit.min(MAX_COUNT))
                .arg(now.start_of(it.window))
                .arg(current.start())
                .arg(max.min(*current.end()));
        }
        Some(invocation)
    }

    /// Makes adjustments of one key. If what is needed is held by others, waits until they give it back.
    async fn adjust_with_waits(
        &self,
        adjustments: Vec<Adjustment>,
        now: &(impl Fn() -> Now + Send + Sync),
    ) -> Result<Vec<Adjusted>, StorageError> {
        adjust_after_waits(adjustments, self.last_wait, |some, others| async move {
            self.adjust_once(&some, now, others).await
        })
        .await
    }
}

impl Drop for RedisLedger {
    fn drop(&mut self) {
        self.connecting.abort();
    }
}

fn read_reply(reply: &[i64], count: usize) -> Option<Vec<Adjusted>> {
    let (head, rest) = reply.split_at_checked(REPLY_HEAD)?;
    let ban = u32::try_from(head[1]).ok().map(|strikes| Ban {
        strikes,
        until: Some(head[2]).filter(|it| *it >= 0),
        epoch: head[3],
    });
    let adjusted = rest.chunks_exact(REPLY_OF_ADJUSTMENT).map(|it| Adjusted {
        claim: Claim {
            start: it[0],
            claimed: it[1].unsigned_abs(),
        },
        granted: it[2].unsigned_abs(),
        held: it[3].unsigned_abs(),
        ban,
    });
    let adjusted: Vec<Adjusted> = adjusted.collect();
    (adjusted.len() == count).then_some(adjusted)
}
