//! The released documents: writes a release, and verifies that no release was changed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, bail};
use semver::Version;
use sha2::{Digest, Sha256};

use crate::git;
use crate::output::replace_file;
use crate::project::Project;

/// The file with the checksums of the released documents, in the format of `sha256sum --check`.
const CHECKSUMS: &str = "SHA256SUMS";

/// Parses the version of a release: `1.2.3`, without pre-release or build.
pub fn parse_version(text: &str) -> Option<Version> {
    let version = Version::parse(text).ok()?;
    (version.pre.is_empty() && version.build.is_empty()).then_some(version)
}

/// Verifies that no released document was changed: by the checksums and, once its version is published, by its git tag.
/// Returns their paths by version.
///
/// # Errors
/// A document was changed, removed, or added by hand.
pub fn verify(project: &Project) -> anyhow::Result<BTreeMap<Version, PathBuf>> {
    let shown = shown_directory(project);
    let mut checksums = read_checksums(project)?;
    let mut published = read_published(project);
    let mut found = BTreeMap::new();
    for (name, version) in list_files(project)? {
        let path = directory(project).join(&name);
        let text =
            std::fs::read(&path).with_context(|| format!("{shown}/{name} cannot be read"))?;
        let Some(checksum) = checksums.remove(&name) else {
            bail!(
                "{shown}/{name} has no checksum, so `{}` did not write it or was interrupted: remove it and run the command again",
                project.command("release")
            );
        };
        let as_published = published.remove(&name).is_none_or(|first| first == text);
        if checksum != compute_checksum(&text) || !as_published {
            bail!("{shown}/{name} was changed after its release: restore it from git");
        }
        found.insert(version, path);
    }
    if let Some(name) = checksums.keys().chain(published.keys()).next() {
        bail!("{shown}/{name} was removed after its release: restore it from git");
    }
    Ok(found)
}

/// Lists the files of released documents with their versions, by the names of the files.
fn list_files(project: &Project) -> anyhow::Result<Vec<(String, Version)>> {
    let directory = directory(project);
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&directory)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some(version) = version_of_file(&name) {
            names.push((name, version));
        }
    }
    Ok(names)
}

/// The directory of the released documents.
fn directory(project: &Project) -> PathBuf {
    project.root.join(&project.config.contract.releases)
}

/// The same directory for messages: from the root.
fn shown_directory(project: &Project) -> String {
    project.config.contract.releases.display().to_string()
}

fn version_of_file(name: &str) -> Option<Version> {
    name.strip_suffix(".yaml").and_then(parse_version)
}

/// Reads the recorded checksums of released documents, by file name.
fn read_checksums(project: &Project) -> anyhow::Result<BTreeMap<String, String>> {
    let shown = shown_directory(project);
    let list = directory(project).join(CHECKSUMS);
    if !list.exists() {
        return Ok(BTreeMap::new());
    }
    let text = std::fs::read_to_string(&list)
        .with_context(|| format!("{shown}/{CHECKSUMS} cannot be read"))?;
    let lines = text.lines().zip(1..);
    let entries = lines.map(|(line, number): (&str, usize)| {
        let (sum, name) = line.split_once("  ").with_context(|| {
            format!("{shown}/{CHECKSUMS}:{number}: expected a checksum, two spaces and a name")
        })?;
        Ok((name.to_owned(), sum.to_owned()))
    });
    entries.collect()
}

/// Reads the document of each published version from its git tag (`1.2.3` or `v1.2.3`), as far as this checkout has the
/// tags and the current commit is not older. This detects a document that was changed together with its checksum.
fn read_published(project: &Project) -> BTreeMap<String, Vec<u8>> {
    // Without a git repository or a commit there are no tags.
    let tags = git::run(&project.root, &["tag", "--merged", "HEAD"]).unwrap_or_default();
    let shown = shown_directory(project);
    let mut published = BTreeMap::new();
    for tag in String::from_utf8_lossy(&tags).lines() {
        let version = tag.strip_prefix('v').unwrap_or(tag);
        let name = format!("{version}.yaml");
        if version_of_file(&name).is_none() {
            continue;
        }
        let file = format!("refs/tags/{tag}:./{shown}/{name}");
        if let Ok(text) = git::run(&project.root, &["show", &file]) {
            published.insert(name, text);
        }
    }
    published
}

/// Stores `text` as a released document with its checksum; returns its path. Each file is replaced atomically.
///
/// # Errors
/// A file cannot be written.
pub fn write_release(project: &Project, version: &str, text: &str) -> anyhow::Result<PathBuf> {
    let directory = directory(project);
    std::fs::create_dir_all(&directory)?;
    let name = format!("{version}.yaml");
    let mut checksums = read_checksums(project)?;
    checksums.insert(name.clone(), compute_checksum(text.as_bytes()));
    let mut checksums: Vec<(String, String)> = checksums.into_iter().collect();
    checksums.sort_by_key(|(name, _)| version_of_file(name));
    let lines = checksums
        .iter()
        .map(|(name, sum)| format!("{sum}  {name}\n"));
    let path = directory.join(&name);
    replace_file(&path, text)?;
    replace_file(&directory.join(CHECKSUMS), &lines.collect::<String>())?;
    Ok(path)
}

fn compute_checksum(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn verify_with(files: &[(&str, &str)]) -> anyhow::Result<BTreeMap<Version, PathBuf>> {
        let folder = tempfile::tempdir()?;
        let project = Project {
            root: folder.path().to_owned(),
            config: Config::default(),
        };
        write_release(&project, "1.9.0", "a")?;
        write_release(&project, "1.10.0", "b")?;
        for (name, text) in files {
            std::fs::write(directory(&project).join(name), text)?;
        }
        verify(&project)
    }

    #[test]
    fn orders_releases_by_version() {
        let releases = verify_with(&[]).unwrap();
        let versions: Vec<String> = releases.keys().map(ToString::to_string).collect();
        assert_eq!(versions, ["1.9.0", "1.10.0"]);
    }

    #[test]
    fn rejects_added_documents() {
        let added = verify_with(&[("2.0.0.yaml", "c")]).unwrap_err().to_string();
        assert!(added.contains("2.0.0.yaml has no checksum"), "{added}");
    }

    #[test]
    fn names_line_of_unreadable_checksum() {
        let error = verify_with(&[(CHECKSUMS, "ab  1.9.0.yaml\n\n")]).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("spec/releases/SHA256SUMS:2: "), "{text}");
    }

    #[test]
    fn accepts_only_versions_of_three_numbers() {
        assert_eq!(parse_version("1.2.3"), Some(Version::new(1, 2, 3)));
        for text in [
            "1.2", "1.2.3.4", "1.02.3", "v1.2.3", "1.2.3-rc", "1..3", "+1.2.3",
        ] {
            assert_eq!(parse_version(text), None, "{text}");
        }
    }
}
