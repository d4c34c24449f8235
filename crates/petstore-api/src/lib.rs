//! The petstore's interface, generated from `spec/petstore.yaml` by `cargo xtask generate`: the trait that a server
//! implements, its types, and the dispatch of decoded requests to its methods. Only this file is written by hand.

pub mod api;
pub mod document;
pub mod error_codes;
pub mod interface;
pub mod operations;
pub mod parameters;
pub mod types;

pub use api::{PetstoreApi, petstore_api_mod};
pub use document::{DOCUMENT, DOCUMENT_SOURCE};
pub use error_codes::ErrorCode;
pub use interface::PetstoreInterface;
pub use operations::{OPERATIONS, Operation};
