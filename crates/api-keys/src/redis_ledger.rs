//! A ledger in Redis or Valkey, for limits that hold over several servers.
//!
//! Each lease is one call of a script (`adjust.lua`) for one key: it reads the clock of the engine, and claims requests of
//! the current windows. The claims of a window expire with it. If the rest of a window does not suffice, the script asks the
//! servers that hold leases of it to give back what they have not used ([`Notice::GiveBack`]). Notices come over the
//! connection that also makes the calls.

mod address;
mod link;

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fmt, io};

use futures::stream::{self, StreamExt, TryStreamExt};
use redis::{ErrorKind, RedisError, Script, ScriptInvocation, ServerErrorKind};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::sync::{Mutex, mpsc, watch};
use tokio::task::AbortHandle;

use crate::holder::new_holder;

pub use self::address::{RedisAddress, RedisAddressError};
use self::link::{CALL_TIMEOUT, Link, timed_out};
use rate_limit::storage_error::StorageError;
use rate_limit::{
    Adjusted, Adjustment, Attempts, Ban, Claim, Holders, LAST_WAIT, Ledger, LedgerEntry,
    LedgerHealth, Notice, Now, TimeSource, ban_notice, number_of,
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

    /// The name under which this process holds leases in the engine. Each start has another one.
    pub fn holder(&self) -> &str {
        self.link.server()
    }

    /// The hosts and ports of the engine.
    pub fn address(&self) -> &RedisAddress {
        self.link.address()
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
        let results = self.adjust_once(adjustments, now, Holders::Asked).await?;
        let mut attempts = Attempts::new(adjustments.to_vec(), results, self.last_wait);
        while let Some((again, holders)) = attempts.next().await {
            attempts.apply(self.adjust_once(&again, now, holders).await?);
        }
        Ok(attempts.into_results())
    }
}

impl Drop for RedisLedger {
    fn drop(&mut self) {
        self.connecting.abort();
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
        ErrorKind::Io if is_certificate_error(error) => false,
        ErrorKind::Io | ErrorKind::ClusterConnectionNotFound => true,
        ErrorKind::Server(kind) => !matches!(kind, ServerErrorKind::NoPerm),
        _ => false,
    }
}

/// Whether the engine's certificate is not trusted, or not that of its host.
fn is_certificate_error(error: &RedisError) -> bool {
    // The client shares its cause, which is an I/O error with that of TLS inside.
    let shared = error
        .source()
        .and_then(|it| it.downcast_ref::<Arc<dyn Error + Send + Sync>>());
    let cause = shared.and_then(|it| it.downcast_ref::<io::Error>());
    let tls = cause.and_then(|it| it.get_ref()?.downcast_ref());
    matches!(tls, Some(rustls::Error::InvalidCertificate(_)))
}

/// Reads the file of trusted certificates that an address names.
fn read_root_certificates(address: &RedisAddress) -> Result<Option<Vec<u8>>, StorageError> {
    let Some(file) = address.root_certificates() else {
        return Ok(None);
    };
    let failed = |reason: &dyn fmt::Display| {
        let message = format!("{} cannot be used as sslrootcert: {reason}", file.display());
        StorageError::Internal(Arc::from(Box::<dyn Error + Send + Sync>::from(message)))
    };
    let text = std::fs::read(file).map_err(|error| failed(&error))?;
    let mut certificates = CertificateDer::pem_slice_iter(&text);
    match certificates.next() {
        Some(Ok(_)) => Ok(Some(text)),
        Some(Err(error)) => Err(failed(&error)),
        None => Err(failed(&"it holds no certificate in PEM form")),
    }
}
