//! The command line of a service, built at run time from its OpenAPI document: one command for each operation, one
//! flag for each parameter and property.
//!
//! Values are checked against the document's schemas before a request is sent, so mistakes are reported with the flag.
//! Requests are sent with the retries of `dropspec-client`, as those of the clients are.

mod body;
mod build;
mod command;
mod console;
mod credentials;
mod curl;
mod document;
mod exchange;
mod flags;
mod format;
mod invocation;
mod items;
mod no_response;
mod operation;
mod options;
mod output;
mod pages;
mod profile;
mod request;
mod sanitize;
mod schemes;
mod send;
mod service_error;
mod settings;
mod table;
mod tail;
mod times;
mod value;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches;
pub use command::command;
pub use console::Failure;
pub use document::{DocumentError, Interface};
use dropspec_client::sending::link;
use dropspec_command_line::{ShellCommand, print_error};
use serde_json::Value;
pub use settings::Settings;

use crate::invocation::Invocation;
use crate::profile::Profile;
use crate::send::Session;
use crate::service_error::replace_places_by_arguments;

/// Runs the command line with the arguments of this process. `document` is YAML or JSON.
///
/// Exit codes: 0 success, 1 the service returned an error, 2 the command cannot work as it is, 3 no response.
pub fn run(document: &str, settings: &Settings) -> ExitCode {
    let interface = match Interface::read(document, settings.clone()) {
        Ok(interface) => interface,
        Err(error) => {
            print_error(error);
            return ExitCode::from(2);
        }
    };
    match run_with(&interface, std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            print_error(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Runs the command line with these arguments, the first of which is the name of the program.
///
/// # Errors
/// The command cannot work as it is, the service returned an error, or there was no response. Wrong usage that clap
/// finds, and help, end the process.
pub fn run_with(
    interface: &Interface,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<(), Failure> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let variable = |name: &str| std::env::var(name).ok();
    let settings = &interface.settings;
    let mut command = command(interface);
    if arguments.len() < 2 {
        // Clap would say that a command is missing if a variable of the environment sets an option.
        let help = command.render_help();
        if dropspec_command_line::has_colours(&std::io::stderr()) {
            eprint!("{}", help.ansi());
        } else {
            eprint!("{help}");
        }
        std::process::exit(2);
    }
    let matches = dropspec_command_line::parse(command.clone(), arguments);
    let matches = matches.unwrap_or_else(|error| error.exit());
    if let Ok(shell) = ShellCommand::from_arg_matches(&matches) {
        let text = shell.run(command);
        return console::print(&text.map_err(|error| Failure::Usage(error.to_string()))?);
    }
    let chosen = matches.get_one::<String>(options::PROFILE);
    let chosen = chosen.map(String::as_str).filter(|name| !name.is_empty());
    let profile = Profile::read(settings, &command, chosen, variable)?;
    if let Some(warning) = &profile.warning {
        console::print_line(warning);
    }
    let Some((name, matches)) = matches.subcommand() else {
        return Err(Failure::Usage("a command is missing".to_owned()));
    };
    let invocation = Invocation {
        interface,
        matches,
        profile: &profile,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Usage(format!("cannot start: {error}")))?;
    if name == options::TAIL && interface.has_tail() {
        let request = build::build_tail(&invocation)?;
        return runtime.block_on(tail::follow(&request, &invocation));
    }
    runtime.block_on(call(name, &invocation))
}

/// Sends the request of an operation, and prints the response.
async fn call(name: &str, invocation: &Invocation<'_>) -> Result<(), Failure> {
    let operation = invocation.interface.operation(name)?;
    // A wrong value of a profile is an error before anything is sent.
    invocation.format()?;
    let request = build::build(invocation, operation)?;
    if invocation.is_on(options::CURL) {
        let schemes = &invocation.interface.schemes;
        let cacert = invocation.cacert().map(|(path, _)| path);
        let command = curl::render(&request, schemes, cacert);
        return console::print(format!("{command}\n").as_bytes());
    }
    if let Some(deprecation) = &operation.deprecation {
        console::note(&format!("{name} is deprecated: {deprecation}"));
    }
    let session = Session::new(invocation)?;
    let response = if invocation.is_on(options::ALL) {
        pages::read_all(&session, request).await
    } else if let Some(schema) = operation.item
        && invocation.text("output-file").is_none()
    {
        let is_item =
            |item: &Value| value::check(invocation.interface.document, schema, item).is_ok();
        match items::print_items(&session, &request, invocation.format()?, is_item).await {
            Ok(Some(response)) => Ok(response),
            Ok(None) => return Ok(()),
            Err(failure) => Err(failure),
        }
    } else {
        session.send(&request).await
    };
    let response = response.map_err(|failure| match failure {
        Failure::Service(text) => Failure::Service(replace_places_by_arguments(&text, |place| {
            invocation.argument_for(operation, place)
        })),
        other => other,
    })?;
    let has_next_page = operation.has_pages && link::find_next_page(&response.headers).is_some();
    output::print_response(&response, name, has_next_page, invocation)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
