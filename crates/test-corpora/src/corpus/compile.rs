//! Puts the generated crates of a corpus into one workspace, with the programs that call them, and compiles it by cargo.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use dropspec::package::{self, Member};
use dropspec::toolchain::Source;
use dropspec_codegen::Part;

use super::call;
use super::cargo::{self, Checked, Task};
use super::generated::Generated;

/// The parts that are compiled, and the ends of the names of their crates.
const PARTS: [(Part, &str); 2] = [(Part::Api, "api"), (Part::Client, "client")];

/// The end of the name of the crate that calls the others.
const CALL: &str = "call";

/// Compiles all generated crates, and adds to each document what does not compile. [`Task::Build`] builds for each
/// document also the program that calls its operations.
pub fn compile(documents: &mut [Generated], task: Task) -> anyhow::Result<()> {
    let target = cargo::target_directory()?;
    let workspace = target.join("corpus");
    let mut members = Vec::new();
    for document in documents.iter().filter(|it| !it.files.is_empty()) {
        for (part, end) in PARTS {
            let name = format!("{}-{end}", document.name);
            write_crate(&workspace.join(&name), &name, part, document)?;
            let folder = name.clone();
            members.push(Member { name, folder });
        }
        if task == Task::Build {
            let name = format!("{}-{CALL}", document.name);
            write_program(&workspace.join(&name), document)
                .with_context(|| document.path.display().to_string())?;
            let folder = name.clone();
            members.push(Member { name, folder });
        }
    }
    let more = match task {
        Task::Build => call::DEPENDENCIES,
        Task::Check => &[],
    };
    write_workspace(&workspace, &members, more)?;
    let checked = cargo::run(task, &workspace, &target)?;
    for document in documents.iter_mut().filter(|it| !it.files.is_empty()) {
        document.rejected = rejected_parts(&workspace, &document.name, &checked, task);
    }
    Ok(())
}

/// Writes the manifest of a workspace of generated crates, which have these dependencies besides their own.
pub fn write_workspace(workspace: &Path, members: &[Member], more: &[&str]) -> anyhow::Result<()> {
    let root = cargo::checkout();
    let lock = root.join("Cargo.lock");
    let manifest = package::workspace_manifest(members, None, more, &Source::Path(root))?;
    write_if_changed(&workspace.join("Cargo.toml"), &manifest)?;
    // The same versions of dependencies as here, so that cargo need not build them again.
    fs::copy(lock, workspace.join("Cargo.lock"))?;
    Ok(())
}

/// The ends of the names of the crates of a document that do not compile, with the errors.
fn rejected_parts(
    workspace: &Path,
    name: &str,
    checked: &Checked,
    task: Task,
) -> Vec<(&'static str, Vec<String>)> {
    let ends = PARTS.map(|(_, end)| end).into_iter();
    let ends = ends.chain((task == Task::Build).then_some(CALL));
    let rejected = ends.filter_map(|end| {
        let folder: PathBuf = workspace.join(format!("{name}-{end}"));
        let errors = checked.errors.get(&folder).cloned().unwrap_or_default();
        (!checked.compiled.contains(&folder)).then_some((end, errors))
    });
    rejected.collect()
}

fn write_program(folder: &Path, document: &Generated) -> anyhow::Result<()> {
    let program = call::render(document)?;
    write_if_changed(&folder.join("Cargo.toml"), &program.manifest)?;
    for (name, text) in &program.files {
        write_if_changed(&folder.join(name), text)?;
    }
    Ok(())
}

/// Writes the crate of a part of a document.
pub fn write_crate(
    folder: &Path,
    name: &str,
    part: Part,
    document: &Generated,
) -> anyhow::Result<()> {
    let description = format!("Generated from {}.", document.path.display());
    let files: Vec<_> = document.files.iter().filter(|it| it.part == part).collect();
    let manifest = package::manifest(name, &description, part);
    write_if_changed(&folder.join("Cargo.toml"), &manifest)?;
    let library = package::library(&description, files.iter().copied(), &[]);
    write_if_changed(&folder.join("src/lib.rs"), &library)?;
    for file in files {
        write_if_changed(&folder.join("src").join(&file.name), &file.content)?;
    }
    Ok(())
}

/// Writes a file unless it has this text already, so that cargo does not compile it again.
pub fn write_if_changed(path: &Path, text: &str) -> anyhow::Result<()> {
    if fs::read_to_string(path).is_ok_and(|found| found == text) {
        return Ok(());
    }
    let context = || format!("{} cannot be written", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(context)?;
    }
    fs::write(path, text).with_context(context)
}
