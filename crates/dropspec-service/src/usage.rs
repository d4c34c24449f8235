//! The command `usage`: shows which keys call which operations, while a server may be running.

mod report;

use std::io::{self, Write};

use anyhow::{Context, Result, ensure};
use dropspec_gate::keys::ApiKeys;
use dropspec_gate::keys::commands::find_by_id_or_prefix;
use dropspec_gate::operation_usage::{DAYS_KEPT, day_of};
use dropspec_gate::rate_limit::TimeSource;
use dropspec_runtime::Interface;

use self::report::Report;
use super::database_argument::DatabaseArgument;
use crate::command::allow_closed_reader;
use crate::database::open_existing;
use crate::keys::now_of;
use crate::program::Program;
use crate::start::open_keys;

/// Show which keys call which operations, and which use deprecated parameters and properties.
///
/// Requests are counted by key, operation and day (UTC) when they are admitted, whatever the response is. A server stores them once a
/// minute. The JSON is the file that `dropspec diff --usage` reads.
#[derive(Debug, clap::Args)]
pub(super) struct Usage {
    #[command(flatten)]
    database: DatabaseArgument,

    /// Only this operation, by its operationId
    #[arg(long, value_name = "ID")]
    operation: Option<String>,

    /// Only this key, by its id or the first characters of its secret; 0 for requests without a key
    #[arg(long, value_name = "KEY")]
    key: Option<String>,

    /// So many days, with the current one; older ones are deleted
    #[arg(long, value_name = "N", default_value_t = DAYS_KEPT + 1, value_parser = clap::value_parser!(i64).range(1..=DAYS_KEPT + 1))]
    days: i64,

    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

impl Usage {
    /// Prints the usage.
    pub(super) async fn run<P: Program>(self) -> Result<()> {
        let database = open_existing::<P>(&self.database.config()?).await?;
        let keys = open_keys::<P>(&database, TimeSource::Engine).await?;
        self.print::<P>(&keys, day_of(now_of(&keys)), &mut io::stdout())
            .await?;
        database.close().await.context("cannot close the database")
    }

    async fn print<P: Program>(
        &self,
        keys: &ApiKeys,
        today: i64,
        out: &mut impl Write,
    ) -> Result<()> {
        let first_day = today - self.days + 1;
        let counts = keys.read_operation_usage(first_day).await?;
        let (key, operations) = (self.find_key(keys).await?, P::Interface::operations());
        let title = P::Interface::document().find("/info/title");
        let service = (P::NAME, title.and_then(|title| title.as_str()));
        let mut report = Report::new(service, (first_day, today), operations, &counts);
        if let Some(operation) = &self.operation {
            ensure!(
                report.retain_operation(operation),
                "there is no operation {operation:?}"
            );
        }
        if let Some(key) = key {
            report.retain_key(key);
        }
        let printed = if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&report)?)
        } else {
            report.write_text(out)
        };
        allow_closed_reader(printed)
    }

    /// The id of the key, which may not exist any more.
    async fn find_key(&self, keys: &ApiKeys) -> Result<Option<i64>> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        Ok(Some(match key.parse() {
            Ok(id) => id,
            Err(_) => find_by_id_or_prefix(keys, key).await?.id,
        }))
    }
}
