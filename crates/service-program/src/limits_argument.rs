//! The flag `--limits`, which the commands have that count requests or show the count.

use spec_gate::redis_ledger::RedisAddress;

/// The flag `--limits`: where requests are counted.
#[derive(Debug, clap::Args)]
pub(super) struct LimitsArgument {
    /// Redis or Valkey that counts requests for several servers (redis://HOST, or rediss://HOST with TLS; several with commas
    /// for a cluster). Without it the database counts them: SQLite for one server, PostgreSQL for all servers that use it
    #[arg(
        long,
        global = true,
        env = "{prefix}_LIMITS",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub(super) limits: Option<RedisAddress>,
}
