//! The place of one open connection among all: what it waits for, and since when.

use std::net::IpAddr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// What a connection without a request in progress waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Awaited {
    /// The end of its TLS handshake.
    Handshake,
    /// The first head.
    FirstHead,
    /// The next head.
    NextHead,
}

/// The place of a connection. Its task changes it, and all others only read it.
pub(super) struct Place {
    /// The address that it counts for; `None` if it is that of a trusted proxy.
    pub(super) address: Option<IpAddr>,
    opened: Instant,
    /// Requests without a complete response, and upgraded connections.
    busy: AtomicUsize,
    has_request: AtomicBool,
    is_in_handshake: AtomicBool,
    is_http2: AtomicBool,
    /// Milliseconds from its beginning until it began to wait.
    waiting_since: AtomicU64,
    /// Tells its task to end it in order.
    pub(super) finish: Notify,
    /// Ends its task at once.
    pub(super) task: OnceLock<AbortHandle>,
}

impl Place {
    pub(super) fn new(address: Option<IpAddr>, is_in_handshake: bool) -> Place {
        Place {
            address,
            opened: Instant::now(),
            busy: AtomicUsize::new(0),
            has_request: AtomicBool::new(false),
            is_in_handshake: AtomicBool::new(is_in_handshake),
            is_http2: AtomicBool::new(false),
            waiting_since: AtomicU64::new(0),
            finish: Notify::new(),
            task: OnceLock::new(),
        }
    }

    /// What it waits for, and since when; `None` if a request is in progress.
    pub(super) fn awaited(&self) -> Option<(Awaited, Instant)> {
        if self.busy.load(Ordering::Acquire) > 0 {
            return None;
        }
        let flag = |it: &AtomicBool| it.load(Ordering::Relaxed);
        let awaited = match (flag(&self.has_request), flag(&self.is_in_handshake)) {
            (true, _) => Awaited::NextHead,
            (false, true) => Awaited::Handshake,
            (false, false) => Awaited::FirstHead,
        };
        let since = Duration::from_millis(self.waiting_since.load(Ordering::Relaxed));
        Some((awaited, self.opened + since))
    }

    pub(super) fn is_http2(&self) -> bool {
        self.is_http2.load(Ordering::Relaxed)
    }

    pub(super) fn end_handshake(&self) {
        self.is_in_handshake.store(false, Ordering::Relaxed);
        self.begin_wait();
    }

    pub(super) fn begin_request(&self, is_http2: bool) {
        self.busy.fetch_add(1, Ordering::AcqRel);
        self.has_request.store(true, Ordering::Relaxed);
        self.is_http2.store(is_http2, Ordering::Relaxed);
    }

    pub(super) fn end_request(&self) {
        self.begin_wait();
        self.busy.fetch_sub(1, Ordering::AcqRel);
    }

    pub(super) fn abort(&self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }

    fn begin_wait(&self) {
        let since = self.opened.elapsed().as_millis() as u64;
        self.waiting_since.store(since, Ordering::Relaxed);
    }
}
