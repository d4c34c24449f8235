//! The command `keys`: manages API keys in the database, while a server may be running.

use std::env;
use std::io::{self, IsTerminal, Write};

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use dropspec_gate::keys::commands::{Caller, KeyCommands};
use dropspec_gate::keys::{ApiKeys, Author};
use dropspec_gate::rate_limit::TimeSource;
use rustix::process::getuid;
use rustix::system::uname;
use rustix::termios::tcgetwinsize;

use super::database_argument::DatabaseArgument;
use super::limits_argument::LimitsArgument;
use crate::database::open_existing;
use crate::ledger;
use crate::program::Program;
use crate::start::open_keys;

/// Create, list, change and revoke API keys.
///
/// A key is named by its id or by the first characters of its secret, which lists show. The server need not be stopped: a change
/// applies from the key's next request on.
#[derive(Debug, clap::Args)]
pub(super) struct Keys {
    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    limits: LimitsArgument,

    #[command(flatten)]
    keys: KeyCommands,
}

impl Keys {
    /// Runs a command for keys, and prints its result.
    pub(super) async fn run<P: Program>(self) -> Result<()> {
        let database = open_existing::<P>(&self.database.config()?).await?;
        let keys = open_keys::<P>(&database, TimeSource::Engine).await?;
        let limits = self.limits.limits.as_ref();
        let keys = ledger::connect(P::NAME, keys, limits, TimeSource::Engine).await?;
        let counted_in = match limits {
            Some(_) => None,
            None => keys.limits_engine().await?,
        };
        let caller = Caller {
            columns: columns_of_stdout(),
            confirm: (io::stdin().is_terminal() && io::stderr().is_terminal())
                .then_some(confirm as fn(&str) -> io::Result<bool>),
            counted_in,
            ..Caller::new(author(now_of(&keys)))
        };
        self.keys.run(&keys, &caller, &mut io::stdout()).await?;
        database.close().await.context("cannot close the database")
    }
}

/// The time by the clock of the database, or by that of the machine if the database is a file.
pub(super) fn now_of(keys: &ApiKeys) -> DateTime<Utc> {
    keys.clock().map_or_else(Utc::now, |clock| clock.now())
}

/// The user of this process on this host, at `time`.
fn author(time: DateTime<Utc>) -> Author {
    let user = ["SUDO_USER", "USER", "LOGNAME"].iter();
    let user = user
        .filter_map(|name| env::var(name).ok())
        .find(|it| !it.is_empty());
    let user = user.unwrap_or_else(|| format!("uid {}", getuid().as_raw()));
    let user: String = user.chars().take(100).collect();
    let system = uname();
    let host = system.nodename().to_string_lossy();
    Author {
        name: format!("command line, {user}@{host}"),
        time,
    }
}

/// The width of the terminal that standard output is. `None` if it is a file or a program.
fn columns_of_stdout() -> Option<usize> {
    let columns = tcgetwinsize(io::stdout()).ok()?.ws_col;
    Some(usize::from(columns)).filter(|columns| *columns > 0)
}

/// Asks on the terminal. Everything but a yes is a no.
fn confirm(question: &str) -> io::Result<bool> {
    write!(io::stderr(), "{question} [y/N] ")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(&*answer.trim().to_lowercase(), "y" | "yes"))
}
