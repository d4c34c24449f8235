//! How much of an interface may change.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString};

/// How stable an operation or schema is (`x-stability`). Ordered from the least stable to the most.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Display,
    EnumString,
    Serialize,
    Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Stability {
    /// Not promised yet.
    Draft,
    /// May change at any time.
    Experimental,
    /// May break with a minor version.
    Beta,
    /// Changes compatibly only.
    #[default]
    Stable,
}
