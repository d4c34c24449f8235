//! How another workspace depends on the crates of the toolchain: by their versions, or on a checkout or a git repository. The
//! versions of others are those that the toolchain itself is built with.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use toml::{Table, Value};

/// The manifest of the workspace that this crate belongs to.
const MANIFEST: &str = include_str!("../shared/workspace.toml");

/// The crates with settings of their own in the profile that no generated workspace depends on. Cargo warns of a setting for
/// a crate that a workspace does not have.
const NOT_IN_GENERATED_WORKSPACES: [&str; 2] = ["dropspec-codegen", "dropspec-diff"];

/// Where the crates of the toolchain are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The registry that cargo uses by default.
    Registry,
    /// A checkout.
    Path(PathBuf),
    /// The URL of a git repository.
    Git(String),
}

impl Source {
    /// Fits the copy of the toolchain's `Cargo.lock` to the crates of a new workspace, so that `--locked` works. Without it, or
    /// if cargo cannot do it now, the first build does.
    pub fn complete_lock(&self, workspace: &Path) {
        if !workspace.join("Cargo.lock").exists() {
            return;
        }
        // All versions are known by the build of the toolchain, so that no network is needed.
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let _ = Command::new(cargo)
            .args(["update", "--workspace", "--offline", "--quiet"])
            .current_dir(workspace)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}

/// The dependencies of these names, as a table `[dependencies]` or `[workspace.dependencies]` lists them.
///
/// # Errors
/// The toolchain's workspace does not have one of them.
pub fn dependencies(names: &[&str], source: &Source) -> anyhow::Result<Table> {
    let manifest = manifest()?;
    let known = manifest["workspace"]["dependencies"]
        .as_table()
        .context("the dependencies of the toolchain are no table")?;
    let mut found = Table::new();
    for name in names {
        let Some(dependency) = known.get(*name) else {
            bail!("the toolchain has no dependency `{name}`");
        };
        found.insert((*name).to_owned(), locate(dependency, source));
    }
    Ok(found)
}

/// Whether the toolchain's workspace has a dependency of this name; its own crates are among them.
pub fn has_dependency(name: &str) -> bool {
    let manifest = manifest().unwrap_or_default();
    let known = manifest.get("workspace");
    let known = known.and_then(|workspace| workspace.get("dependencies")?.get(name));
    known.is_some()
}

/// The tables `[profile.dev]` and `[profile.dist]` of the toolchain's workspace, for a generated one. With another `dev` cargo
/// builds all dependencies again; `dist` is for production.
///
/// # Errors
/// The manifest of the toolchain cannot be read.
pub fn profile() -> anyhow::Result<Table> {
    let manifest = manifest()?;
    let profiles = manifest["profile"].as_table();
    let dev = profiles.and_then(|profiles| profiles.get("dev"));
    let mut dev = dev.context("the toolchain has no profile `dev`")?.clone();
    let packages = dev.get_mut("package").and_then(Value::as_table_mut);
    if let Some(packages) = packages {
        packages.retain(|name, _| !NOT_IN_GENERATED_WORKSPACES.contains(&name));
    }
    let dist = profiles.and_then(|profiles| profiles.get("dist"));
    let mut dist = dist.context("the toolchain has no profile `dist`")?.clone();
    // `[profile.dist.package]` only undoes settings of the toolchain's `release`, which a generated workspace does not have.
    dist.as_table_mut().map(|dist| dist.remove("package"));
    let profiles = Table::from_iter([("dev".to_owned(), dev), ("dist".to_owned(), dist)]);
    Ok(Table::from_iter([(
        "profile".to_owned(),
        Value::Table(profiles),
    )]))
}

fn manifest() -> anyhow::Result<Table> {
    MANIFEST.parse().context("the manifest of the toolchain")
}

/// A dependency on a crate of the toolchain as seen from elsewhere; others stay as they are.
fn locate(dependency: &Value, source: &Source) -> Value {
    let mut dependency = dependency.clone();
    if let Some(table) = dependency.as_table_mut()
        && let Some(path) = table.remove("path")
    {
        let (key, value) = match source {
            Source::Registry => return dependency["version"].clone(),
            Source::Path(root) => {
                let path = root.join(path.as_str().unwrap_or_default());
                ("path", path.display().to_string())
            }
            Source::Git(url) => ("git", url.clone()),
        };
        table.remove("version");
        table.insert(key.to_owned(), Value::String(value));
    }
    dependency
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crate_of_the_toolchain_is_found_by_path_or_in_git_and_others_by_version() {
        let text = |source: &Source| {
            let table = dependencies(&["dropspec-runtime", "chrono"], source).unwrap();
            toml::to_string(&table).unwrap()
        };
        let path = text(&Source::Path("/tools".into()));
        assert!(
            path.contains("path = \"/tools/crates/dropspec-runtime\""),
            "{path}"
        );
        assert!(path.contains("version = \"0.4"), "{path}");
        let git = text(&Source::Git("https://example.com/tools".to_owned()));
        assert!(git.contains("git = \"https://example.com/tools\""), "{git}");
        assert!(!git.contains("path"), "{git}");
        let version = format!("dropspec-runtime = \"{}\"\n", env!("CARGO_PKG_VERSION"));
        assert!(text(&Source::Registry).starts_with(&version));
        assert!(dependencies(&["left-pad"], &Source::Registry).is_err());
    }
}
