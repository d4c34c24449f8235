//! The last requests of each key, for the page of the operator: in memory only, and bounded. It knows no HTTP and reads no clock.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::rate_limit::RateLimitInfo;

/// The number of requests that are kept of a key.
pub const MAX_OF_KEY: usize = 100;

/// The number of keys of which requests are kept. Above it the half that has sent nothing for longest is dropped.
const MAX_KEYS: usize = 1000;

/// The number of bytes of a path that are kept.
const MAX_PATH: usize = 200;

/// A request that was answered.
#[derive(Clone, Debug)]
pub struct RecentRequest {
    /// When it arrived.
    pub time: DateTime<Utc>,
    /// Its id.
    pub request_id: Box<str>,
    /// The operation, or the name of another target.
    pub operation: &'static str,
    /// The HTTP status of the response.
    pub status: u16,
    /// The time from its head to its response.
    pub latency: Duration,
    /// The code of the error, if the response is one.
    pub code: Option<Cow<'static, str>>,
    /// The path as it was sent, if the log has paths.
    pub path: Option<String>,
}

/// The last requests of the keys of a server.
#[derive(Debug, Default)]
pub struct RecentRequests(Mutex<FxHashMap<i64, VecDeque<RecentRequest>>>);

impl RecentRequest {
    /// The request as JSON, with the method and the path that a reader may see, and what it left of a limit.
    pub fn to_json(
        &self,
        method: Option<&str>,
        path: Option<&str>,
        limit: Option<&RateLimitInfo>,
    ) -> Value {
        json!({
            "time": self.time.to_rfc3339_opts(SecondsFormat::Millis, true),
            "method": method,
            "path": path,
            "operation": self.operation,
            "status": self.status,
            "code": self.code,
            "duration_us": u64::try_from(self.latency.as_micros()).unwrap_or(u64::MAX),
            "limit": limit.map(|it| it.limit),
            "remaining": limit.map(|it| it.remaining),
            "request_id": self.request_id,
        })
    }
}

impl RecentRequests {
    /// Keeps a request of a key.
    pub(crate) fn add(&self, key_id: i64, mut request: RecentRequest) {
        let path = request.path.as_deref();
        request.path = path.map(|it| it[..it.floor_char_boundary(MAX_PATH)].to_owned());
        let mut keys = self.0.lock();
        let of_key = keys.entry(key_id).or_default();
        if of_key.len() >= MAX_OF_KEY {
            of_key.pop_front();
        }
        of_key.push_back(request);
        if keys.len() > MAX_KEYS {
            drop_idle(&mut keys);
        }
    }

    /// The requests of a key that are kept, the newest first.
    pub fn of_key(&self, key_id: i64) -> Vec<RecentRequest> {
        let keys = self.0.lock();
        let requests = keys.get(&key_id).into_iter().flatten();
        requests.rev().cloned().collect()
    }
}

/// Drops the half of the keys that has sent nothing for longest.
#[cold]
fn drop_idle(keys: &mut FxHashMap<i64, VecDeque<RecentRequest>>) {
    let last = |requests: &VecDeque<RecentRequest>| requests.back().map(|it| it.time);
    let mut times: Vec<_> = keys.values().map(last).collect();
    let middle = times.len() / 2;
    let median = *times.select_nth_unstable(middle).1;
    keys.retain(|_, requests| last(requests) > median);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second in which a request of the tests arrived is its id, too.
    fn request(second: i64) -> RecentRequest {
        RecentRequest {
            time: DateTime::from_timestamp(second, 0).unwrap(),
            request_id: second.to_string().into(),
            operation: "listPets",
            status: 200,
            latency: Duration::from_millis(1),
            code: None,
            path: None,
        }
    }

    #[test]
    fn last_requests_of_a_key_are_kept_the_newest_first() {
        let recent = RecentRequests::default();
        for second in 0..MAX_OF_KEY as i64 + 5 {
            recent.add(1, request(second));
        }
        recent.add(2, request(7));
        let found = recent.of_key(1);
        assert_eq!(found.len(), MAX_OF_KEY);
        let ids = [&*found[0].request_id, &*found[MAX_OF_KEY - 1].request_id];
        assert_eq!(ids, ["104", "5"]);
        assert_eq!(recent.of_key(2).len(), 1, "a busy key displaces no other");
        assert!(recent.of_key(3).is_empty());
    }

    #[test]
    fn long_path_is_cut() {
        let recent = RecentRequests::default();
        let path = Some(format!("/{}", "é".repeat(5000)));
        recent.add(1, RecentRequest { path, ..request(1) });
        let found = recent.of_key(1);
        assert_eq!(found[0].path.as_ref().map(String::len), Some(MAX_PATH - 1));
    }

    #[test]
    fn keys_that_send_nothing_for_longest_make_room_for_others() {
        let recent = RecentRequests::default();
        for key_id in 0..=MAX_KEYS as i64 {
            recent.add(key_id, request(key_id));
        }
        assert_eq!(recent.0.lock().len(), MAX_KEYS / 2);
        assert!(recent.of_key(0).is_empty() && recent.of_key(499).is_empty());
        assert_eq!(recent.of_key(MAX_KEYS as i64).len(), 1);
        for key_id in 0..=5 * MAX_KEYS as i64 {
            recent.add(key_id, request(1_000_000));
        }
        let kept = recent.0.lock().len();
        assert!(kept <= MAX_KEYS, "{kept} keys of the same time");
    }
}
