//! Redis for tests: engines that a test may kill and start again ([`TestRedis`]), and a proxy that breaks connections to them
//! ([`TestProxy`]). Tests that do neither share an engine ([`RedisDatabase`]).
//!
//! The engines are processes of their own, on free ports and in temporary directories. Without the program `redis-server`,
//! tests are skipped. A failure here is a failed test, so these functions panic instead of returning errors.
#![allow(clippy::unwrap_used)]

mod proxy;
mod server;

pub use self::proxy::{Mode, TestProxy};
pub use self::server::{RedisDatabase, TestCluster, TestRedis};
