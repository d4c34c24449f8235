//! Runs one command: builds the client, sends the request, prints the result.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ArgMatches;
use clap_complete::Shell;
use petstore_client::{Client, RetryEvent, RetryPolicy};

use crate::arguments::{self, command_name};
use crate::cli::{Cli, CliCommand};
use crate::exit;
use crate::output::{Format, Output};
use spec_cli::sanitize;

/// Sends the request of the parsed command and prints the response.
///
/// # Errors
///
/// The error of the call, which decides the exit code, or a mistake in the arguments.
pub async fn run(matches: &ArgMatches) -> Result<()> {
    let (name, matches) = matches.subcommand().context("a command is missing")?;
    if let Some(shell) = matches.try_get_one::<Shell>("shell").ok().flatten() {
        let mut script = Vec::new();
        let mut command = arguments::command();
        clap_complete::generate(*shell, &mut command, "petstorectl", &mut script);
        return print(&script);
    }
    let operation = CliCommand::iter()
        .find(|operation| command_name(*operation) == name)
        .with_context(|| format!("there is no command {name}"))?;
    let format = *matches
        .get_one::<Format>("output")
        .context("the output format is missing")?;
    let all = matches.try_get_one::<bool>("all").ok().flatten() == Some(&true);
    let output = Output::new(format, all);
    let cli = Cli::new(build_client(matches)?, &output);
    match cli.execute(operation, matches).await {
        Err(error) if exit::is_not_modified(&error) => {
            print_note("not modified");
            return Ok(());
        }
        result => result?,
    }
    let etag = output.etag().filter(|_| matches.get_flag("show-etag"));
    if output.has_more_pages() {
        print_note("the list has more pages; use --all for all records");
    }
    print(output.into_text()?.as_bytes())?;
    if let Some(etag) = etag {
        let _ = writeln!(io::stderr(), "ETag: {etag}");
    }
    Ok(())
}

fn build_client(matches: &ArgMatches) -> Result<Client> {
    let text = |name| matches.get_one::<String>(name);
    let url = text("url").context("the URL is missing")?;
    let key = text("key")
        .filter(|key| !key.is_empty())
        .context("an API key is required: use --key or PETSTORE_API_KEY")?;
    let timeout = matches
        .get_one::<u64>("timeout")
        .context("the timeout is missing")?;
    let policy = RetryPolicy {
        deadline: Duration::from_secs(*timeout),
        ..RetryPolicy::default()
    };
    Ok(Client::new(url, key)
        .with_retries(policy)
        .with_observer(announce_retry))
}

/// Writes text to standard output. Ignores that the reader closed the pipe, as `head` does.
fn print(text: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// Says on standard error that a call waits, and why.
fn announce_retry(event: &RetryEvent) {
    let reason = sanitize::escape_line(&event.reason);
    let next = event.attempts + 1;
    let wait = event.delay.as_secs_f32();
    print_note(&format!("{reason}; attempt {next} in {wait:.1} seconds"));
}

/// Prints a line on standard error, and ignores that it is closed.
pub fn print_note(text: &str) {
    let _ = writeln!(io::stderr(), "petstorectl: {text}");
}
