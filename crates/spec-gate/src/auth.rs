//! Who sends a request: the hook that verifies credentials, principals, their access and limits, and the format of API
//! keys. How many requests a principal may send is decided in `rate_limit`.

mod authenticate;

pub use api_keys::{
    Access, ApiKey, KeyHash, KeyPrefix, MAX_MARK, PlanLimits, PlanLimitsError, Principal,
    Unauthenticated,
};

pub use self::authenticate::Authenticate;
