//! Where the contract stands in the repository, and how documents are read.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, anyhow, bail};
use spec_model::Document;

/// The contract, from the root of the repository.
pub const SPEC: &str = "spec/petstore.yaml";
/// The settings of comparisons.
pub const SETTINGS: &str = "spec/contract.toml";

/// The root of the repository: the nearest directory upwards that holds a contract, or else where this was built.
///
/// # Errors
/// Neither holds one.
pub fn root() -> anyhow::Result<PathBuf> {
    let start = std::env::current_dir().context("the working directory cannot be read")?;
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let holds = |directory: &&Path| {
        directory.join("Cargo.toml").exists() && directory.join("spec").is_dir()
    };
    let found = start.ancestors().find(holds).or(built.filter(holds));
    Ok(found
        .context("this is not a checkout with a `spec` directory")?
        .to_owned())
}

/// The text of a file.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub fn text(path: &Path) -> anyhow::Result<String> {
    let bytes =
        std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        anyhow!(
            "{}:{line}: this is not UTF-8: save it as UTF-8",
            path.display()
        )
    })
}

/// Reads and parses a file. Findings name it as it is named here, from the root where it stands below it.
///
/// # Errors
/// It cannot be read, or is not an OpenAPI 3.0 document.
pub fn read(root: &Path, path: &Path) -> anyhow::Result<Document> {
    parse(&shown(root, path), &text(path)?)
}

/// Parses a document, as leniently as it can be compared.
///
/// # Errors
/// It is no YAML or JSON, or not OpenAPI 3.0.
pub fn parse(name: &str, text: &str) -> anyhow::Result<Document> {
    let document = Document::parse(name, text).map_err(|errors| anyhow!("{}", errors[0]))?;
    let Some(version) = document.root().get("openapi") else {
        if let Some(swagger) = document.root().get("swagger") {
            let at = document.location(swagger.position);
            bail!("{at}: Swagger 2.0 is not compared: convert the document to OpenAPI 3.0");
        }
        bail!(
            "{name}: this is not an OpenAPI 3.0 document: it has no `openapi` (begin it with `openapi: 3.0.3`)"
        );
    };
    match version.as_str() {
        Some(text) if text.starts_with("3.0.") => Ok(document),
        _ => {
            let at = document.location(version.position);
            let version = version.to_json();
            bail!("{at}: OpenAPI {version} is not compared, only 3.0.x: write `openapi: 3.0.3`")
        }
    }
}

/// The document in a revision of the repository.
///
/// # Errors
/// git does not know the revision, or the file in it.
pub fn read_revision(root: &Path, revision: &str) -> anyhow::Result<Document> {
    // To git, an empty one is the index, which would be compared with itself.
    if revision.is_empty() {
        bail!("the base is empty: name a file or a revision");
    }
    // From the root of the contract, which need not be that of the repository.
    let output = git(root)
        .args(["show", "--end-of-options"])
        .arg(format!("{revision}:./{SPEC}"))
        .output()
        .context("git cannot be run")?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        bail!(
            "`{revision}` is neither a file nor a revision with {SPEC}: {} (in a shallow clone, fetch the revision first)",
            reason.trim()
        );
    }
    let name = format!("{revision}:{SPEC}");
    let text = String::from_utf8(output.stdout).with_context(|| format!("{name} is not UTF-8"))?;
    parse(&name, &text)
}

/// git, in the directory of the contract.
pub fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root);
    command
}

/// A path from the root, if it stands below it, however it was written.
pub fn shown(root: &Path, path: &Path) -> String {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let absolute = whole(path);
    let relative = absolute.strip_prefix(whole(root)).unwrap_or(path);
    relative.display().to_string()
}
