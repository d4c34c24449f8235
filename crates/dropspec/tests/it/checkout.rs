//! A small repository for tests to edit.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub const SPEC: &str = "openapi: 3.0.3
info: {title: a, version: 1.0.0}
tags: [{name: A, description: All of it.}]
paths:
  /a:
    get:
      operationId: getA
      tags: [A]
      summary: Get it
      description: Gets it.
      responses: {'200': {description: It., content: {application/json: {schema: {type: string}, example: a}}}}
";

/// The rules are those of a strict house.
const SETTINGS: &str = r#"document = "spec/petstore.yaml"

[lint]
openapi-version = "3.0.3"
documentation = true
no-unused-parts = true
"#;

/// A directory with a document and a `dropspec.toml`.
pub struct Checkout(tempfile::TempDir);

impl Checkout {
    pub fn new() -> Checkout {
        let checkout = Checkout::empty();
        checkout.write("dropspec.toml", SETTINGS);
        checkout.write("spec/petstore.yaml", SPEC);
        checkout
    }

    /// The settings, document, overlay and template of this repository.
    pub fn of_this_repository() -> Checkout {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let checkout = Checkout::empty();
        for file in [
            "dropspec.toml",
            "spec/petstore.yaml",
            "spec/gate.overlay.yaml",
            "spec/resource.overlay.yaml",
            "spec/resource.yaml",
        ] {
            checkout.write(file, &std::fs::read_to_string(root.join(file)).unwrap());
        }
        checkout
    }

    /// A directory with nothing in it, outside of every repository.
    pub fn empty() -> Checkout {
        Checkout(tempfile::tempdir().unwrap())
    }

    /// Writes a file, and the folders that it needs.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub fn edit(&self, from: &str, to: &str) {
        let text = self.read("spec/petstore.yaml");
        assert!(text.contains(from), "{from}");
        self.write("spec/petstore.yaml", &text.replace(from, to));
    }

    /// Runs a command in the root: its exit code, standard output and standard error.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        self.run_in("", arguments)
    }

    pub fn run_in(&self, directory: &str, arguments: &[&str]) -> (i32, String, String) {
        let mut command = self.command(arguments);
        result(command.current_dir(self.path(directory)).output().unwrap())
    }

    /// Runs the command of each row, `arguments => text`, which must fail with 2 and say the text.
    pub fn assert_refused(&self, rows: &str) {
        for row in rows.lines().filter(|row| !row.is_empty()) {
            let (arguments, expected) = row.split_once(" => ").unwrap();
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let (code, said, error) = self.run(&arguments);
            assert_eq!((code, said.as_str()), (2, ""), "{row}: {error}");
            assert!(error.contains(expected), "{row}\n{error}");
        }
    }

    /// The text of a file.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap()
    }

    /// Runs a command in the root with a text on its standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> (i32, String, String) {
        let mut command = self.command(arguments);
        let pipe = Stdio::piped;
        let command = command.stdin(pipe()).stdout(pipe()).stderr(pipe());
        let mut process = command.spawn().unwrap();
        let mut stdin = process.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        result(process.wait_with_output().unwrap())
    }

    /// Builds a command in the root.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dropspec"));
        command.args(arguments).current_dir(self.0.path());
        command
    }

    /// Runs git in the root, as some author.
    pub fn git(&self, arguments: &[&str]) {
        git(self.0.path(), arguments);
    }

    /// Commits all files.
    pub fn commit(&self) {
        commit(self.0.path());
    }

    /// Commits all files on `main`, and begins the branch `work`.
    pub fn begin_branch(&self) {
        self.commit();
        self.git(&["branch", "-M", "main"]);
        self.git(&["checkout", "-qb", "work"]);
    }
}

/// Exit code, standard output and standard error.
pub fn result(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

/// Commits all files of a folder.
pub fn commit(folder: &Path) {
    git(folder, &["init", "-q"]);
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-qm", "all of it"]);
}

/// Runs git in a folder, as some author.
pub fn git(folder: &Path, arguments: &[&str]) {
    let author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(author)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}
