//! Who sends a request: the hook that verifies credentials, principals, their access and limits, and the format of API
//! keys. How many requests a principal may send is decided in `rate_limit`.

mod access;
mod api_key;
mod authenticate;
mod plan_limits;
mod principal;

pub use self::access::Access;
pub use self::api_key::{ApiKey, KeyHash, MAX_MARK};
pub use self::authenticate::Authenticate;
pub use self::plan_limits::{PlanLimits, PlanLimitsError};
pub use self::principal::{KeyPrefix, Principal, Unauthenticated};
