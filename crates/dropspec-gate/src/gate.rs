//! The gate: every request of the public listener passes it, and every response leaves through it.
//!
//! A listener calls `entry`, and the gate finds the operation itself: dropshot's own 404 and 405 would never reach it. `serve`
//! lists the steps of a request. ARCHITECTURE.md lists the responses that hyper still sends on its own.

mod admission;
mod body;
mod catch_panic;
mod challenge;
mod compiled_interface;
mod credentials;
mod cross_origin;
mod deprecation;
mod entry;
mod execute;
mod framing;
mod host;
mod in_flight;
mod no_operation;
mod not_modified;
mod record_usage;
mod refused_keys;
mod report;
mod request_body;
mod response_headers;
mod route;
mod serve;
mod state;
mod tail;

pub use self::compiled_interface::CompiledInterface;
pub use self::entry::Entry;
pub use self::in_flight::{InFlight, InFlightGuard};
pub use self::request_body::KeptOpen;
pub use self::route::TAIL_PATH;
pub use self::state::{Gate, Identity, Reporting, Service};
