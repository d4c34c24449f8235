//! Builds the interface of a document, and lets dropshot describe it.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use dropspec::package::{self, Member};
use dropspec::toolchain::Source;
use heck::ToSnakeCase;
use serde_json::Value;
use spec_codegen::{GeneratedFile, Part, Settings, Traits};
use spec_model::Spec;

use crate::corpus::cargo;

/// The program that prints what dropshot emits; `support_module` is filled in.
const PROGRAM: &str = include_str!("program.rs");

/// The name of the crate that is built.
const CRATE: &str = "dropspec-roundtrip";

/// Generates all files of a document, and returns them with it.
fn generate_file(path: &Path) -> anyhow::Result<(Value, Vec<GeneratedFile>)> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).with_context(|| name.clone())?;
    let generated = Spec::parse(&name, &text).and_then(|spec| {
        let settings = Settings {
            source_path: std::path::absolute(path)
                .unwrap_or_default()
                .display()
                .to_string(),
            source: name,
            // dropshot describes each trait by itself.
            traits: Traits::One,
            ..Settings::default()
        };
        let document = spec.source.root().to_json();
        Ok((document, spec_codegen::generate(&spec, &settings)?.files))
    });
    generated.map_err(|errors| anyhow::anyhow!("{}", errors[0]))
}

/// Generates and builds the interface of a document. Returns the document, and what dropshot emits.
pub(super) fn emit(path: &Path) -> anyhow::Result<(Value, Value)> {
    let (document, files) = generate_file(path)?;
    let target = cargo::target_directory()?;
    let workspace = target.join("roundtrip");
    // All runs share the folder, so that dependencies are built once; one waits for the other.
    fs::create_dir_all(&workspace).context("the folder for the build cannot be created")?;
    let lock = File::create(workspace.join("lock")).context("the lock cannot be created")?;
    lock.lock().context("the folder cannot be locked")?;
    let api: Vec<_> = files
        .into_iter()
        .filter(|it| it.part == Part::Api)
        .collect();
    let support = support_module(&api).context("the generated api.rs has no trait")?;
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
            package::library("The generated interface.", &api, &[]),
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
