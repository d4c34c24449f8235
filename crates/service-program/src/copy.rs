//! The command `copy`: moves the database from one engine to the other, while no server runs.

mod plan;
mod report;
mod transfer;

use std::io::{self, Write};

use anyhow::{Context, Result, bail};
use chrono::Utc;
use postgres_engine::PostgresSide;
use spec_gate::database::DatabaseConfig;
use spec_gate::keys::charge_lost_credit;
use sqlite_engine::SqliteSide;

use self::report::Report;
use super::database_argument::parse_database;
use crate::command::{block_on, report_stdout_error};
use crate::database::postgres_schema;
use crate::program::Program;

/// Copy the database from SQLite to PostgreSQL or back. All servers have to be stopped.
///
/// Everything is copied: {records}, API keys with their usage and bans, responses stored for idempotency keys, and the ids that
/// were given. The target is new; no server uses it before all of it is copied and compared. If the command is interrupted,
/// run it again: it begins anew. The source is not changed.
#[derive(Debug, clap::Args)]
pub(super) struct Copy {
    /// Database to copy: a SQLite file, or the URL of a database on a PostgreSQL server
    // The variables may hold a password.
    #[arg(
        long,
        env = "{prefix}_COPY_FROM",
        hide_env_values = true,
        value_name = "FILE|URL"
    )]
    from: String,

    /// Database to create on the other engine: a file that does not exist, or the URL of an empty database
    #[arg(
        long,
        env = "{prefix}_COPY_TO",
        hide_env_values = true,
        value_name = "FILE|URL"
    )]
    to: String,

    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

impl Copy {
    /// Copies the database, and prints the checksums of its tables.
    ///
    /// # Errors
    ///
    /// If it was not copied completely, or the report could not be printed.
    pub(super) fn run<P: Program>(self) -> Result<()> {
        let from = parse_database(&self.from, "--from")?;
        let to = parse_database(&self.to, "--to")?;
        let report = block_on(copy::<P>(&from, &to))?;
        let out = &mut io::stdout();
        report_stdout_error(if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&report)?)
        } else {
            write!(out, "{report}")
        })
    }
}

async fn copy<P: Program>(from: &DatabaseConfig, to: &DatabaseConfig) -> Result<Report> {
    let (schema, postgres_schema) = (P::SCHEMA, postgres_schema::<P>());
    let (source_name, name) = (from.to_string(), P::NAME);
    let mut notes = Vec::new();
    let copied = match (from, to) {
        (DatabaseConfig::Sqlite(from), DatabaseConfig::Postgres(to)) => {
            let source = SqliteSide::open_source(schema, &from.path)?;
            notes.extend(charge_credit::<P>(&source)?);
            let target = PostgresSide::open_target(postgres_schema, to, &source_name).await?;
            let is_complete = target.is_complete();
            transfer::copy(&source, target, is_complete).await
        }
        (DatabaseConfig::Postgres(from), DatabaseConfig::Sqlite(to)) => {
            let source = PostgresSide::open_source(postgres_schema, from).await?;
            let target = SqliteSide::open_target(schema, &to.path)?;
            let is_complete = target.is_complete();
            transfer::copy(&source, target, is_complete).await
        }
        (DatabaseConfig::Sqlite(_), DatabaseConfig::Sqlite(_)) => bail!(
            "this command copies to another engine, and both databases are files; `{name} backup` copies a file"
        ),
        (DatabaseConfig::Postgres(_), DatabaseConfig::Postgres(_)) => bail!(
            "this command copies to another engine, and both databases are on PostgreSQL; use `pg_dump --format=custom` and `pg_restore`"
        ),
    };
    let copied = copied.with_context(|| format!("{from} is not copied to {to}"));
    let (outcome, tables) = copied?;
    Ok(Report {
        from: source_name,
        to: to.to_string(),
        outcome,
        tables,
        notes,
        program: name,
    })
}

/// Counts the credit that crashes of today may have cost as used, as a server on the source would: on PostgreSQL no credit
/// is given, and none counts as lost.
fn charge_credit<P: Program>(source: &SqliteSide) -> Result<Option<String>> {
    let now = Utc::now().timestamp();
    let crashes = charge_lost_credit(source.connection(), P::plans(), now)?;
    Ok((crashes > 0).then(|| {
        format!(
            "Servers of the source were not stopped properly today (number: {crashes}). What a key used then without a lease is \
             not stored, so 20 requests of this day count as used for each of them. Of the current minute a key may use 6 \
             more for each."
        )
    }))
}
