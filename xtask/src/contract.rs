//! Where the contract and its releases stand in the repository, and how they are read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use sha2::{Digest, Sha256};
use spec_model::Document;

/// The contract, from the root of the repository.
pub const SPEC: &str = "spec/petstore.yaml";
/// The settings of comparisons.
pub const SETTINGS: &str = "spec/contract.toml";
/// The frozen documents.
pub const RELEASES: &str = "spec/releases";
/// Their checksums, in the form that `sha256sum --check` reads.
const CHECKSUMS: &str = "SHA256SUMS";

/// A version that was released, ordered as Semantic Versioning orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u64, pub u64, pub u64);

impl Version {
    /// Reads `1.2.3`. Nothing else names a release.
    pub fn parse(text: &str) -> Option<Version> {
        let mut numbers = text.split('.').map(|number| {
            let plain = number.bytes().all(|b| b.is_ascii_digit());
            let canonical = plain && (number == "0" || !number.starts_with('0'));
            number.parse().ok().filter(|_| canonical)
        });
        let version = Version(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }
}

/// The root of the repository: the nearest directory upwards that holds the contract.
///
/// # Errors
/// There is none.
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

/// Reads and parses a file. Findings name it as it is named here, from the root where it stands below it.
///
/// # Errors
/// It cannot be read, or is not an OpenAPI 3.0 document.
pub fn read(root: &Path, path: &Path) -> anyhow::Result<Document> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    parse(&shown(root, path), &text)
}

/// Parses a document, as leniently as it can be compared.
///
/// # Errors
/// It is no YAML or JSON, or not OpenAPI 3.0.
pub fn parse(name: &str, text: &str) -> anyhow::Result<Document> {
    let document =
        Document::parse(name, text).map_err(|errors| anyhow::anyhow!("{}", errors[0]))?;
    let version = document
        .root()
        .get("openapi")
        .and_then(|node| node.as_str());
    match version {
        Some(version) if version.starts_with("3.0.") => Ok(document),
        Some(version) => bail!("{name}: OpenAPI {version} is not compared, only 3.0"),
        None => bail!("{name}: this is not an OpenAPI 3.0 document"),
    }
}

/// The document in a revision of the repository.
///
/// # Errors
/// git does not know the revision, or the file in it.
pub fn read_revision(root: &Path, revision: &str) -> anyhow::Result<Document> {
    let object = format!("{revision}:{SPEC}");
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["show", "--end-of-options", &object])
        .output()
        .context("git cannot be run")?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        bail!(
            "`{revision}` is neither a file nor a revision with {SPEC}: {}",
            reason.trim()
        );
    }
    let text = String::from_utf8(output.stdout).context("the document is not UTF-8")?;
    parse(&object, &text)
}

/// All frozen documents, by version, each verified.
///
/// # Errors
/// One was changed, removed, or put there by hand.
pub fn releases(root: &Path) -> anyhow::Result<BTreeMap<Version, PathBuf>> {
    let directory = root.join(RELEASES);
    let mut checksums = BTreeMap::new();
    let list = directory.join(CHECKSUMS);
    if list.exists() {
        let text = std::fs::read_to_string(&list)
            .with_context(|| format!("{} cannot be read", list.display()))?;
        for line in text.lines() {
            let (sum, name) = line.split_once("  ").context("a checksum cannot be read")?;
            checksums.insert(name.to_owned(), sum.to_owned());
        }
    }
    let mut found = BTreeMap::new();
    if directory.is_dir() {
        for entry in std::fs::read_dir(&directory)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let Some(version) = name.strip_suffix(".yaml").and_then(Version::parse) else {
                continue;
            };
            let frozen = checksums.remove(&name);
            let now = checksum(&std::fs::read(&path)?);
            match frozen {
                Some(frozen) if frozen == now => found.insert(version, path),
                Some(_) => bail!(
                    "{RELEASES}/{name} was changed after its release: a frozen document never changes (`git checkout` brings it back)"
                ),
                None => bail!(
                    "{RELEASES}/{name} was not put there by `cargo xtask release`: it has no checksum"
                ),
            };
        }
    }
    if let Some(name) = checksums.keys().next() {
        bail!("{RELEASES}/{name} is gone: a frozen document stays (`git checkout` brings it back)");
    }
    Ok(found)
}

/// Freezes `text` as a release.
///
/// # Errors
/// It cannot be written.
pub fn freeze(root: &Path, version: &str, text: &str) -> anyhow::Result<PathBuf> {
    let directory = root.join(RELEASES);
    std::fs::create_dir_all(&directory)?;
    let name = format!("{version}.yaml");
    let path = directory.join(&name);
    std::fs::write(&path, text)?;
    let list = directory.join(CHECKSUMS);
    let mut checksums = match list.exists() {
        true => std::fs::read_to_string(&list)?,
        false => String::new(),
    };
    checksums.push_str(&format!("{}  {name}\n", checksum(text.as_bytes())));
    std::fs::write(&list, checksums)?;
    Ok(path)
}

fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

/// A path from the root, if it stands below it.
pub fn shown(root: &Path, path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let relative = absolute.strip_prefix(root).unwrap_or(path);
    relative.display().to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn releases_of(files: &[(&str, &str)]) -> anyhow::Result<BTreeMap<Version, PathBuf>> {
        let directory = tempfile::tempdir()?;
        freeze(directory.path(), "1.9.0", "a")?;
        freeze(directory.path(), "1.10.0", "b")?;
        for (name, text) in files {
            std::fs::write(directory.path().join(RELEASES).join(name), text)?;
        }
        releases(directory.path())
    }

    #[test]
    fn releases_come_in_the_order_of_their_versions() {
        let releases = releases_of(&[]).unwrap();
        let versions: Vec<&Version> = releases.keys().collect();
        assert_eq!(versions, [&Version(1, 9, 0), &Version(1, 10, 0)]);
    }

    #[test]
    fn a_frozen_document_never_changes() {
        let changed = releases_of(&[("1.9.0.yaml", "c")]).unwrap_err().to_string();
        assert!(changed.contains("1.9.0.yaml was changed"), "{changed}");
        let added = releases_of(&[("2.0.0.yaml", "c")]).unwrap_err().to_string();
        assert!(added.contains("2.0.0.yaml was not put there"), "{added}");
        let directory = tempfile::tempdir().unwrap();
        let path = freeze(directory.path(), "1.0.0", "a").unwrap();
        std::fs::remove_file(path).unwrap();
        let gone = releases(directory.path()).unwrap_err().to_string();
        assert!(gone.contains("1.0.0.yaml is gone"), "{gone}");
    }

    #[test]
    fn only_whole_versions_name_releases() {
        assert_eq!(Version::parse("1.2.3"), Some(Version(1, 2, 3)));
        for text in [
            "1.2", "1.2.3.4", "1.02.3", "v1.2.3", "1.2.3-rc", "1..3", "+1.2.3",
        ] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
