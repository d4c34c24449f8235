//! The tracked files that people write: their lines, and which of them are tests.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The extensions of files that count as source.
const SOURCE_EXTENSIONS: [&str; 8] = ["rs", "py", "js", "ts", "sh", "sql", "html", "css"];

/// Whether the product needs a file, or only its tests and benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Source,
    Test,
}

/// A file that is written by hand.
#[derive(Debug)]
pub struct Source {
    /// Its path below the root of the repository, with `/`.
    pub path: String,
    pub text: String,
    pub kind: Kind,
}

impl Source {
    pub fn lines(&self) -> usize {
        self.text.lines().count()
    }

    /// How many of its lines are tests: all, or those from its `mod tests` on.
    pub fn test_lines(&self) -> usize {
        match self.kind {
            Kind::Test => self.lines(),
            Kind::Source => self.text.lines().count() - self.without_tests().lines().count(),
        }
    }

    /// Its text before an inline module of tests, which is the last item of a file.
    pub fn without_tests(&self) -> &str {
        let is_start = |at: usize| {
            let mut lines = self.text[at..].lines().skip(1);
            let condition = lines.next().unwrap_or_default();
            let is_module = |line: &str| line.starts_with("mod ") && line.ends_with('{');
            condition.contains("(test") && lines.next().is_some_and(is_module)
        };
        let mut conditions = self.text.match_indices("\n#[cfg(");
        conditions
            .find(|(at, _)| is_start(*at))
            .map_or(&self.text, |(at, _)| &self.text[..=at])
    }

    /// The folder whose lines are counted together: a crate, or a folder of the root.
    pub fn place(&self) -> String {
        let parts: Vec<&str> = self.path.split('/').collect();
        let depth = if ["crates", "benches"].contains(&parts[0]) {
            2
        } else {
            1
        };
        parts[..depth].join("/")
    }

    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it is the beginning of a file of somebody else's workspace.
    pub fn is_template(&self) -> bool {
        self.path.contains("/templates/")
    }

    /// Whether it opens with `//!`, below attributes and comments.
    pub fn has_module_docs(&self) -> bool {
        self.text
            .lines()
            .map(str::trim)
            .find(|line| {
                let is_aside = line.starts_with("// ") || line.starts_with("#![");
                !is_aside && !line.is_empty()
            })
            .is_some_and(|line| line.starts_with("//!"))
            || self.text.contains("doc = include_str!")
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All hand-written source files of the repository.
pub fn sources() -> Vec<Source> {
    let files = files();
    files.iter().filter_map(|path| read(path)).collect()
}

/// All files of the repository that are not ignored.
pub fn files() -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git lists the files of the repository");
    let listed = String::from_utf8(listed.stdout).expect("paths in UTF-8");
    assert!(!listed.is_empty(), "the repository is a checkout of git");
    listed.lines().map(str::to_owned).collect()
}

fn read(path: &str) -> Option<Source> {
    let extension = path.rsplit('.').next().unwrap_or_default();
    if !SOURCE_EXTENSIONS.contains(&extension) && path != ".ci/run" {
        return None;
    }
    // A file that is deleted and not yet committed is listed, too.
    let text = std::fs::read_to_string(root().join(path)).ok()?;
    if text.starts_with("// @generated") {
        return None;
    }
    let kind = if is_test(path) {
        Kind::Test
    } else {
        Kind::Source
    };
    Some(Source {
        path: path.to_owned(),
        text,
        kind,
    })
}

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.starts_with("tests/")
        || path.starts_with("crates/test-")
        || path.contains("/tests/")
        || path.contains("/benches/")
        || name == "tests.rs"
        || name.ends_with("_tests.rs")
}
