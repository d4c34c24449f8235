//! The state of the petstore behind the gate.

use spec_gate::error::{ErrorBody, ErrorInfo};
use spec_gate::{ApiKeys, Service};
use sqlite_engine::Engine;

use crate::api::Interface;
use crate::error::to_error;
use crate::store::Store;

/// The petstore: its records, and how the gate serves them.
#[derive(Debug)]
pub struct Petstore {
    /// The records.
    pub store: Store,
}

impl Service for Petstore {
    const NAME: &'static str = "petstore";
    type Interface = Interface;
    type Authenticator = ApiKeys;
    type Ledger = ApiKeys;
    type ErrorBody = Petstore;

    fn engine(&self) -> Option<&Engine> {
        Some(self.store.engine())
    }
}

impl ErrorBody for Petstore {
    fn render(error: ErrorInfo) -> String {
        serde_json::to_string(&to_error(error)).expect("an Error has only strings and a number")
    }
}
