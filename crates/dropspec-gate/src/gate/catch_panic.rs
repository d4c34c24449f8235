//! Turns a panic into an error: dropshot would close the connection without a response.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;

use crate::error::GateError;
use crate::request_log::RequestLog;

/// Runs a future, and converts a panic in it to an internal error. The panic's message is logged under the operation
/// `name` and not sent.
pub fn catch_panic<T>(
    future: impl Future<Output = Result<T, GateError>>,
    name: &'static str,
    log: RequestLog<'_>,
) -> impl Future<Output = Result<T, GateError>> {
    // Nothing that a panic may have left half done is used again: the response is dropped, and the storage rolls its
    // own work back.
    // Not an async function, which would hold the future twice.
    let caught = AssertUnwindSafe(future).catch_unwind();
    caught.map(move |result| {
        result.unwrap_or_else(|panic| {
            slog::error!(log.logger(), "an operation panicked"; "operation" => name, "panic" => panic_message(&*panic));
            Err(GateError::internal())
        })
    })
}

/// The text of a panic, or a substitute if the panic carries no text.
fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use slog::Logger;

    use super::*;
    use crate::error::ErrorKind;

    fn silent() -> Logger {
        Logger::root(slog::Discard, slog::o!())
    }

    #[tokio::test]
    async fn panic_becomes_internal_error_without_its_message() {
        let panics = async { panic!("the secret of pet {}", 7) };
        let result: Result<(), GateError> =
            catch_panic(panics, "getPet", RequestLog::new(&silent(), "1")).await;
        let error = result.expect_err("the future panics");
        assert_eq!(error.kind, ErrorKind::InternalError);
        assert!(!error.message.contains("secret"), "{}", error.message);
    }
}
