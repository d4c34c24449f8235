//! Sends the requests of clients: retries, and waits while the service asks for it. It knows neither a document nor a service:
//! a [`Call`] says what is special about the operation.

mod base_url;
mod buffered_response;
mod call;
pub mod clock;
mod headers;
mod http_client;
pub mod link;
mod no_response;
mod observer;
mod retry;
mod sender;
mod shared_backoff;
mod stream_break;
mod trace_context;

pub use base_url::check_base_url;
pub use buffered_response::{BufferedResponse, body_of};
pub use call::{Call, OUTCOME_UNKNOWN, Sent};
pub use clock::Clock;
pub(crate) use headers::get_text;
pub use headers::{IDEMPOTENCY_KEY, new_idempotency_key, parse_retry_after};
pub use http_client::build_http_client;
pub use no_response::root_cause;
pub use observer::{Exchange, ExchangeObserver, Observer, RetryEvent};
pub use retry::RetryPolicy;
pub use sender::Sender;
pub use trace_context::insert_trace_context;
