//! The commands `completions` and `man`, which need no service: they print or install what belongs to the shell.

use std::path::{Path, PathBuf};

use clap::builder::EnumValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use clap_complete::Shell;

use crate::console::{self, Failure};

/// The commands.
pub(crate) fn commands() -> [Command; 2] {
    let completions = Command::new("completions")
        .about("Print shell completions, or install them")
        .arg(
            Arg::new("completions-shell")
                .value_name("SHELL")
                .value_parser(EnumValueParser::<Shell>::new())
                .help("Default: the shell in the environment variable SHELL"),
        )
        .arg(
            Arg::new("completions-install")
                .long("install")
                .action(ArgAction::SetTrue)
                .help("Write them into your folder for completions of the shell"),
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

/// Runs one of the commands, if it was given. `command` is the whole parser; `variable` reads the environment.
///
/// # Errors
/// A file cannot be written, or it is unknown which shell is meant.
pub(crate) fn run(
    command: Command,
    matches: &ArgMatches,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<Result<(), Failure>> {
    match matches.subcommand()? {
        ("completions", matches) => Some(complete(command, matches, &variable)),
        ("man", matches) => Some(write_manual(command, matches)),
        _ => None,
    }
}

fn complete(
    mut command: Command,
    matches: &ArgMatches,
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<(), Failure> {
    let given = matches.get_one::<Shell>("completions-shell").copied();
    let found = || variable("SHELL").and_then(Shell::from_shell_path);
    let shell = given.or_else(found).ok_or_else(|| {
        Failure::Usage("which shell? Name it, such as `completions bash`".to_owned())
    })?;
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, &name, &mut script);
    if !matches.get_flag("completions-install") {
        return console::print(&script);
    }
    let file = completions_file(shell, &name, variable)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&file, script))
        .map_err(|error| Failure::Usage(format!("cannot write {}: {error}", file.display())))?;
    let mut text = format!("wrote {}\n", file.display());
    if shell == Shell::Zsh {
        let folder = folder.display();
        text.push_str(&format!(
            "if it is new to your ~/.zshrc, add this line before `compinit`: fpath=({folder} $fpath)\n"
        ));
    }
    console::print(text.as_bytes())
}

/// The file in which a shell finds the completions of a program by itself.
fn completions_file(
    shell: Shell,
    program: &str,
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<PathBuf, Failure> {
    let folder = |name: &str, default: &str| {
        let set = variable(name).filter(|value| !value.is_empty());
        let set = set.map(PathBuf::from);
        set.or_else(|| Some(Path::new(&variable("HOME")?).join(default)))
            .ok_or_else(|| {
                Failure::Usage(
                    "HOME is not set: print the completions without --install".to_owned(),
                )
            })
    };
    let data = || folder("XDG_DATA_HOME", ".local/share");
    Ok(match shell {
        Shell::Bash => data()?.join("bash-completion/completions").join(program),
        Shell::Zsh => data()?
            .join("zsh/site-functions")
            .join(format!("_{program}")),
        Shell::Fish => folder("XDG_CONFIG_HOME", ".config")?
            .join("fish/completions")
            .join(format!("{program}.fish")),
        other => {
            return Err(Failure::Usage(format!(
                "{other} has no folder for completions: add the output of `{program} completions {other}` to its profile"
            )));
        }
    })
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn file(shell: Shell, variables: &[(&str, &str)]) -> Result<String, String> {
        let variable = |name: &str| {
            let mut variables = variables.iter();
            variables
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        };
        let file = completions_file(shell, "pets", &variable);
        file.map(|file| file.display().to_string())
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn each_shell_has_its_folder() {
        let (home, data) = (("HOME", "/home/a"), ("XDG_DATA_HOME", "/data"));
        let bash = "bash-completion/completions/pets";
        let of_home = |path: &str| format!("/home/a/{path}");
        for (shell, variables, expected) in [
            (
                Shell::Bash,
                &[home][..],
                of_home(&format!(".local/share/{bash}")),
            ),
            (Shell::Bash, &[home, data], format!("/data/{bash}")),
            (
                Shell::Zsh,
                &[home],
                of_home(".local/share/zsh/site-functions/_pets"),
            ),
            (
                Shell::Fish,
                &[home],
                of_home(".config/fish/completions/pets.fish"),
            ),
            (
                Shell::PowerShell,
                &[home],
                "powershell has no folder".to_owned(),
            ),
            (Shell::Bash, &[], "HOME is not set".to_owned()),
        ] {
            let found = file(shell, variables);
            let found = found.unwrap_or_else(|error| error);
            assert!(found.starts_with(&expected), "{found}");
        }
    }
}
