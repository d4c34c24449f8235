//! Who sends a request, and what the key allows: the format of API keys, what is kept of them, and how a request is
//! matched to one. How much a caller may send is not decided here.

mod access;
mod api_key;
mod bootstrap;
mod identity;
mod record;
mod terms;

pub use self::access::Access;
pub use self::api_key::{ApiKey, KeyHash, MalformedKey};
pub use self::bootstrap::{IssuedKey, bootstrap};
pub use self::identity::{Caller, Identity, Unidentified, identify};
pub use self::record::{FoundKey, KeyRecord, KeyUsage, NewKey, SecretRecord};
pub use self::terms::{Terms, TermsError};
