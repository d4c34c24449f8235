//! The frozen documents: how one is frozen, and whether all are as they were released.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use sha2::{Digest, Sha256};

use crate::contract::git;

/// The frozen documents.
pub const DIRECTORY: &str = "spec/releases";
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

/// All frozen documents, by version, each verified: by its checksum in any checkout, and by the commit that added it
/// where the checkout has one.
///
/// # Errors
/// One was changed, removed, or put there by hand.
pub fn verified(root: &Path) -> anyhow::Result<BTreeMap<Version, PathBuf>> {
    let mut checksums = checksums(root)?;
    let mut released = released(root);
    let mut found = BTreeMap::new();
    for (name, version) in frozen(root)? {
        let path = root.join(DIRECTORY).join(&name);
        let text =
            std::fs::read(&path).with_context(|| format!("{DIRECTORY}/{name} cannot be read"))?;
        let Some(checksum) = checksums.remove(&name) else {
            bail!(
                "{DIRECTORY}/{name} was not put there by `cargo xtask release`, or not wholly: it has no checksum (remove it; `release` makes it anew)"
            );
        };
        let as_released = released.remove(&name).is_none_or(|first| first == text);
        if checksum != checksum_of(&text) || !as_released {
            bail!(
                "{DIRECTORY}/{name} was changed after its release: a frozen document never changes (git has it as it was released)"
            );
        }
        found.insert(version, path);
    }
    if let Some(name) = checksums.keys().chain(released.keys()).next() {
        bail!(
            "{DIRECTORY}/{name} is gone: a frozen document stays (git has it as it was released)"
        );
    }
    Ok(found)
}

/// The files that are named as releases are.
fn frozen(root: &Path) -> anyhow::Result<Vec<(String, Version)>> {
    let directory = root.join(DIRECTORY);
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&directory)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some(version) = version(&name) {
            names.push((name, version));
        }
    }
    Ok(names)
}

fn version(name: &str) -> Option<Version> {
    name.strip_suffix(".yaml").and_then(Version::parse)
}

/// The checksums, by file.
fn checksums(root: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let list = root.join(DIRECTORY).join(CHECKSUMS);
    if !list.exists() {
        return Ok(BTreeMap::new());
    }
    let text = std::fs::read_to_string(&list)
        .with_context(|| format!("{DIRECTORY}/{CHECKSUMS} cannot be read"))?;
    let lines = text.lines().enumerate();
    let entries = lines.map(|(index, line)| {
        let entry = line.split_once("  ").with_context(|| {
            let line = index + 1;
            format!("{DIRECTORY}/{CHECKSUMS}:{line}: this is no checksum and a name, with two spaces between")
        });
        entry.map(|(sum, name)| (name.to_owned(), sum.to_owned()))
    });
    entries.collect()
}

/// The documents as the commits that froze them have them, as far as this checkout goes back. A checksum that was
/// rewritten together with its document is found by this.
fn released(root: &Path) -> BTreeMap<String, Vec<u8>> {
    // Without a repository there is no history.
    let read = |arguments: &[&str]| {
        let output = git(root).args(arguments).output().ok()?;
        output.status.success().then_some(output.stdout)
    };
    let log = [
        "log",
        "--reverse",
        "--no-renames",
        "--diff-filter=A",
        "--relative",
        "--name-only",
        "--format=commit %H",
        "--",
        DIRECTORY,
    ];
    let log = read(&log).unwrap_or_default();
    let mut commit = "";
    let mut released = BTreeMap::new();
    for line in String::from_utf8_lossy(&log).lines() {
        if let Some(hash) = line.strip_prefix("commit ") {
            commit = hash;
        }
        let name = line.rsplit('/').next().unwrap_or(line);
        if version(name).is_none() || released.contains_key(name) {
            continue;
        }
        if let Some(text) = read(&["show", &format!("{commit}:./{line}")]) {
            released.insert(name.to_owned(), text);
        }
    }
    released
}

/// Freezes `text` as a release. Each file is replaced as a whole.
///
/// # Errors
/// It cannot be written.
pub fn freeze(root: &Path, version: &str, text: &str) -> anyhow::Result<PathBuf> {
    let directory = root.join(DIRECTORY);
    std::fs::create_dir_all(&directory)?;
    let name = format!("{version}.yaml");
    let mut sums = checksums(root)?;
    sums.insert(name.clone(), checksum_of(text.as_bytes()));
    let mut sums: Vec<(String, String)> = sums.into_iter().collect();
    sums.sort_by_key(|(name, _)| self::version(name));
    let sums: String = sums
        .iter()
        .map(|(name, sum)| format!("{sum}  {name}\n"))
        .collect();
    let path = directory.join(&name);
    replace(&path, text)?;
    replace(&directory.join(CHECKSUMS), &sums)?;
    Ok(path)
}

fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let unfinished = path.with_added_extension("unfinished");
    let written =
        std::fs::write(&unfinished, text).and_then(|()| std::fs::rename(&unfinished, path));
    written.with_context(|| format!("{} cannot be written", path.display()))
}

fn checksum_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
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
            std::fs::write(directory.path().join(DIRECTORY).join(name), text)?;
        }
        verified(directory.path())
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
        let gone = verified(directory.path()).unwrap_err().to_string();
        assert!(gone.contains("1.0.0.yaml is gone"), "{gone}");
    }

    #[test]
    fn a_checksum_that_cannot_be_read_is_named_by_its_line() {
        let error = releases_of(&[(CHECKSUMS, "ab  1.9.0.yaml\n\n")]).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("spec/releases/SHA256SUMS:2: "), "{text}");
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
