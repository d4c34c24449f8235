//! `settings`: prints all settings of `dropspec.toml`.

use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::output::print;

/// The page whose example has every setting.
const PAGE: &str = include_str!("../shared/page.md");

/// Print all settings of dropspec.toml, with examples and what they mean
///
/// All keys have defaults. Paths start at the folder of dropspec.toml.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  settings

Exit codes: 0 all is well, 2 the output cannot be written.")]
pub struct Arguments {}

/// Runs `settings`.
///
/// # Errors
/// The output cannot be written.
pub fn run(_: &Arguments) -> anyhow::Result<ExitCode> {
    let example = PAGE.split("```toml\n").nth(1);
    let example = example.and_then(|text| text.split("```").next());
    print(example.context("the page of settings has no example")?)?;
    Ok(ExitCode::SUCCESS)
}
