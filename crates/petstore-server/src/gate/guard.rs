//! Stands between an operation and dropshot, which would close the connection on
//! a panic without an answer.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use petstore_api::types::Error;
use slog::Logger;

use crate::error;

/// Runs an operation; a panic becomes `internal_error`, and its message goes to
/// the log alone.
pub async fn guard<T>(
    operation: impl Future<Output = Result<T, Error>>,
    name: &'static str,
    log: &Logger,
) -> Result<T, Error> {
    // Nothing that a panic may have left half-done is used again: the answer is
    // thrown away, and the store rolls its own work back.
    AssertUnwindSafe(operation)
        .catch_unwind()
        .await
        .unwrap_or_else(|panic| {
            slog::error!(log, "an operation panicked"; "operation" => name, "panic" => message_of(&*panic));
            Err(error::internal())
        })
}

/// What a panic said, where it said it in words.
fn message_of(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn silent() -> Logger {
        Logger::root(slog::Discard, slog::o!())
    }

    #[tokio::test]
    async fn a_panic_is_answered_without_its_details() {
        let panics = async { panic!("the secret of pet {}", 7) };
        let answer: Result<(), Error> = guard(panics, "getPet", &silent()).await;
        let error = answer.expect_err("a panic is no success");
        assert_eq!((error.code.as_str(), error.status), ("internal_error", 500));
        assert!(!error.message.contains("secret"), "{}", error.message);
    }

    #[tokio::test]
    async fn what_does_not_panic_passes() {
        let answer = guard(async { Ok(42) }, "getPet", &silent()).await;
        assert_eq!(answer, Ok(42));
    }
}
