//! Runs cargo on a workspace of generated crates and reads which of them compile.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde::Deserialize;

/// Which packages compile.
#[derive(Debug, Default)]
pub struct Checked {
    /// The folders of the packages that compile.
    pub compiled: BTreeSet<PathBuf>,
    /// The errors of the others, as the compiler renders them, by folder. A package whose dependency fails has none.
    pub errors: BTreeMap<PathBuf, Vec<String>>,
}

/// One line of `--message-format=json`, as far as it matters here.
#[derive(Deserialize)]
struct Message {
    reason: String,
    manifest_path: Option<PathBuf>,
    message: Option<CompilerMessage>,
}

#[derive(Deserialize)]
struct CompilerMessage {
    level: String,
    rendered: Option<String>,
}

/// What cargo does with a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Checks that it compiles.
    Check,
    /// Builds its programs.
    Build,
}

/// Runs cargo on all packages of a workspace, also after the first failure.
pub fn run(task: Task, workspace: &Path, target: &Path) -> anyhow::Result<Checked> {
    let name = match task {
        Task::Check => "check",
        Task::Build => "build",
    };
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args([name, "--workspace", "--keep-going"])
        .args(["--message-format", "json"])
        .current_dir(workspace)
        .env("CARGO_TARGET_DIR", target)
        // The generated crates are seldom compiled twice.
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .stdout(Stdio::piped());
    let mut child = command.spawn().context("cargo cannot be run")?;
    let output = child.stdout.take().context("cargo has no output")?;
    let mut checked = Checked::default();
    for line in BufReader::new(output).lines() {
        let line = line.context("the output of cargo cannot be read")?;
        if let Ok(message) = serde_json::from_str::<Message>(&line) {
            checked.add(message);
        }
    }
    let status = child.wait().context("cargo cannot be run")?;
    if !status.success() && checked.errors.is_empty() {
        bail!("cargo {name} fails in {}", workspace.display());
    }
    Ok(checked)
}

/// The checkout that this binary was built from.
pub fn checkout() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.unwrap_or(Path::new("/")).to_owned()
}

/// The folder for what the toolchain builds of generated code, beside its own builds, so that dependencies are shared.
pub fn target_directory() -> anyhow::Result<PathBuf> {
    if let Some(target) = std::env::var_os("CARGO_TARGET_DIR") {
        return Ok(std::path::absolute(target)?);
    }
    Ok(checkout().join("target"))
}

impl Checked {
    fn add(&mut self, message: Message) {
        let folder = message.manifest_path.as_deref().and_then(Path::parent);
        let Some(folder) = folder.map(Path::to_owned) else {
            return;
        };
        match (message.reason.as_str(), message.message) {
            ("compiler-artifact", _) => {
                self.compiled.insert(folder);
            }
            ("compiler-message", Some(compiler)) if compiler.level.starts_with("error") => {
                let text = compiler.rendered.unwrap_or_default();
                self.errors.entry(folder).or_default().push(text);
            }
            _ => {}
        }
    }
}
