//! The settings of a service's API keys.

use dropspec_runtime::{PlanInfo, SecuritySchemeInfo};

/// The settings of a service's API keys: how secrets begin, where they are sent, and which plans exist.
#[derive(Clone, Copy, Debug)]
pub struct KeySettings {
    /// The first characters of every secret, such as `pst_`: ASCII, at most [`MAX_MARK`](crate::api_keys::MAX_MARK).
    pub mark: &'static str,
    /// The security scheme by which the texts of commands show how a key is sent; `None` if no operation has one.
    pub scheme: Option<SecuritySchemeInfo>,
    /// The plans that a key can have.
    pub plans: &'static [PlanInfo],
}
