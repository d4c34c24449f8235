//! Runs one command: builds the client, sends the request, prints the result.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use anyhow::{Context, Result};
use chrono::Utc;
use clap::ArgMatches;
use petstore_client::{Client, Error as CallError, Exchange, HeaderMap, RetryPolicy};

use crate::arguments::{self, command_name};
use crate::cli::{Cli, CliCommand};
use crate::exit;
use crate::output::Output;
use crate::retries::Retries;
use spec_cli::exchange::{NOT_SHOWN, describe_request, describe_response};
use spec_cli::{Format, Sources, Width, shell, tail, usage};

/// Runs the command line with these arguments, the first of which is the name of the program.
///
/// # Errors
///
/// The error of the call, which decides the exit code, or a mistake in the arguments or the configuration file.
pub async fn run(arguments: Vec<OsString>) -> Result<()> {
    let variable = |name: &str| std::env::var(name).ok();
    let applied = arguments::profiles().apply(arguments::command(), &arguments, variable)?;
    let matches = usage::parse(applied.command, arguments)?;
    // Without the profile: what they print must not contain its values.
    if let Some(done) = shell::run(arguments::command(), &matches, variable) {
        return Ok(done?);
    }
    if let Some(warning) = &applied.warning {
        print_note(warning);
    }
    let (name, matches) = matches.subcommand().context("a command is missing")?;
    let done = match name {
        tail::NAME => follow(matches, &applied.sources).await,
        _ => call(name, matches, &applied.sources).await,
    };
    done.map_err(|error| exit::explain(error, matches, &applied.sources))
}

/// Calls an operation, and prints what it returns.
async fn call(name: &str, matches: &ArgMatches, sources: &Sources) -> Result<()> {
    let operation = CliCommand::iter()
        .find(|operation| command_name(*operation) == name)
        .with_context(|| format!("there is no command {name}"))?;
    let format = format(matches)?;
    if let Some(note) = operation.deprecation() {
        print_note(&format!("{name} is deprecated: {note}"));
    }
    let all = matches.try_get_one::<bool>("all").ok().flatten() == Some(&true);
    let output = Output::new(format, all);
    let cli = Cli::new(build_client(matches, sources)?, &output);
    match cli
        .execute(operation, matches)
        .await
        .map_err(exit::from_request)
    {
        Err(error) if exit::is_not_modified(&error) => {
            print_note("not modified");
            return Ok(());
        }
        result => result?,
    }
    let etag = output.etag().filter(|_| matches.get_flag("show-etag"));
    let has_more_pages = output.has_more_pages();
    let empty = output.describe_empty(name);
    print(output.into_text(Utc::now(), Width::of_stdout()).as_bytes())?;
    if has_more_pages {
        print_note("the list has more pages; use --all for all records");
    }
    if let Some(note) = empty.filter(|_| io::stderr().is_terminal()) {
        print_note(&note);
    }
    if let Some(etag) = etag {
        let _ = writeln!(io::stderr(), "ETag: {etag}");
    }
    Ok(())
}

/// Shows the requests of the key until Ctrl-C.
async fn follow(matches: &ArgMatches, sources: &Sources) -> Result<()> {
    let (url, key) = url_and_key(matches, sources)?;
    let source = tail::Source {
        url: format!("{}/tail", url.trim_end_matches('/')),
        query: String::new(),
        headers: vec![("X-API-Key".to_owned(), key.to_owned())],
    };
    let format = format(matches)?;
    // On a thread that may wait.
    let followed = tokio::task::spawn_blocking(move || tail::follow(&source, format, print_note));
    Ok(followed.await??)
}

fn format(matches: &ArgMatches) -> Result<Format> {
    let format = matches.get_one::<Format>("output").copied();
    format.context("the output format is missing")
}

fn url_and_key<'m>(matches: &'m ArgMatches, sources: &Sources) -> Result<(&'m str, &'m str)> {
    let text = |name| matches.get_one::<String>(name);
    let url = text("url").context("the URL is missing")?;
    let key = text("key").filter(|key| !key.is_empty());
    let key = key.with_context(|| {
        let ways = sources.ways_to_set("key");
        format!("an API key is required: use {ways}")
    })?;
    Ok((url, key))
}

fn build_client(matches: &ArgMatches, sources: &Sources) -> Result<Client> {
    let (url, key) = url_and_key(matches, sources)?;
    let timeout = matches
        .get_one::<u64>("timeout")
        .context("the timeout is missing")?;
    let policy = RetryPolicy {
        deadline: Duration::from_secs(*timeout),
        ..RetryPolicy::default()
    };
    let retries = Retries::new(url, &policy);
    let client = Client::connect(url, key)
        .map_err(CallError::from)?
        .with_retries(policy)
        .with_observer(move |event| retries.announce(event));
    Ok(if matches.get_flag("verbose") {
        client.with_exchange_observer(show_exchange)
    } else {
        client
    })
}

/// Writes text to standard output. Ignores that the reader closed the pipe, as `head` does.
fn print(text: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// Shows on standard error what was sent and received, without the API key.
fn show_exchange(exchange: &Exchange<'_>) {
    let request = exchange.request;
    let body = request.body().and_then(|body| body.as_bytes());
    let url = request.url().as_str();
    let headers = texts(request.headers());
    let sent = describe_request(request.method().as_str(), url, headers, body);
    let received = match &exchange.response {
        Ok((status, headers)) => describe_response(&status.to_string(), texts(headers)),
        Err(reason) => describe_response(&format!("no response: {reason}"), []),
    };
    let _ = write!(io::stderr(), "{sent}{received}");
}

/// The headers as text. Those that are marked as sensitive are not shown.
fn texts(headers: &HeaderMap) -> impl Iterator<Item = (&str, String)> {
    headers.iter().map(|(name, value)| {
        let text = if value.is_sensitive() {
            NOT_SHOWN.to_owned()
        } else {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        };
        (name.as_str(), text)
    })
}

/// Prints a line on standard error, and ignores that it is closed.
pub fn print_note(text: &str) {
    let _ = writeln!(io::stderr(), "petstorectl: {text}");
}
