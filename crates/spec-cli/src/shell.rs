//! The commands `completions` and `man`, which need no service: they print what belongs to the shell.

use clap::builder::EnumValueParser;
use clap::{Arg, ArgMatches, Command, ValueHint};
use clap_complete::Shell;

use crate::console::{self, Failure};

/// The commands.
pub(crate) fn commands() -> [Command; 2] {
    let completions = Command::new("completions")
        .about("Print shell completions")
        .arg(
            Arg::new("completions-shell")
                .value_name("SHELL")
                .value_parser(EnumValueParser::<Shell>::new())
                .help("Default: the shell in the environment variable SHELL"),
        );
    let man = Command::new("man")
        .about("Print the manual page, or write the pages of all commands")
        .arg(
            Arg::new("man-dir")
                .long("dir")
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .help(
                    "Write a page for each command into a folder, such as ~/.local/share/man/man1",
                ),
        );
    [completions, man]
}

/// Runs one of the commands, if it was given. `command` is the whole parser.
///
/// # Errors
/// A file cannot be written, or it is unknown which shell is meant.
pub(crate) fn run(command: Command, matches: &ArgMatches) -> Option<Result<(), Failure>> {
    match matches.subcommand()? {
        ("completions", matches) => Some(complete(command, matches)),
        ("man", matches) => Some(write_manual(command, matches)),
        _ => None,
    }
}

fn complete(mut command: Command, matches: &ArgMatches) -> Result<(), Failure> {
    let given = matches.get_one::<Shell>("completions-shell").copied();
    let shell = given.or_else(Shell::from_env).ok_or_else(|| {
        Failure::Usage("which shell? Name it, such as `completions bash`".to_owned())
    })?;
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, &name, &mut script);
    console::print(&script)
}

fn write_manual(command: Command, matches: &ArgMatches) -> Result<(), Failure> {
    let Some(folder) = matches.get_one::<String>("man-dir") else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command)
            .render(&mut page)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        return console::print(&page);
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .map_err(|error| Failure::Usage(format!("cannot write into {folder}: {error}")))
}
