//! The command line of a service, built at run time from its OpenAPI 3.0 document: one command for each operation, one
//! flag for each parameter and property.
//!
//! Values are checked against the document's schemas before a request is sent, so mistakes are reported with the flag.

mod build;
mod command;
mod credentials;
mod curl;
mod document;
pub mod exchange;
mod failure;
mod flags;
mod format;
pub mod help;
mod names;
pub mod no_response;
mod operation;
mod output;
mod profile;
mod request;
mod retry;
pub mod sanitize;
mod schemes;
mod send;
mod service_error;
mod settings;
pub mod shell;
mod sources;
mod table;
pub mod tail;
mod times;
pub mod usage;
mod value;
mod width;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::ArgMatches;

pub use command::command;
pub use document::{DocumentError, Interface};
pub use failure::Failure;
pub use format::{Format, describe_empty, format_value};
pub use profile::{Applied, Profiles};
pub use service_error::{RequestPlace, ServiceError, replace_places_by_arguments};
pub use settings::Settings;
pub use sources::Sources;
pub use times::Times;
pub use width::Width;

/// Runs the command line with the arguments of this process. `document` is YAML or JSON.
///
/// Exit codes: 0 success, 1 the service returned an error, 2 the command cannot work as it is, 3 no response.
pub fn run(document: &str, settings: &Settings) -> ExitCode {
    let interface = match Interface::read(document) {
        Ok(interface) => interface,
        Err(error) => {
            send::print_note(&settings.name, &error.to_string());
            return ExitCode::from(2);
        }
    };
    let done = run_with(&interface, settings, std::env::args_os());
    done.unwrap_or_else(|failure| {
        send::print_note(&settings.name, &failure.to_string());
        ExitCode::from(failure.exit_code())
    })
}

/// Runs the command line with these arguments, the first of which is the name of the program.
///
/// # Errors
/// The command cannot work as it is, the service returned an error, or there was no response. Wrong usage that clap
/// finds, and help, end the process.
pub fn run_with(
    interface: &Interface,
    settings: &Settings,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<ExitCode, Failure> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let variable = |name: &str| std::env::var(name).ok();
    let plain = command(interface, settings);
    let applied = settings.profiles().apply(plain, &arguments, variable)?;
    let matches = usage::parse(applied.command, arguments)?;
    // Without the profile: what they print must not contain its values.
    if let Some(done) = shell::run(self::command(interface, settings), &matches, variable) {
        return done.map(|()| ExitCode::SUCCESS);
    }
    let note = |text: &str| send::print_note(&settings.name, text);
    if let Some(warning) = applied.warning {
        note(&warning);
    }
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(ExitCode::from(2));
    };
    let call = Call {
        interface,
        settings,
        matches,
        sources: &applied.sources,
    };
    let done = match name {
        tail::NAME if interface.has_tail() => call.follow(&note),
        _ => call.run(name, &note),
    };
    let source = applied.sources.of(matches, "url");
    done.map_err(|failure| no_response::with_advice(failure, &source))?;
    Ok(ExitCode::SUCCESS)
}

/// A command of the service, as it was given.
struct Call<'a> {
    interface: &'a Interface,
    settings: &'a Settings,
    matches: &'a ArgMatches,
    sources: &'a Sources,
}

impl Call<'_> {
    /// Shows the requests of one's own key.
    fn follow(&self, note: &dyn Fn(&str)) -> Result<(), Failure> {
        let request = build::build_tail(self.interface, self.settings, self.matches, self.sources)?;
        let format = self.matches.get_one::<Format>("output").copied();
        tail::follow(&request.as_source(), format.unwrap_or(Format::Table), note)
    }

    /// Sends the request of an operation, and prints the response.
    fn run(&self, name: &str, note: &dyn Fn(&str)) -> Result<(), Failure> {
        let matches = self.matches;
        let operation = self.interface.operation(name)?;
        let request = build::build(
            self.interface,
            operation,
            self.settings,
            matches,
            self.sources,
        )?;
        if matches.get_flag(command::CURL) {
            return send::print(format!("{}\n", curl::render(&request)).as_bytes());
        }
        if let Some(deprecation) = &operation.deprecation {
            note(&format!("{name} is deprecated: {deprecation}"));
        }
        let report = send::Report {
            note,
            exchange: if matches.get_flag(command::VERBOSE) {
                Some(&send::print_exchange)
            } else {
                None
            },
        };
        let sent = send::send(&request, command::retry_policy(matches), &report);
        let response = sent.map_err(|failure| match failure {
            Failure::Service(text) => {
                Failure::Service(replace_places_by_arguments(&text, |place| {
                    build::argument_for(operation, matches, place)
                }))
            }
            other => other,
        })?;
        output::print_response(response, name, matches, note)
    }
}
