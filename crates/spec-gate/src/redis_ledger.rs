//! A ledger in Redis or Valkey, for limits that hold over several servers.
//!
//! Each lease is one call of a script (`adjust.lua`) for one key: it reads the clock of the engine, and claims requests of
//! the current windows. The claims of a window expire with it. If the rest of a window does not suffice, the script asks the
//! servers that hold leases of it to give back what they have not used ([`Notice::GiveBack`]). Notices come over the
//! connection that also makes the calls.

mod address;
mod clock;
mod link;
mod notice;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::stream::{self, StreamExt, TryStreamExt};
use redis::{ErrorKind, RedisError, Script, ScriptInvocation, ServerErrorKind};
use tokio::sync::{Mutex, mpsc, watch};
use tokio::task::AbortHandle;

pub use self::address::{RedisAddress, RedisAddressError};
use self::link::{CALL_TIMEOUT, Link, timed_out};
use self::notice::{ban_notice, number_of};
use crate::rate_limit::{
    Adjusted, Adjustment, Ban, Claim, Ledger, LedgerEntry, LedgerHealth, Notice, Now,
};
use crate::storage_error::StorageError;

/// How long a claim waits, each time, for others to give back what they hold. A server that does not do it in all of this
/// time is not asked again; what it holds counts as used.
const GIVE_BACK_WAITS: [Duration; 7] = [
    Duration::from_millis(1),
    Duration::from_millis(2),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(20),
    Duration::from_millis(50),
    Duration::from_millis(100),
];
/// The wait after these.
const LAST_GIVE_BACK_WAIT: Duration = Duration::from_millis(200);

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
    keeper: AbortHandle,
    prefix: String,
    adjust: Script,
    record_ban: Script,
    /// The number of the last call. A call that the client repeats after an error counts once by it.
    calls: AtomicU64,
    notices: Mutex<mpsc::Receiver<Notice>>,
    time: TimeSource,
    last_wait: Duration,
}

/// By whose clock windows begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeSource {
    /// That of the engine.
    Engine,
    /// The time that the caller gives, for tests.
    Caller,
}

/// Whether servers that did not give back their leases are asked again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holders {
    Asked,
    Forgotten,
}

impl RedisLedger {
    /// Connects to an engine, in a task of the current tokio runtime. If it does not answer, this goes on in the background.
    ///
    /// # Errors
    ///
    /// If the engine refuses the connection for a reason that does not pass by itself, such as wrong credentials.
    pub async fn connect(
        address: RedisAddress,
        prefix: &str,
        time: TimeSource,
    ) -> Result<RedisLedger, StorageError> {
        let random = getrandom::u64().map_err(StorageError::unavailable)?;
        let channel = format!("{prefix}:{}:notices", address.database());
        let (link, notices) = Link::new(address, channel, format!("{random:016x}"));
        let link = Arc::new(link);
        let kept = Arc::clone(&link);
        let keeper = tokio::spawn(async move { kept.keep().await }).abort_handle();
        let ledger = RedisLedger {
            link,
            keeper,
            prefix: prefix.to_owned(),
            adjust: Script::new(include_str!("redis_ledger/adjust.lua")),
            record_ban: Script::new(include_str!("redis_ledger/ban.lua")),
            calls: AtomicU64::new(0),
            notices: Mutex::new(notices),
            time,
            last_wait: LAST_GIVE_BACK_WAIT,
        };
        match ledger.link.first_error().await {
            Some(error) if !passes_by_itself(&error) => Err(StorageError::Internal(error)),
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

    /// The name of this server among those that share the ledger. Each start has another one.
    pub fn server(&self) -> &str {
        self.link.server()
    }

    /// The hosts and ports of the engine.
    pub fn address(&self) -> &RedisAddress {
        self.link.address()
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
        call: impl AsyncFnOnce(&mut link::Connection) -> Result<T, RedisError>,
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
            .arg(self.link.server())
            .arg(number)
            .arg(known)
            .arg(u8::from(self.time == TimeSource::Caller))
            .arg(u8::from(holders == Holders::Forgotten))
            .arg(self.link.channel())
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
        let invoke = async |connection: &mut link::Connection| {
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
    async fn adjust_key(
        &self,
        adjustments: &[Adjustment],
        now: &Now,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let mut results = self.adjust_once(adjustments, now, Holders::Asked).await?;
        let waits = GIVE_BACK_WAITS.map(|wait| (wait, Holders::Asked));
        for (wait, holders) in waits
            .into_iter()
            .chain([(self.last_wait, Holders::Forgotten)])
        {
            let waiting = find_waiting(adjustments, &results);
            if waiting.is_empty() {
                break;
            }
            tokio::time::sleep(wait).await;
            let again: Vec<Adjustment> = waiting.iter().map(|(_, it)| *it).collect();
            let adjusted = self.adjust_once(&again, now, holders).await?;
            for ((index, _), adjusted) in waiting.into_iter().zip(adjusted) {
                results[index] = adjusted;
            }
        }
        Ok(results)
    }
}

/// Finds the adjustments that need more than is left, while others hold leases, with their places.
fn find_waiting(adjustments: &[Adjustment], results: &[Adjusted]) -> Vec<(usize, Adjustment)> {
    let pairs = adjustments.iter().zip(results).enumerate();
    pairs
        .filter(|(_, (adjustment, result))| result.granted < adjustment.least && result.held > 0)
        .map(|(index, (adjustment, _))| (index, *adjustment))
        .collect()
}

impl Drop for RedisLedger {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

impl Ledger for RedisLedger {
    fn is_shared(&self) -> bool {
        true
    }

    fn now(&self) -> Option<i64> {
        match self.time {
            TimeSource::Engine => self.link.clock.now(),
            TimeSource::Caller => None,
        }
    }

    fn server(&self) -> Option<&str> {
        Some(self.link.server())
    }

    async fn next_notice(&self) -> Notice {
        match self.notices.lock().await.recv().await {
            Some(notice) => notice,
            None => std::future::pending().await,
        }
    }

    fn health(&self) -> Option<LedgerHealth> {
        Some(LedgerHealth {
            is_available: self.link.watch_fault().borrow().is_none(),
            connections: self.link.connections(),
        })
    }

    async fn read_entry(&self, key_id: i64) -> Result<LedgerEntry, StorageError> {
        let mut read = redis::pipe();
        for name in ["minute", "day"] {
            read.hmget(self.entry(key_id, name), &["start", "claimed"]);
        }
        read.hmget(self.entry(key_id, "ban"), &["strikes", "until", "epoch"]);
        type Stored = (Option<i64>, Option<u64>);
        type StoredBan = (Option<u32>, Option<i64>, Option<i64>);
        let query = async |connection: &mut link::Connection| read.query_async(connection).await;
        let (minute, day, ban): (Stored, Stored, StoredBan) = self.call(query).await?;
        let claim = |(start, claimed): Stored| {
            let (start, claimed) = start.zip(claimed)?;
            Some(Claim { start, claimed })
        };
        Ok(LedgerEntry {
            minute: claim(minute),
            day: claim(day),
            ban: Ban {
                strikes: ban.0.unwrap_or_default(),
                until: ban.1.filter(|it| *it >= 0),
                epoch: ban.2.unwrap_or_default(),
            },
        })
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let now = now();
        // Those of a key follow each other.
        let groups = adjustments.chunk_by(|one, next| one.key_id == next.key_id);
        let groups: Vec<Vec<Adjustment>> = groups.map(<[Adjustment]>::to_vec).collect();
        if let [one] = &groups[..] {
            return self.adjust_key(one, &now).await;
        }
        let now = &now;
        let calls = groups
            .into_iter()
            .map(|group| async move { self.adjust_key(&group, now).await });
        stream::iter(calls).buffered(MAX_CALLS).try_concat().await
    }

    /// The engine's clock says which window it is.
    async fn carry_over(
        &self,
        _: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<(), StorageError> {
        Ok(())
    }

    async fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        let mut query = redis::cmd("ZRANGEBYSCORE");
        query.arg(self.bans()).arg(format!("({time}")).arg("+inf");
        self.call(async |connection| query.query_async(connection).await)
            .await
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        let until = ban.until.unwrap_or(-1);
        let mut invocation = self.record_ban.prepare_invoke();
        invocation
            .key(self.entry(key_id, "ban"))
            .arg(ban.strikes)
            .arg(until)
            .arg(ban.epoch)
            .arg(DAY.saturating_mul(i64::from(ban.strikes) + 1))
            .arg(self.link.channel())
            .arg(ban_notice(key_id, &ban));
        let invoke = async |connection: &mut link::Connection| {
            invocation.invoke_async::<bool>(connection).await
        };
        if self.call(invoke).await? {
            // In a cluster this is elsewhere, so it is a call of its own. No ban lasts longer than a day, so the earlier ones
            // have ended.
            let bans = self.bans();
            let mut add = redis::cmd("ZADD");
            add.arg(&bans).arg(until).arg(key_id);
            let mut remove = redis::cmd("ZREMRANGEBYSCORE");
            remove.arg(&bans).arg("-inf").arg(until.saturating_sub(DAY));
            self.call(async |connection| add.exec_async(connection).await)
                .await?;
            self.call(async |connection| remove.exec_async(connection).await)
                .await?;
        }
        Ok(())
    }
}

/// Whether an engine that answers so now may be used later, without a change of the settings.
fn passes_by_itself(error: &RedisError) -> bool {
    match error.kind() {
        ErrorKind::Io | ErrorKind::ClusterConnectionNotFound => true,
        ErrorKind::Server(kind) => !matches!(kind, ServerErrorKind::NoPerm),
        _ => false,
    }
}
