//! The flag `--limits`, which the commands have that count requests or show the count.

#[cfg(feature = "redis")]
pub use dropspec_gate::redis_ledger::RedisAddress as LimitsEngine;

/// The engine that counts requests for several servers. A program without the cargo feature `redis` can use none.
#[cfg(not(feature = "redis"))]
#[derive(Clone, Debug)]
pub enum LimitsEngine {}

#[cfg(not(feature = "redis"))]
impl std::str::FromStr for LimitsEngine {
    type Err = &'static str;

    fn from_str(_: &str) -> Result<LimitsEngine, &'static str> {
        Err(
            "this program is built without Redis; build it with `cargo build --release --features redis`",
        )
    }
}

/// The flag `--limits`: where requests are counted.
#[derive(Debug, clap::Args)]
pub(super) struct LimitsArgument {
    /// Redis or Valkey that counts requests for several servers (redis://HOST, or rediss://HOST with TLS; several with commas
    /// for a cluster). Without it the database counts them: SQLite for one server, PostgreSQL for all servers that use it
    #[arg(long, global = true, hide_env_values = true, value_name = "URL")]
    pub(super) limits: Option<LimitsEngine>,
}
