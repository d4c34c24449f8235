//! From parsed arguments to requests, and from page to page.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ArgMatches;
use clap_complete::Shell;
use petstore_client::{CallError, Client, RetryPolicy};

use crate::arguments::{self, Format};
use crate::cli::{Cli, CliCommand};
use crate::patience::Announced;
use crate::screen::Screen;

/// How many records are asked for at once when all are wanted.
const PAGE: i64 = 100;

/// Does what the command line asks for.
pub async fn run(matches: &ArgMatches) -> Result<()> {
    let (name, matches) = matches.subcommand().context("a command is missing")?;
    if let Some(shell) = matches.try_get_one::<Shell>("shell").ok().flatten() {
        let mut script = Vec::new();
        clap_complete::generate(
            *shell,
            &mut arguments::command(),
            "petstorectl",
            &mut script,
        );
        return show(&script);
    }
    let operation = CliCommand::iter()
        .find(|operation| arguments::name(*operation) == name)
        .with_context(|| format!("there is no command {name}"))?;
    let format = *matches
        .get_one::<Format>("output")
        .context("there is no format")?;
    let whole = matches.try_get_one::<bool>("all").ok().flatten() == Some(&true);
    let screen = Screen::new(format, whole.then_some(PAGE));
    let cli = Cli::new(client(matches)?, &screen);
    loop {
        cli.execute(operation, matches).await?;
        if !screen.has_next_page() {
            break;
        }
        if !whole {
            eprintln!("petstorectl: there are more; --all shows them");
            break;
        }
        if screen.is_stuck() {
            let circle = "the list does not go on: its next page is the same again";
            return Err(CallError::Custom(circle.to_owned()).into());
        }
    }
    show(screen.text()?.as_bytes())
}

fn client(matches: &ArgMatches) -> Result<Client> {
    let text = |name| matches.get_one::<String>(name);
    let url = text("url").context("there is no URL")?;
    let key = text("key")
        .filter(|key| !key.is_empty())
        .context("an API key is needed: --key, or PETSTORE_API_KEY")?;
    let timeout = matches
        .get_one::<u64>("timeout")
        .context("there is no timeout")?;
    let policy = RetryPolicy {
        deadline: Duration::from_secs(*timeout),
        ..RetryPolicy::default()
    };
    Ok(Client::new(url, key)
        .with_retries(policy)
        .with_clock(Announced::default()))
}

/// Whoever stops reading, such as `head`, has seen enough.
fn show(text: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}
