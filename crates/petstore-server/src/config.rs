//! The settings of the petstore, from the command line or from a test.

use spec_gate::Settings;

use crate::store::EngineConfig;

/// The settings of the petstore.
#[derive(Clone, Debug)]
pub struct Config {
    /// The listeners, limits and log.
    pub server: Settings,
    /// The SQLite database.
    pub store: EngineConfig,
}
