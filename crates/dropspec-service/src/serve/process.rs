//! The process of a server, from start to stop.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use dropspec_gate::database::{Database, DatabaseConfig};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use slog::Logger;

use super::warnings::find_warnings;
use crate::backups::{self, BackedUp, BackupSchedule};
use crate::first_key::FirstKeyPolicy;
use crate::first_steps::{self, FirstKeyPlace};
use crate::program::{Program, key_scheme};
use crate::server::Server;
use crate::settings::Settings;
use crate::signals::Signals;
use crate::start::start;

/// How long tasks may take to end after the server stopped. They have nothing left to do.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Runs a server until a signal stops it.
pub(super) fn run<P: Program>(
    settings: Settings,
    drain_delay: Duration,
    backups: Option<BackupSchedule>,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the threads of the server")?;
    let served = runtime.block_on(serve::<P>(settings, drain_delay, backups));
    // Ends all tasks, so that nothing is logged after the last line.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    let log = served?;
    slog::info!(log, "stopped");
    // A task that hangs keeps the log open, and the process would end without its last lines.
    let _ = log.flush();
    Ok(())
}

/// Serves requests until a signal, and returns the log.
async fn serve<P: Program>(
    settings: Settings,
    drain_delay: Duration,
    backups: Option<BackupSchedule>,
) -> Result<Logger> {
    // Before the start, so that a signal during the start is not lost.
    let signals = Signals::listen(drain_delay)?;

    // Each connection is an open file, and the usual limit of 1,024 is soon reached. If the system refuses, the limit
    // stays as it is.
    let files = getrlimit(Resource::Nofile).maximum;
    let most = Rlimit {
        current: files,
        maximum: files,
    };
    let _ = setrlimit(Resource::Nofile, most);
    let config = settings.database.as_ref().context("no database is set")?;
    let is_missing = config.is_missing();
    let (server, first_key) = start::<P>(&settings).await?;
    let database = server.gate().service().database();
    let is_new = is_missing || database.is_some_and(Database::is_new);
    let command = make_key_command(config);
    let first_key = match (&settings.first_key, &first_key) {
        (FirstKeyPolicy::File(path), Some(_)) => Some(FirstKeyPlace::InFile(path)),
        (_, Some(first)) => Some(FirstKeyPlace::Shown(first.key.expose())),
        (FirstKeyPolicy::Skip, None) if is_new && key_scheme::<P>().is_some() => {
            Some(FirstKeyPlace::ToBeMade(&command))
        }
        (_, None) => None,
    };
    announce(&server, is_new, first_key);
    // Which database it is, and whether it is new: a server in the wrong folder knows no key.
    slog::info!(server.gate().log(), "started";
        "version" => P::VERSION,
        "database" => %config,
        "new_database" => is_new,
    );
    let log = server.gate().log().clone();
    if matches!(first_key, Some(FirstKeyPlace::ToBeMade(_))) {
        slog::warn!(
            log,
            "the database has no API key: none is created where nobody can read it, as standard output is no terminal; \
            create one by the command `keys create`, or name a file for the first one by --first-key-file"
        );
    }
    for warning in find_warnings(&settings) {
        slog::warn!(log, "{warning}");
    }
    if let Some(schedule) = backups
        && let DatabaseConfig::Sqlite(store) = config
    {
        let of = BackedUp {
            name: P::NAME,
            schema: P::SCHEMA,
            database: store.path.clone(),
            clock: Arc::clone(&settings.requests.clock),
            metrics: server.gate().metrics.clone(),
            log: log.clone(),
        };
        tokio::spawn(backups::run(schedule, of));
    }
    server.run_until_signal(signals).await?;
    Ok(log)
}

/// Prints the addresses of the server, and at the first start a request to begin with. If standard output fails, the server
/// continues.
fn announce<P: Program>(server: &Server<P>, is_new: bool, key: Option<FirstKeyPlace<'_>>) {
    let base_url = server.base_url();
    let mut text = format!(
        "{} listens on {base_url}\nits panel is on http://{}/, the page of the operator; its reference page is {base_url}/docs\n",
        P::NAME,
        server.panel_address(),
    );
    if key.is_some() || (is_new && key_scheme::<P>().is_none()) {
        text += &first_steps::describe::<P::Interface>(&base_url, key);
    }
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    if let Err(error) = written {
        slog::warn!(server.gate().log(), "standard output cannot be written to"; "error" => %error);
    }
}

/// The command that makes an API key for the service. The URL of a database server is left out, as it may have a password.
fn make_key_command(config: &DatabaseConfig) -> String {
    let program = std::env::args().next().unwrap_or_default();
    let mut words = vec![program.as_str(), "keys", "create", "--name", "first"];
    let database = match config {
        DatabaseConfig::Sqlite(store) => store.path.to_string_lossy(),
        #[cfg(feature = "postgres")]
        DatabaseConfig::Postgres(_) => "URL".into(),
    };
    words.extend(["--database", &database]);
    let quoted = words.into_iter().map(first_steps::quote);
    quoted.collect::<Vec<_>>().join(" ")
}
