//! The clock of the engine, and which windows go on after it was set.

use std::time::Duration;

use dropspec_rate_limit::clock::Clock;
use dropspec_rate_limit::{Carried, EngineTime, Now};
use parking_lot::Mutex;
use redis::{Cmd, RedisResult};

use super::connection::Connection;

/// Seconds after which no window goes on that was current at a step.
const RECORD_LIFETIME: i64 = 2 * 24 * 60 * 60;

/// The clock of the engine, as this server knows it, and its last step that any server has recorded.
pub(super) struct RedisClock {
    pub(super) time: EngineTime,
    /// The name of the entry with the record.
    entry: String,
    step: Mutex<Option<[Carried; 2]>>,
}

impl RedisClock {
    pub(super) fn new(entry: String) -> RedisClock {
        RedisClock {
            time: EngineTime::new(),
            entry,
            step: Mutex::new(None),
        }
    }

    /// Takes the time (Unix microseconds) of a reply to a call that was sent at `sent`.
    pub(super) fn note(&self, micros: i64, sent: Duration) {
        let clock = self.time.clock();
        clock.observe(micros, sent, clock.monotonic());
        // So that each step is noticed, also while no request comes.
        self.time.read();
    }

    /// Reads the clock, and the record of its last step.
    pub(super) async fn read(&self, connection: &mut Connection) -> RedisResult<()> {
        let sent = self.time.clock().monotonic();
        let (seconds, micros): (i64, i64) = redis::cmd("TIME").query_async(connection).await?;
        self.note(seconds * 1_000_000 + micros, sent);
        let record: Option<String> = Cmd::get(&self.entry).query_async(connection).await?;
        let step = record.as_deref().and_then(parse_step);
        *self.step.lock() = step;
        Ok(())
    }

    /// The last step that any server has recorded.
    pub(super) fn last_step(&self) -> Option<[Carried; 2]> {
        *self.step.lock()
    }

    /// The command that records the last step, for servers that start later; `None` if there was none.
    pub(super) fn record(&self, now: &Now) -> Option<Cmd> {
        let [minute, day] = now.last_step()?;
        let record = [minute.start, minute.since, day.start, day.since];
        let mut store = redis::cmd("SET");
        store
            .arg(&self.entry)
            .arg(record.map(|it| it.to_string()).join(" "));
        store.arg("EX").arg(RECORD_LIFETIME);
        Some(store)
    }
}

fn parse_step(record: &str) -> Option<[Carried; 2]> {
    let numbers: Option<Vec<i64>> = record.split(' ').map(|it| it.parse().ok()).collect();
    let carried = |start, since| Carried { start, since };
    match numbers?[..] {
        [minute, since_minute, day, since_day] => {
            Some([carried(minute, since_minute), carried(day, since_day)])
        }
        _ => None,
    }
}
