//! The commands `completions` and `man`: they print what belongs to a shell.

use std::io;
use std::path::PathBuf;

use clap::{Command, Subcommand, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;

/// A command that prints what belongs to a shell.
#[derive(Debug, Subcommand)]
pub enum ShellCommand {
    /// Print shell completions
    ///
    /// For bash, in ~/.bashrc: `source <(PROGRAM completions bash)`
    Completions {
        /// The shell; by default the one in the environment variable SHELL
        shell: Option<Shell>,
    },
    /// Print the manual page, or write the pages of all commands
    Man {
        /// Write a page for each command into a folder, such as ~/.local/share/man/man1
        #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        dir: Option<PathBuf>,
    },
}

impl ShellCommand {
    /// What the command prints of a program, whose whole parser is `program`. It prints nothing if it writes files.
    ///
    /// # Errors
    ///
    /// A file cannot be written, or it is unknown which shell is meant.
    pub fn run(self, mut program: Command) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        match self {
            ShellCommand::Completions { shell } => {
                let name = program.get_name().to_owned();
                let shell = shell.or_else(Shell::from_env).ok_or_else(|| {
                    io::Error::other(format!("which shell? Name it: `{name} completions bash`"))
                })?;
                clap_complete::generate(shell, &mut program, &name, &mut text);
            }
            ShellCommand::Man { dir: None } => Man::new(program).render(&mut text)?,
            ShellCommand::Man { dir: Some(folder) } => std::fs::create_dir_all(&folder)
                .and_then(|()| clap_mangen::generate_to(program, &folder))
                .map_err(|error| {
                    let folder = folder.display();
                    io::Error::other(format!("cannot write into {folder}: {error}"))
                })?,
        }
        Ok(text)
    }
}
