//! Databases of services: the engines [`sqlite`] and [`postgres`], and beside them what both share, such as the errors of reads and
//! writes, pages of lists, requests with an idempotency key, and copies from one engine to another.

mod body_hash;
mod error;
mod idempotency;
mod page;
#[cfg(feature = "postgres")]
pub mod postgres;
mod response;
mod sql;
pub mod sqlite;
pub mod transfer;

pub use self::body_hash::canonical_body_hash;
pub use self::error::{Cause, EngineError};
pub use self::idempotency::{Created, IdempotencyKeyReused, IdempotentRequest, REPLAY_PERIOD};
pub use self::page::{MAX_PAGE, Page, PageRequest};
pub use self::response::OUTCOME_UNKNOWN;
pub use self::sql::{Migration, Sql};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
