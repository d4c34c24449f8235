//! PostgreSQL for tests: a database for each test ([`TestDatabase`]), and servers that a test may stop ([`TestServer`]).
//!
//! Databases are created on the server that the variable `PETSTORE_TEST_POSTGRES` names by a URL, or on one that the tests start by
//! the programs of the operating system, or on that of this machine at its usual port. Without any of them, tests are skipped. A failure here is a failed test, so these functions panic instead of returning errors.
#![allow(clippy::unwrap_used)]

mod database;
mod fake_clock;
mod programs;
mod proxy;
mod server;
mod skip;
mod transaction;

pub use self::database::TestDatabase;
pub use self::fake_clock::FakeClock;
pub use self::programs::{bound_command, delete_at_exit, spawn};
pub use self::proxy::CommitProxy;
pub use self::server::{Shutdown, TestServer, execute, free_port};
pub use self::skip::skip;
pub use self::transaction::OpenTransaction;
