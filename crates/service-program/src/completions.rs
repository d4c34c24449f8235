//! The command `completions`: a script with which a shell completes the commands and flags of the program.

use std::io::{self, Write};

use anyhow::Result;
use clap::Command;
use clap_complete::Shell;

use crate::command::with_printing_context;
use crate::program::Program;

/// Print a script with which a shell completes commands and flags.
///
/// For example, in ~/.bashrc: source <({name} completions bash)
#[derive(Debug, clap::Args)]
pub(super) struct Completions {
    /// Shell that runs the script
    shell: Shell,
}

impl Completions {
    /// Prints the script for a command line.
    ///
    /// # Errors
    ///
    /// If it could not be printed.
    pub(super) fn run<P: Program>(self, mut command: Command) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, P::NAME, &mut script);
        with_printing_context(io::stdout().write_all(&script))
    }
}
