//! The state of the petstore that handlers reach through the gate.

use crate::store::Store;

/// The petstore.
#[derive(Debug)]
pub struct Petstore {
    /// The records.
    pub store: Store,
}
