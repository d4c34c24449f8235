//! Proves a generated interface and its generated client by each other: a server echoes samples of the document, the
//! client calls every operation over TCP, and both ends and the wire must agree. `cargo xtask corpus --call` generates
//! the programs that use it: an implementation of the trait that records what arrived and answers as planned, and a
//! function for each operation that calls it through the client. The client then calls a mock of the document in the same way.

mod answer;
mod arrived;
mod body;
mod called;
mod check;
mod comparison;
mod declared;
mod echo;
mod given;
mod headers;
mod invalid;
mod mock;
mod operation;
mod plan;
mod readings;
mod report;
mod run;
mod sampler;
mod server;

pub use answer::Answer;
pub use arrived::Arrived;
pub use body::{Body, Part};
pub use called::{Called, describe};
pub use echo::Echo;
pub use given::{Given, GivenBody};
pub use operation::{Calling, Content, Operation, Variant, VariantKind};
pub use report::{Failure, Report};
pub use run::run;
/// The crates that generated programs use through this one.
pub use serde_json;
