//! A ledger in Redis or Valkey, for limits that hold over several servers.
//!
//! Each lease is one call of a script (`adjust.lua`) for one key: it reads the clock of the engine, and claims requests of
//! the current windows. The claims of a window expire with it. If the rest of a window does not suffice, the script asks the
//! servers that hold leases of it to give back what they have not used ([`Notice::GiveBack`]). Notices come over the
//! connection that also makes the calls.

mod address;
mod calls;
mod certificates;
mod connection;
mod link;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use redis::{RedisError, Script, ScriptInvocation};
use tokio::sync::{Mutex, mpsc, watch};
use tokio::task::AbortHandle;

use crate::holder::new_holder;

pub use self::address::{RedisAddress, RedisAddressError};
use self::certificates::{passes_by_itself, read_root_certificates};
use self::connection::Connection;
use self::link::{CALL_TIMEOUT, Link, timed_out};
use rate_limit::storage_error::StorageError;
use rate_limit::{
    Adjusted, Adjustment, Ban, Claim, Holders, LAST_WAIT, Notice, Now, TimeSource,
    adjust_after_waits, number_of,
};

/// The calls that are under way at once for adjustments of many keys.
const MAX_CALLS: usize = 64;

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
    time: TimeSource,
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
        time: TimeSource,
    ) -> Result<RedisLedger, StorageError> {
        let channel = format!("{prefix}:{}:notices", address.database());
        let root_certificates = read_root_certificates(&address)?;
        let (link, notices) = Link::new(address, root_certificates, channel, new_holder());
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
            time,
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
        now: &Now,
        holders: Holders,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let Some(key_id) = adjustments.first().map(|it| it.key_id) else {
            return Ok(Vec::new());
        };
        let known = match self.time {
            TimeSource::Engine => self.link.clock.now().unwrap_or(0),
            TimeSource::Caller => now.wall,
        };
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let mut invocation: ScriptInvocation<'_> = self.adjust.prepare_invoke();
        for name in ["minute", "day", "ban"] {
            invocation.key(self.entry(key_id, name));
        }
        invocation
            .arg(&self.link.server)
            .arg(number)
            .arg(known)
            .arg(u8::from(self.time == TimeSource::Caller))
            .arg(u8::from(holders == Holders::Forgotten))
            .arg(&self.link.channel)
            .arg(key_id);
        for it in adjustments {
            invocation
                .arg(number_of(it.window))
                .arg(it.start)
                .arg(it.amount.clamp(-(MAX_COUNT as i64), MAX_COUNT as i64))
                .arg(it.least.min(MAX_COUNT))
                .arg(it.leased.min(MAX_COUNT))
                .arg(it.used.min(MAX_COUNT))
                .arg(it.limit.min(MAX_COUNT));
        }
        let sent = Instant::now();
        let invoke = async |connection: &mut Connection| {
            invocation.invoke_async::<Vec<i64>>(connection).await
        };
        let reply = self.call(invoke).await?;
        self.read_reply(&reply, adjustments.len(), sent)
            .ok_or_else(|| StorageError::unavailable("the engine's reply has another form"))
    }

    fn read_reply(&self, reply: &[i64], count: usize, sent: Instant) -> Option<Vec<Adjusted>> {
        let (head, rest) = reply.split_at_checked(REPLY_HEAD)?;
        self.link.clock.observe(head[0], sent, Instant::now());
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

    /// Makes adjustments of one key. If what is needed is held by others, waits until they give it back.
    async fn adjust_with_waits(
        &self,
        adjustments: Vec<Adjustment>,
        now: &Now,
    ) -> Result<Vec<Adjusted>, StorageError> {
        adjust_after_waits(adjustments, self.last_wait, |some, holders| async move {
            self.adjust_once(&some, now, holders).await
        })
        .await
    }
}

impl Drop for RedisLedger {
    fn drop(&mut self) {
        self.connecting.abort();
    }
}
