//! The table `usage`: the ledger of the limiter for keys, which several servers share. `adjust` changes what is claimed.

use std::collections::BTreeMap;

use postgres_engine::{ChannelEvent, EngineError};

use super::PostgresKeys;
use super::adjust::SAVE_LAST_USED;
use rate_limit::{Ban, Notice, Now, Window, ban_notice, parse_notice};

/// The channel of notices between servers.
const CHANNEL: &str = "spec_gate_limits";

impl PostgresKeys {
    /// Stores the times of last use of keys, for a ledger that is elsewhere.
    pub(crate) async fn store_last_use(&self, used: Vec<(i64, i64)>) -> Result<(), EngineError> {
        let used: BTreeMap<i64, i64> = used.into_iter().collect();
        let write = self.engine.write(&used, |db, used| {
            Box::pin(async move {
                let keys: Vec<i64> = used.keys().copied().collect();
                let times: Vec<i64> = used.values().copied().collect();
                db.query(SAVE_LAST_USED, &[&keys, &times]).await?;
                Ok(())
            })
        });
        write.await
    }

    pub(crate) async fn carry_over(
        &self,
        now: impl Fn() -> Now + Send + Sync,
    ) -> Result<(), EngineError> {
        let write = self.engine.write(&now, |db, now| {
            Box::pin(async move {
                // All rows may change, so that no other server changes any meanwhile.
                db.query("LOCK TABLE usage IN EXCLUSIVE MODE", &[]).await?;
                let now = now();
                for window in Window::ALL {
                    let (name, current) = (window.as_str(), now.current(window));
                    let (first, last) = (*current.start(), *current.end());
                    let start = now.start_of(window);
                    let end = "UPDATE usage SET start = 0, claimed = 0, leases = '' WHERE \"window\" = $1 AND start > $2";
                    let carry = "UPDATE usage SET start = $2
                        WHERE \"window\" = $1 AND start BETWEEN $3 AND $4 AND start <> $2";
                    db.query_all([
                        (end, &[&name, &last]),
                        (carry, &[&name, &start, &first, &last]),
                    ])
                    .await?;
                }
                Ok(())
            })
        });
        write.await
    }

    pub(crate) async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), EngineError> {
        let input = (key_id, ban);
        let write = self.engine.write(&input, |db, (key_id, ban)| {
            Box::pin(async move {
                let lock = "SELECT id FROM api_keys WHERE id = $1 FOR UPDATE";
                // Another server may have recorded a longer ban.
                let update = "UPDATE api_keys SET strikes = $2, banned_until = $3
                    WHERE id = $1 AND ban_epoch = $4";
                let strikes = i64::from(ban.strikes);
                db.query_all([
                    (lock, &[key_id]),
                    (update, &[key_id, &strikes, &ban.until, &ban.epoch]),
                ])
                .await
                .map(|_| ())
            })
        });
        write.await?;
        self.send(&ban_notice(key_id, &ban)).await;
        Ok(())
    }

    /// Waits for the next notice of another server. The first call starts to listen.
    pub(crate) async fn next_notice(&self) -> Notice {
        let listen = || self.engine.listen(CHANNEL);
        let Ok(channel) = self.channel.get_or_init(listen) else {
            return std::future::pending().await;
        };
        loop {
            match channel.next().await {
                ChannelEvent::Missed => return Notice::Missed,
                ChannelEvent::Message(text) => {
                    if let Some(notice) = parse_notice(&text, &self.holder) {
                        return notice;
                    }
                }
            }
        }
    }

    /// Sends a notice to all servers. One that is lost is repeated, or learned of with the next lease.
    pub(super) async fn send(&self, notice: &str) {
        if let Some(Ok(channel)) = self.channel.get() {
            let _ = channel.send(notice).await;
        }
    }
}
