//! Notices between the servers that share the ledger of the limiter.

use postgres_engine::ChannelEvent;

use super::PostgresKeys;
use rate_limit::{Notice, parse_notice};

/// The channel of notices between servers.
const CHANNEL: &str = "spec_gate_limits";

impl PostgresKeys {
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
    pub(crate) async fn send(&self, notice: &str) {
        if let Some(Ok(channel)) = self.channel.get() {
            let _ = channel.send(notice).await;
        }
    }
}
