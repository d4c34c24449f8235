//! The vocabulary of the end-to-end tests: a real server in this process, the generated client, raw HTTP for what a
//! well-behaved client cannot send, and a [`Witness`] that holds every answer against the document. It tests nothing
//! by itself.
//!
//! What fails here is a failed test, so these functions panic instead of returning errors.
#![allow(clippy::unwrap_used)]

mod answer;
mod app;
mod caller;
mod clock;
mod cutter;
pub mod key;
mod outcome;
mod proxy;
mod shop;
mod timeless;
pub mod wire;
mod witness;

pub use answer::Answer;
pub use app::TestApp;
pub use caller::Caller;
pub use clock::TestClock;
pub use cutter::Cutter;
pub use key::TestKey;
pub use outcome::Outcome;
pub use shop::refusal;
pub use timeless::Timeless;
pub use witness::Witness;
