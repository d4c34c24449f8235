//! The command line of a program. The texts of the flags contain placeholders, such as `{name}` for the name of a
//! service and `{prefix}` for the beginning of its environment variables. They are filled in before it is parsed.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::StyledStr;
use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use dropspec_command_line::ShellCommand;
use dropspec_gate::keys::commands::KeyCommands;
use dropspec_runtime::{Interface, PlanInfo};

use super::backup::Backup;
use super::config_file::{ConfigFile, settings_of};
#[cfg(feature = "postgres")]
use super::copy::Copy;
use super::health::Health;
use super::keys::Keys;
use super::migrate::Migrate;
use super::restore::Restore;
use super::serve::Serve;
use super::usage::Usage;
use crate::program::Program;

#[derive(Debug, Parser)]
#[command(
    name = "program",
    arg_required_else_help = true,
    after_help = "Run `{name} serve` in an empty folder to try it: it creates its database there."
)]
struct Arguments {
    /// File with settings (TOML): `listen = "127.0.0.1:8081"` is `--listen 127.0.0.1:8081`. Flags and environment variables
    /// override it
    #[arg(long, global = true, env = "{prefix}_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(subcommand)]
    command: ProgramCommand,
}

/// The commands of a program.
#[derive(Debug, Subcommand)]
pub(super) enum ProgramCommand {
    Serve(Box<Serve>),
    Keys(Keys),
    Usage(Usage),
    Backup(Backup),
    Restore(Restore),
    #[cfg(feature = "postgres")]
    Copy(Copy),
    Migrate(Migrate),
    Health(Health),
    #[command(flatten)]
    Shell(ShellCommand),
}

/// Parses the command line of this process, and the configuration file that it names.
pub(super) fn parse<P: Program>() -> Result<ProgramCommand, clap::Error> {
    let mut program = command::<P>();
    let matches = |program| dropspec_command_line::parse(program, std::env::args_os());
    let first = Arguments::from_arg_matches(&matches(program.clone())?)?;
    let Some(path) = first.config else {
        return Ok(first.command);
    };
    let serve = program
        .find_subcommand("serve")
        .cloned()
        .unwrap_or_default();
    let file = ConfigFile::read(&path, &serve)
        .map_err(|error| program.error(ErrorKind::ValueValidation, error))?;
    let matches = matches(file.set_defaults(program))?;
    Ok(Arguments::from_arg_matches(&matches)?.command)
}

/// The command line of a service.
pub(super) fn command<P: Program>() -> Command {
    let command = Arguments::command()
        .name(P::NAME)
        .version(P::VERSION)
        .about(P::ABOUT)
        .mut_subcommand("keys", |keys| {
            let keys = keys.after_help(keys_examples(P::plans()));
            let keys = KeyCommands::restrict_plans(keys, P::plans(), P::FIRST_KEY_PLAN);
            KeyCommands::restrict_scopes(keys, P::Interface::operations())
        });
    let serve = command.find_subcommand("serve");
    let settings = serve.into_iter().flat_map(settings_of);
    let names = Names {
        name: P::NAME,
        prefix: P::NAME.to_uppercase().replace('-', "_"),
        records: P::RECORDS,
        settings: settings.map(str::to_owned).collect(),
    };
    names.fill_command(command)
}

/// Examples of the command `keys`, with plans that exist.
fn keys_examples(plans: &[PlanInfo]) -> String {
    let own = match plans.iter().find(|plan| plan.limits.is_none()) {
        Some(plan) => format!(
            "  {{name}} keys create --name partner --plan {} --per-minute 5000 --per-day 1000000\n",
            plan.name
        ),
        None => String::new(),
    };
    format!(
        "Examples:\n  {{name}} keys create --name shop --expires 90d\n{own}  {{name}} keys change 3 --access read\n  \
         {{name}} keys rotate 3 --overlap 24h\n  {{name}} keys show 3 --json"
    )
}

/// What the placeholders in the texts stand for.
struct Names {
    name: &'static str,
    prefix: String,
    records: &'static str,
    /// The flags that are settings of a server, which environment variables set as well, in every command that has them.
    settings: Vec<String>,
}

impl Names {
    fn fill(&self, text: &str) -> String {
        text.replace("{name}", self.name)
            .replace("{prefix}", &self.prefix)
            .replace("{records}", self.records)
    }

    /// The text with its placeholders filled, if there is one.
    fn fill_styled(&self, text: Option<&StyledStr>) -> Option<StyledStr> {
        text.map(|text| self.fill(&text.to_string()).into())
    }

    /// Fills the texts of a command, of its arguments and of its subcommands.
    fn fill_command(&self, command: Command) -> Command {
        let about = self.fill_styled(command.get_about());
        let long_about = self.fill_styled(command.get_long_about());
        let after_help = self.fill_styled(command.get_after_help());
        let names = command.get_subcommands().map(|it| it.get_name().to_owned());
        let names: Vec<String> = names.collect();
        let command = set(command, about, Command::about);
        let command = set(command, long_about, Command::long_about);
        let command = set(command, after_help, Command::after_help);
        let command = command.mut_args(|argument| self.fill_argument(argument));
        names.into_iter().fold(command, |command, name| {
            command.mut_subcommand(name, |subcommand| self.fill_command(subcommand))
        })
    }

    fn is_setting(&self, flag: &str) -> bool {
        self.settings.iter().any(|it| it == flag)
    }

    fn fill_argument(&self, argument: Arg) -> Arg {
        let help = self.fill_styled(argument.get_help());
        let long_help = self.fill_styled(argument.get_long_help());
        let text = |value: &OsStr| self.fill(&value.to_string_lossy());
        let setting = argument.get_long().filter(|flag| self.is_setting(flag));
        let of_setting = setting.map(|flag| {
            let flag = flag.to_uppercase().replace('-', "_");
            format!("{}_{flag}", self.prefix)
        });
        let variable = argument.get_env().map(text).or(of_setting);
        let default = argument.get_default_values().first();
        let default = default.map(|value| text(value));
        let argument = set(argument, help, Arg::help);
        let argument = set(argument, long_help, Arg::long_help);
        let argument = set(argument, variable, Arg::env);
        set(argument, default, Arg::default_value)
    }
}

/// Sets a part of a command or argument, if there is one.
fn set<C, T>(it: C, value: Option<T>, set: impl FnOnce(C, T) -> C) -> C {
    match value {
        Some(value) => set(it, value),
        None => it,
    }
}
