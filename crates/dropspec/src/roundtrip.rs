//! `roundtrip`: compares what dropshot emits from the generated trait with the document.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::Value;
use spec_codegen::Part;
use spec_schema::difference::compare;

use crate::generate;
use crate::new::Api;
use crate::output::{print, print_error};
use crate::package::{self, Member};
use crate::toolchain::{self, Source};

/// Compare what dropshot emits from the generated trait with the document
///
/// Generates the interface of FILE, builds it, and lets dropshot describe it again. Each difference is printed with its
/// JSON pointer. Only a document that dropshot made can be equal: dropshot emits no security, servers, examples and
/// extensions.
///
/// Exit codes: 0 equal, 1 different, 2 the document cannot be used.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The OpenAPI 3.0 document, YAML or JSON
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// The program that prints what dropshot emits; `{{…}}` are filled in.
const PROGRAM: &str = include_str!("roundtrip/emit.rs");

/// The name of the crate that is built.
const CRATE: &str = "dropspec-roundtrip";

/// Runs `roundtrip`.
///
/// # Errors
/// The output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (document, emitted) = match emit(&arguments.file) {
        Ok(documents) => documents,
        Err(error) => {
            print_error(format_args!("{error:#}"));
            return Ok(ExitCode::from(2));
        }
    };
    let differences = compare(&document, &emitted);
    for difference in &differences {
        print(format_args!("{difference}\n"))?;
    }
    Ok(ExitCode::from(u8::from(!differences.is_empty())))
}

/// Generates and builds the interface of a document. Returns the document, and what dropshot emits.
fn emit(path: &Path) -> anyhow::Result<(Value, Value)> {
    let (document, files) = generate::generate_file(path)?;
    let target = toolchain::target_directory()?;
    let workspace = target.join("roundtrip");
    let api: Vec<_> = files
        .into_iter()
        .filter(|it| it.part == Part::Api)
        .collect();
    let text = api.iter().find(|file| file.name == "api.rs");
    let text = text.context("the document has no operations")?;
    let support = Api::parse(&text.content)?.support_module()?;
    let source = Source::built();
    let member = Member {
        name: CRATE.to_owned(),
        folder: "emit".to_owned(),
    };
    let manifest = package::workspace_manifest(&[member], None, &[], &source)?;
    let folder = workspace.join("emit/src");
    if folder.exists() {
        fs::remove_dir_all(&folder).context("the folder of the last run cannot be removed")?;
    }
    let mut texts = vec![
        (workspace.join("Cargo.toml"), manifest),
        (
            workspace.join("emit/Cargo.toml"),
            package::manifest(CRATE, "Prints what dropshot emits.", Part::Api),
        ),
        (
            folder.join("lib.rs"),
            package::library("The generated interface.", &api),
        ),
        (
            folder.join("main.rs"),
            PROGRAM.replace("support_module", &support),
        ),
    ];
    for file in api {
        let name: &str = &file.name;
        texts.push((folder.join(name), file.content));
    }
    for (path, text) in texts {
        let context = || format!("{} cannot be written", path.display());
        let parent = path.parent().unwrap_or(&workspace);
        fs::create_dir_all(parent).with_context(context)?;
        fs::write(&path, text).with_context(context)?;
    }
    if let Source::Path(root) = &source {
        let lock = root.join("Cargo.lock");
        fs::copy(lock, workspace.join("Cargo.lock")).context("Cargo.lock cannot be copied")?;
    }
    Ok((document, run_program(&workspace, &target)?))
}

/// Builds and runs the program, and parses what it prints.
fn run_program(workspace: &Path, target: &Path) -> anyhow::Result<Value> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--quiet", "--package", CRATE])
        .current_dir(workspace)
        .env("CARGO_TARGET_DIR", target)
        .stderr(Stdio::inherit())
        .output()
        .context("cargo cannot be run")?;
    if !output.status.success() {
        bail!("dropshot does not accept the generated interface");
    }
    serde_json::from_slice(&output.stdout).context("dropshot emits no JSON")
}
