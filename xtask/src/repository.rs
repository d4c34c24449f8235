//! The files of the repository: its root, and reading documents from files and from git.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, anyhow, bail};
use spec_model::Document;

/// The path of the OpenAPI document, from the root of the repository.
pub const SPEC: &str = "spec/petstore.yaml";
/// The path of the settings of `cargo xtask diff`, from the root of the repository.
pub const SETTINGS: &str = "spec/contract.toml";

/// Finds the root of the repository: the nearest parent directory with `Cargo.toml` and `spec`, otherwise the directory
/// where this binary was built.
///
/// # Errors
/// Neither exists.
pub fn find_root() -> anyhow::Result<PathBuf> {
    let start = std::env::current_dir().context("the working directory cannot be read")?;
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let is_root = |directory: &&Path| {
        directory.join("Cargo.toml").exists() && directory.join("spec").is_dir()
    };
    let found = start.ancestors().find(is_root).or(built.filter(is_root));
    Ok(found
        .context("the working directory is not in a checkout with a `spec` directory")?
        .to_owned())
}

/// Reads a text file.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    let bytes =
        std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        anyhow!(
            "{}:{line}: the file is not UTF-8: save it as UTF-8",
            path.display()
        )
    })
}

/// Reads and parses a document. Findings name its path from the root, if it is below the root.
///
/// # Errors
/// It cannot be read, or is not an OpenAPI 3.0 document.
pub fn read_document(root: &Path, path: &Path) -> anyhow::Result<Document> {
    parse_document(&display_path(root, path), &read_text(path)?)
}

/// Parses an OpenAPI 3.0 document, which need not be valid.
///
/// # Errors
/// It is not YAML or JSON, or not OpenAPI 3.0.
pub fn parse_document(name: &str, text: &str) -> anyhow::Result<Document> {
    let document = parse_tree(name, text)?;
    let Some(version) = document.root().get("openapi") else {
        if let Some(swagger) = document.root().get("swagger") {
            let at = document.location(swagger.position);
            bail!("{at}: Swagger 2.0 is not supported: convert the document to OpenAPI 3.0");
        }
        bail!("{name}: the document has no `openapi`: begin it with `openapi: 3.0.3`");
    };
    match version.as_str() {
        Some(text) if text.starts_with("3.0.") => Ok(document),
        _ => {
            let at = document.location(version.position);
            let version = version.to_json();
            bail!("{at}: OpenAPI {version} is not supported, only 3.0.x: write `openapi: 3.0.3`")
        }
    }
}

/// Parses a YAML or JSON document of any OpenAPI version.
///
/// # Errors
/// It is not YAML or JSON.
pub fn parse_tree(name: &str, text: &str) -> anyhow::Result<Document> {
    Document::parse(name, text).map_err(|errors| anyhow!("{}", errors[0]))
}

/// Reads the OpenAPI document as it is in a git revision.
///
/// # Errors
/// The revision does not exist, or does not have the document.
pub fn read_revision(root: &Path, revision: &str) -> anyhow::Result<Document> {
    // An empty revision is the index of git.
    if revision.is_empty() {
        bail!("the base is empty: name a file or a revision");
    }
    // `./`: the root need not be that of the git repository.
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
    parse_document(&name, &text)
}

/// Starts to build a git command that runs in the root directory.
pub fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root);
    command
}

/// The path of a file for output: from the root, if the file is below the root.
pub fn display_path(root: &Path, path: &Path) -> String {
    let resolve = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let absolute = resolve(path);
    let relative = absolute.strip_prefix(resolve(root)).unwrap_or(path);
    relative.display().to_string()
}
