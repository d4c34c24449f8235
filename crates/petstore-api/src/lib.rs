//! The petstore's interface, generated from `spec/petstore.yaml` by `cargo xtask generate`: the trait that a server
//! implements, its types, and the way from a decoded request to the trait's methods. Only this file is written by hand.

pub mod api;
pub mod document;
pub mod error_codes;
pub mod interface;
pub mod operations;
pub mod parameters;
pub mod plans;
pub mod types;

pub use api::{PetstoreApi, petstore_api_mod};
pub use document::DOCUMENT;
pub use error_codes::ErrorCode;
pub use interface::PetstoreInterface;
pub use operations::{OPERATIONS, Operation, dispatch};
pub use plans::{Plan, PlanLimits};

/// The document as it was written, comments included.
pub const DOCUMENT_YAML: &str = include_str!("../../../spec/petstore.yaml");
