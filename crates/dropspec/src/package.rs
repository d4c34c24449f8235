//! Crates around generated files: their manifests, and the `lib.rs` that lists the generated modules.

use std::collections::BTreeSet;

use dropspec_codegen::{GeneratedFile, Part};
use toml::Value;

use crate::toolchain::{self, Source};

/// What generated code of an interface uses.
pub(crate) const API_DEPENDENCIES: &[&str] = &[
    "chrono",
    "dropshot",
    "http",
    "schemars",
    "serde",
    "serde_json",
    "dropspec-runtime",
    "uuid",
];

/// What generated code of a client uses.
pub(crate) const CLIENT_DEPENDENCIES: &[&str] =
    &["chrono", "serde", "serde_json", "dropspec-client", "uuid"];

/// A crate of a workspace.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its folder, from the root of the workspace.
    pub folder: String,
}

/// The manifest of a library crate with generated code, in a workspace that lists the dependencies.
pub fn manifest(name: &str, description: &str, part: Part) -> String {
    let dependencies = match part {
        Part::Api => API_DEPENDENCIES,
        Part::Client => CLIENT_DEPENDENCIES,
    };
    let dependencies = dependencies.iter();
    let dependencies: String = dependencies
        .map(|name| format!("{name}.workspace = true\n"))
        .collect();
    let description = Value::String(description.to_owned());
    format!(
        "[package]\nname = \"{name}\"\ndescription = {description}\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n\
         # The code is generated: its names and texts are those of the document.\n[lints.clippy]\nall = \"allow\"\n\n\
         [dependencies]\n{dependencies}"
    )
}

/// The manifest of a workspace of these crates, which use generated code and `more` dependencies. `default` is the
/// folder of the crate that `cargo run` runs.
///
/// # Errors
/// The toolchain does not have a dependency.
pub fn workspace_manifest(
    members: &[Member],
    default: Option<&str>,
    more: &[&str],
    source: &Source,
) -> anyhow::Result<String> {
    let names = [API_DEPENDENCIES, CLIENT_DEPENDENCIES, more].concat();
    let names: Vec<&str> = BTreeSet::from_iter(names).into_iter().collect();
    let folders = members
        .iter()
        .map(|member| format!("    {:?},\n", member.folder));
    let folders: String = folders.collect();
    let default = default.map(|folder| format!("default-members = [{folder:?}]\n"));
    let own = members
        .iter()
        .map(|member| format!("{} = {{ path = {:?} }}\n", member.name, member.folder));
    let own: String = own.collect();
    let dependencies = toolchain::dependencies(&names, source)?;
    let dependencies = dependencies.iter();
    let dependencies: String = dependencies
        .map(|(name, value)| format!("{name} = {value}\n"))
        .collect();
    let profile = toml::to_string(&toolchain::profile()?)?;
    Ok(format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\n{folders}]\n{}\n[workspace.dependencies]\n{own}\n{dependencies}\n{profile}",
        default.unwrap_or_default()
    ))
}

/// The text of a `lib.rs` that makes a public module of each generated file, and exports what is in those that are `shown`.
pub fn library<'f>(
    description: &str,
    files: impl IntoIterator<Item = &'f GeneratedFile>,
    shown: &[&str],
) -> String {
    // The modules whose files are directly beside `lib.rs`.
    let modules = files
        .into_iter()
        .filter_map(|file| file.name.strip_suffix(".rs"));
    let modules = modules.filter(|name| !name.contains('/') && *name != "lib");
    let modules: BTreeSet<&str> = modules.collect();
    let declared = modules.iter().map(|name| format!("pub mod {name};\n"));
    let exported = shown.iter().filter(|name| modules.contains(*name));
    let exported = exported.map(|name| format!("pub use {name}::*;\n"));
    let (declared, exported): (String, String) = (declared.collect(), exported.collect());
    format!("//! {description}\n\n{declared}\n{exported}")
}
