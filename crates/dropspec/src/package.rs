//! Crates around generated files: their manifests and the `lib.rs` that lists the generated modules.

use std::path::Path;

use spec_codegen::{GeneratedFile, Part};
use toml::{Table, Value};

use crate::toolchain::{self, Source};

/// What generated code of an interface uses.
const API_DEPENDENCIES: &[&str] = &[
    "chrono",
    "dropshot",
    "http",
    "schemars",
    "serde",
    "serde_json",
    "spec-runtime",
    "uuid",
];

/// What generated code of a client uses.
const CLIENT_DEPENDENCIES: &[&str] = &[
    "bytes",
    "chrono",
    "futures",
    "http",
    "progenitor-client",
    "regress",
    "reqwest",
    "serde",
    "serde_json",
    "uuid",
];

/// The names of what the generated code of a part uses.
pub fn dependency_names(part: Part) -> &'static [&'static str] {
    match part {
        Part::Api => API_DEPENDENCIES,
        Part::Client | Part::Mock | Part::CommandLine => CLIENT_DEPENDENCIES,
    }
}

/// The manifest of a library crate with generated code, in a workspace that lists the dependencies.
pub fn manifest(name: &str, description: &str, part: Part) -> String {
    let dependencies = dependency_names(part).iter();
    let dependencies: String = dependencies
        .map(|name| format!("{name}.workspace = true\n"))
        .collect();
    let description = Value::String(description.to_owned());
    format!(
        "[package]\nname = \"{name}\"\ndescription = {description}\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\n{dependencies}"
    )
}

/// The manifest of a workspace whose members use generated code.
///
/// # Errors
/// The toolchain does not have a dependency.
pub fn workspace_manifest(members: &[String], source: &Source) -> anyhow::Result<String> {
    let mut names: Vec<&str> = [API_DEPENDENCIES, CLIENT_DEPENDENCIES].concat();
    names.sort_unstable();
    names.dedup();
    let mut workspace = Table::new();
    workspace.insert("resolver".to_owned(), Value::String("3".to_owned()));
    let members = members.iter().cloned().map(Value::String).collect();
    workspace.insert("members".to_owned(), Value::Array(members));
    let dependencies = toolchain::dependencies(&names, source)?;
    workspace.insert("dependencies".to_owned(), Value::Table(dependencies));
    let mut manifest = Table::new();
    manifest.insert("workspace".to_owned(), Value::Table(workspace));
    manifest.insert("profile".to_owned(), toolchain::profiles()?);
    Ok(toml::to_string(&manifest)?)
}

/// The text of a `lib.rs` that makes a public module of each generated file.
pub fn library<'f>(
    description: &str,
    files: impl IntoIterator<Item = &'f GeneratedFile>,
) -> String {
    let mut modules: Vec<&str> = files
        .into_iter()
        .filter_map(|file| top_module(file.name))
        .collect();
    modules.sort_unstable();
    let modules: String = modules
        .iter()
        .map(|module| format!("pub mod {module};\n"))
        .collect();
    format!("//! {description}\n\n{modules}")
}

/// The module in a generated file directly below the crate's root; `None` for other files.
fn top_module(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".rs")?;
    (Path::new(name).components().count() == 1 && stem != "lib").then_some(stem)
}
