//! Builds the interface of a document, and lets dropshot describe it.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use dropspec::package::Member;
use dropspec::project;
use dropspec_codegen::{GeneratedFile, Part, Traits};
use heck::ToSnakeCase;
use serde_json::Value;

use crate::corpus::cargo;
use crate::corpus::compile::{write_crate, write_if_changed, write_workspace};
use crate::corpus::generated::generate_document;

/// The program that prints what dropshot emits; `support_module` is filled in.
const PROGRAM: &str = include_str!("program.rs");

/// The name of the crate that is built.
const CRATE: &str = "dropspec-roundtrip";

/// Generates and builds the interface of a document. Returns the document, and what dropshot emits.
pub(super) fn emit(path: &Path) -> anyhow::Result<(Value, Value)> {
    // dropshot describes each trait by itself.
    let generated = generate_document(path, false, Traits::One)?;
    if let Some(error) = generated.errors.first() {
        bail!("{error}");
    }
    let target = cargo::target_directory()?;
    let workspace = target.join("roundtrip");
    // All runs share the folder, so that dependencies are built once; one waits for the other.
    fs::create_dir_all(&workspace).context("the folder for the build cannot be created")?;
    let lock = File::create(workspace.join("lock")).context("the lock cannot be created")?;
    lock.lock().context("the folder cannot be locked")?;
    let support = support_module(&generated.files).context("the generated api.rs has no trait")?;
    let member = Member {
        name: CRATE.to_owned(),
        folder: "emit".to_owned(),
    };
    write_workspace(&workspace, &[member], &[])?;
    let folder = workspace.join("emit");
    write_crate(&folder, CRATE, Part::Api, &generated)?;
    let program = PROGRAM.replace("support_module", &support);
    write_if_changed(&folder.join("src/main.rs"), &program)?;
    let document = project::parse_tree("", &project::read_text(path)?)?;
    Ok((document.root().to_json(), run_program(&workspace, &target)?))
}

/// The module that dropshot makes for the trait of `api.rs`.
fn support_module(files: &[GeneratedFile]) -> Option<String> {
    let api = files.iter().find(|it| it.name == "api.rs")?;
    let (_, after) = api.content.split_once("pub trait ")?;
    let name = after.split([':', ' ', '{']).next()?;
    Some(name.to_snake_case() + "_mod")
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
