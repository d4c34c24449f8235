//! `cargo xtask corpus`: generates every document of a folder, and says how many operations become code that compiles.

mod call;
mod cargo;
mod compile;
mod generated;
mod known;
mod report;
mod roundtrip;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;
use dropspec::output::print;

use self::cargo::Task;
use self::generated::{Generated, generate_all};

/// Generate every document of a folder, and count the operations that become code
///
/// Prints what is missing in each document, and a table of the folders. With --compile, the interface and the client of
/// every document become crates of one workspace below `target/corpus`, which is checked by cargo. With --call, a program
/// for each document calls every operation through the client on a server that echoes samples of the document, and compares
/// what was sent, what arrived, and what went over the wire; invalid samples must be refused. Then it calls `mock` of the
/// document, which must give each declared response. Failures that `known_failures.json`
/// lists, each with its reason, are counted apart; one that is listed and does not happen is a failure. With --roundtrip, each document
/// is compared with what dropshot emits from its interface. Exit code: 0 if every operation of every document is generated
/// (and compiles, and no call fails), or every document is equal; 1 if not.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The folders of documents, or single documents.
    #[arg(required = true, value_name = "DIR|FILE")]
    paths: Vec<PathBuf>,
    /// Compile what is generated.
    #[arg(long)]
    compile: bool,
    /// Compile what is generated, and call every operation.
    #[arg(long)]
    call: bool,
    /// Build every interface, and compare what dropshot emits with the document.
    #[arg(long, conflicts_with_all = ["compile", "call", "partial"])]
    roundtrip: bool,
    /// Leave out operations that cannot be generated.
    #[arg(long)]
    partial: bool,
    /// Take only documents whose path contains this text.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// How many errors or differences of each document are printed.
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    errors: usize,
}

/// Runs `cargo xtask corpus`.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut documents = Vec::new();
    for path in &arguments.paths {
        find_documents(path, &mut documents)?;
    }
    let only = &arguments.only;
    documents.retain(|path| {
        let path = path.to_string_lossy();
        only.is_empty() || only.iter().any(|name| path.contains(name.as_str()))
    });
    if documents.is_empty() {
        bail!("there are no OpenAPI documents");
    }
    if arguments.roundtrip {
        let equal = roundtrip::run(&documents, arguments.errors)?;
        return Ok(ExitCode::from(u8::from(!equal)));
    }
    let mut generated = generate_all(&documents, arguments.partial)?;
    let columns = if arguments.call {
        compile::compile(&mut generated, Task::Build)?;
        call::run(&mut generated, &cargo::target_directory()?)?;
        known::take_known(&mut generated)?;
        report::CALLED
    } else if arguments.compile {
        compile::compile(&mut generated, Task::Check)?;
        report::COMPILED
    } else {
        report::GENERATED
    };
    print(report::render_documents(&generated, arguments.errors))?;
    print(report::render_table(&generated, columns))?;
    let complete = generated.iter().all(Generated::is_complete);
    Ok(ExitCode::from(u8::from(!complete)))
}

/// Finds the documents in a folder and the folders below, in the order of their paths.
pub fn find_documents(path: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if !path.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    let entries =
        std::fs::read_dir(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry?.path());
    }
    paths.sort();
    for path in paths {
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() || matches!(extension, Some("yaml" | "yml" | "json")) {
            find_documents(&path, found)?;
        }
    }
    Ok(())
}
