//! The command `copy`: moves the database from one engine to the other, while no server runs.

mod rows;

use std::io::{self, Write};

use anyhow::{Context, Result, bail};
use dropspec_gate::database::DatabaseConfig;
use dropspec_store::postgres::PostgresSide;
use dropspec_store::sqlite::SqliteSide;
use serde::Serialize;

use self::rows::{CopiedTable, copy_rows};
use super::database_argument::parse_database;
use crate::command::with_printing_context;
use crate::database::postgres_schema;
use crate::program::Program;

/// The number of digits of a checksum that people see.
const SHOWN_DIGITS: usize = 16;

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
    pub(super) async fn run<P: Program>(self) -> Result<()> {
        let from = parse_database(&self.from, "--from")?;
        let to = parse_database(&self.to, "--to")?;
        let tables = copy::<P>(&from, &to).await?;
        let report = Report {
            from: from.to_string(),
            to: to.to_string(),
            tables,
        };
        let out = &mut io::stdout();
        with_printing_context(if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&report)?)
        } else {
            report.write_text(P::NAME, out)
        })
    }
}

async fn copy<P: Program>(from: &DatabaseConfig, to: &DatabaseConfig) -> Result<Vec<CopiedTable>> {
    let (schema, postgres_schema, name) = (P::SCHEMA, postgres_schema::<P>(), P::NAME);
    let failed = || format!("{from} is not copied to {to}");
    let tables = match (from, to) {
        (DatabaseConfig::Sqlite(from), DatabaseConfig::Postgres(to)) => {
            let source = SqliteSide::open_source(schema, &from.path)?;
            let target = PostgresSide::open_target(postgres_schema, to).await?;
            let tables = copy_rows(&source, &target).await.with_context(failed)?;
            target.finish().await.with_context(failed)?;
            tables
        }
        (DatabaseConfig::Postgres(from), DatabaseConfig::Sqlite(to)) => {
            let source = PostgresSide::open_source(postgres_schema, from).await?;
            let target = SqliteSide::open_target(schema, &to.path)?;
            let tables = copy_rows(&source, &target).await.with_context(failed)?;
            target.finish().with_context(failed)?;
            tables
        }
        (DatabaseConfig::Sqlite(_), DatabaseConfig::Sqlite(_)) => bail!(
            "this command copies to another engine, and both databases are files; `{name} backup` copies a file"
        ),
        (DatabaseConfig::Postgres(_), DatabaseConfig::Postgres(_)) => bail!(
            "this command copies to another engine, and both databases are on PostgreSQL; use `pg_dump --format=custom` and `pg_restore`"
        ),
    };
    Ok(tables)
}

/// What the command prints.
#[derive(Debug, Serialize)]
struct Report {
    from: String,
    to: String,
    tables: Vec<CopiedTable>,
}

impl Report {
    fn write_text(&self, program: &str, out: &mut impl Write) -> io::Result<()> {
        let Report { from, to, tables } = self;
        writeln!(out, "{from} is copied to {to}. Both have the same rows:\n")?;
        let names = tables.iter().map(|table| table.name.len());
        let width = names.max().unwrap_or(0).max(5);
        writeln!(
            out,
            "{:<width$}  {:>10}  {:>10}  CHECKSUM",
            "TABLE", "ROWS", "NEXT ID"
        )?;
        for CopiedTable {
            name,
            rows,
            checksum,
            next_id,
        } in tables
        {
            let digits = &checksum[..SHOWN_DIGITS];
            writeln!(out, "{name:<width$}  {rows:>10}  {next_id:>10}  {digits}")?;
        }
        writeln!(
            out,
            "\nThe source was not changed. Start no server on it again: `{program} serve --database` with the copy instead."
        )
    }
}
