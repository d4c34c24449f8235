//! Says on standard error that a call waits, and why. A server that is not there is said once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use petstore_client::{RetryEvent, RetryPolicy};
use spec_cli::no_response::plain_cause;
use spec_cli::sanitize::escape_line;

use crate::run::print_note;

/// What is said about the waits of a call.
pub struct Retries {
    url: String,
    connect_deadline: Duration,
    is_announced: AtomicBool,
}

impl Retries {
    /// For calls to this base URL.
    pub fn new(url: &str, policy: &RetryPolicy) -> Retries {
        Retries {
            url: url.to_owned(),
            connect_deadline: policy.connect_deadline.min(policy.deadline),
            is_announced: AtomicBool::new(false),
        }
    }

    /// Prints a line about a wait, unless it says what the last one said.
    pub fn announce(&self, event: &RetryEvent) {
        if let Some(text) = self.describe(event) {
            print_note(&escape_line(&text));
        }
    }

    fn describe(&self, event: &RetryEvent) -> Option<String> {
        let reason = &event.reason;
        if is_status(reason) {
            self.is_announced.store(false, Ordering::Relaxed);
            let wait = event.delay.as_secs_f32();
            return Some(format!("{reason}; trying again in {wait:.1} seconds"));
        }
        let was_said = self.is_announced.swap(true, Ordering::Relaxed);
        let seconds = self.connect_deadline.as_secs();
        let (url, cause) = (&self.url, plain_cause(reason));
        let text = if cause.contains("refused") {
            format!("no connection to {url} ({cause}); trying again for at most {seconds} seconds")
        } else {
            format!("no response from {url} ({cause}); trying again")
        };
        (!was_said).then_some(text)
    }
}

/// Whether the reason of a wait is a response: it begins with a status.
fn is_status(reason: &str) -> bool {
    let digits = reason.bytes().take_while(u8::is_ascii_digit).count();
    digits == 3
}
