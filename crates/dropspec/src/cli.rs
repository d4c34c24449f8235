//! The commands, and how a failure becomes a line and an exit code.

use std::process::ExitCode;

use clap::Subcommand;

use crate::check::Refused;
use crate::output::print_error;
use crate::{
    add, bundle, changelog, diff, generate, lint, mock, new, release, repair, rules, settings,
};

/// The commands for a repository with a document.
#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
pub enum Command {
    Generate(generate::Arguments),
    Bundle(bundle::Arguments),
    Lint(lint::Arguments),
    Repair(repair::Arguments),
    Mock(mock::Arguments),
    Diff(diff::Arguments),
    Changelog(changelog::Arguments),
    Release(release::Arguments),
    New(new::Arguments),
    Add(add::Arguments),
    Rules(rules::Arguments),
    Settings(settings::Arguments),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// The command failed, with a reason for people.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        match self {
            Command::Generate(arguments) => generate::run(arguments),
            Command::Bundle(arguments) => bundle::run(arguments),
            Command::Lint(arguments) => lint::run(arguments),
            Command::Repair(arguments) => repair::run(arguments),
            Command::Mock(arguments) => mock::run(arguments),
            Command::Diff(arguments) => diff::run(arguments),
            Command::Changelog(arguments) => changelog::run(arguments),
            Command::Release(arguments) => release::run(arguments),
            Command::New(arguments) => new::run(arguments),
            Command::Add(arguments) => add::run(arguments),
            Command::Rules(arguments) => rules::run(arguments),
            Command::Settings(arguments) => settings::run(arguments),
        }
    }
}

/// The exit code of a command: its own, or 2 with a line on standard error if it could not do its work.
pub fn report(done: anyhow::Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        match error.downcast_ref::<Refused>() {
            Some(lines) => print_error(lines),
            None => dropspec_command_line::print_error(format_args!("{error:#}")),
        }
        ExitCode::from(2)
    })
}
