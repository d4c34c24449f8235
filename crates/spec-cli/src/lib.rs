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
mod names;
mod operation;
mod output;
mod profile;
mod request;
mod retry;
pub mod sanitize;
mod schemes;
mod send;
mod settings;
pub mod shell;
mod table;
pub mod tail;
mod times;
mod value;

use std::ffi::OsString;
use std::process::ExitCode;

pub use command::command;
pub use document::{DocumentError, Interface};
pub use failure::Failure;
pub use format::{Format, format_value};
pub use profile::Profiles;
pub use settings::Settings;
pub use times::Times;

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
    let command = settings.profiles().apply(plain, &arguments, variable)?;
    let matches = command.get_matches_from(arguments);
    // Without the profile: what they print must not contain its values.
    if let Some(done) = shell::run(self::command(interface, settings), &matches, variable) {
        return done.map(|()| ExitCode::SUCCESS);
    }
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(ExitCode::from(2));
    };
    if name == tail::NAME && interface.has_tail() {
        let request = build::build_tail(interface, settings, matches)?;
        let source = request.as_source();
        let format = matches.get_one::<Format>("output").copied();
        let note = |text: &str| send::print_note(&settings.name, text);
        tail::follow(&source, format.unwrap_or(Format::Table), note)?;
        return Ok(ExitCode::SUCCESS);
    }
    let operation = interface.operation(name)?;
    let request = build::build(interface, operation, settings, matches)?;
    if matches.get_flag(command::CURL) {
        send::print(format!("{}\n", curl::render(&request)).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let policy = command::retry_policy(matches);
    if let Some(note) = &operation.deprecation {
        send::print_note(&settings.name, &format!("{name} is deprecated: {note}"));
    }
    let report = send::Report {
        note: &|text| send::print_note(&settings.name, text),
        exchange: match matches.get_flag(command::VERBOSE) {
            true => Some(&send::print_exchange),
            false => None,
        },
    };
    let response = send::send(&request, policy, &report)?;
    output::print_response(response, matches)?;
    Ok(ExitCode::SUCCESS)
}
