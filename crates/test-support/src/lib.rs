//! What the tests of several crates share. It tests nothing by itself.
//!
//! - [`TestApp`] runs a server in this process with a clock that the test sets, and checks every response against the
//!   document ([`ResponseChecker`]).
//! - [`ServerProcess`] runs the binary `petstore` as a process of its own.
//! - Both store what they store in a [`Storage`], on the [`Backend`] that a variable of the environment names.
//! - [`raw_http`] (async) and [`blocking_http`] send what a well-behaved client cannot send.
//!
//! A failure here is a failed test, so these functions panic instead of returning errors.
#![allow(clippy::unwrap_used)]

mod app;
mod backend;
pub mod blocking_http;
pub mod browser;
mod caller;
mod checking_proxy;
mod clock;
pub mod collector;
mod declared_outcome;
pub mod examples;
pub mod faults;
pub mod files;
mod flaky_proxy;
pub mod key;
pub mod process;
pub mod programs;
pub mod raw_http;
mod records;
mod response;
mod response_checker;
mod server_process;
mod storage;

pub use app::TestApp;
pub use backend::Backend;
pub use caller::Caller;
pub use clock::{AutoAdvanceClock, TestClock};
pub use collector::Collector;
pub use declared_outcome::DeclaredOutcome;
pub use flaky_proxy::FlakyProxy;
pub use key::TestKey;
pub use process::{Process, petstore, petstore_by, poll_until, stay_in_minute};
pub use records::error_code;
pub use response::Response;
pub use response_checker::ResponseChecker;
pub use server_process::{ServerProcess, error_line, run_keys, run_petstore};
pub use storage::{Lock, Storage};
