//! The gate: every request of the public listener passes it, and every response leaves through it.
//!
//! dropshot cannot route for the gate: its own 404 and 405 never reach a handler. So one wildcard endpoint is
//! registered for every method, and the gate finds the operation itself (`endpoints`). `serve` lists the steps of a
//! request. ARCHITECTURE.md lists the responses that dropshot and hyper still send on their own.

mod admission;
mod body;
mod catch_panic;
mod challenge;
mod compiled_interface;
mod credentials;
mod cross_origin;
mod deprecation;
mod endpoints;
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
pub use self::endpoints::describe_endpoints;
pub use self::in_flight::InFlight;
pub use self::route::TAIL_PATH;
pub use self::state::{Gate, Identity, Reporting, Service};
