//! Workspaces that `new` makes, and their servers.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// The checkout whose crates a workspace of a test uses.
pub const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A workspace that `new` made.
pub struct Made {
    pub folder: TempDir,
    name: &'static str,
}

impl Made {
    pub fn new(name: &'static str, file: &str, document: &str) -> Made {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(file), document).unwrap();
        let made = Made { folder, name };
        let new = ["new", name, "--spec", file, "--toolchain", CHECKOUT];
        let output = dropspec(made.folder.path(), &new);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("is ready. Its crates depend on the checkout"));
        let locked = made.cargo(&["tree", "--quiet", "--locked", "--offline"]);
        assert!(locked.status.success(), "{}", text(&locked.stderr));
        made.share_dependencies();
        made
    }

    /// Adds a crate that depends on all that this repository depends on, with the same features, so that nothing of it is
    /// built again, as long as cargo builds the whole workspace. `tests/packages/check` builds a workspace as it is.
    fn share_dependencies(&self) {
        let tree = ["tree", "--quiet", "--locked", "--offline", "--workspace"];
        let form = [
            "--edges=normal,dev,no-proc-macro",
            "--prefix=none",
            "--format={p}|{f}|",
        ];
        let mut command = Command::new(env!("CARGO"));
        command.args(tree).args(form).current_dir(CHECKOUT);
        let tree = command.output().unwrap();
        assert!(tree.status.success(), "{}", text(&tree.stderr));
        let tree = text(&tree.stdout);
        let packages = tree.lines().filter_map(|line| line.split_once('|'));
        let packages: BTreeSet<_> = packages
            .map(|(package, rest)| (package, rest.split('|').next().unwrap()))
            .collect();
        let mut manifest =
            "[package]\nname = \"shared\"\nedition = \"2024\"\n\n[dependencies]\n".to_owned();
        for (index, (package, features)) in packages.into_iter().enumerate() {
            // What has a path besides is a crate of this repository.
            if let [name, version] = package.split(' ').collect::<Vec<_>>()[..] {
                let features: Vec<&str> = features.split_terminator(',').collect();
                manifest += &format!(
                    "d{index} = {{ package = \"{name}\", version = \"={}\", default-features = false, features = {features:?} }}\n",
                    version.trim_start_matches('v')
                );
            }
        }
        let folder = self.root().join("crates/shared");
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("src/lib.rs"), "//! Nothing.\n").unwrap();
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        let path = self.root().join("Cargo.toml");
        let workspace = fs::read_to_string(&path).unwrap();
        let with_shared = workspace.replacen("members = [", "members = [\"crates/shared\", ", 1);
        assert_ne!(with_shared, workspace);
        fs::write(path, with_shared).unwrap();
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join(self.name)
    }

    pub fn cargo(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO"));
        command.args(arguments).current_dir(self.root());
        command.env("CARGO_TARGET_DIR", target()).output().unwrap()
    }

    pub fn build(&self) {
        let built = self.cargo(&["build", "--quiet", "--workspace", "--all-targets"]);
        assert!(built.status.success(), "{}", text(&built.stderr));
        // The client's generator does not care about warnings.
        let warnings = text(&built.stderr);
        for part in ["-api/src", "-server/src"] {
            assert!(!warnings.contains(part), "{warnings}");
        }
    }

    /// Changes the text of a file of the server.
    pub fn edit_server(&self, file: &str, change: impl Fn(String) -> String) {
        let server = self.root().join(format!("crates/{}-server", self.name));
        let path = server.join(file);
        let text = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, change(text)).unwrap();
    }

    pub fn readme(&self) -> String {
        fs::read_to_string(self.root().join("README.md")).unwrap()
    }

    /// Starts the server on a free port, in a new folder.
    pub fn serve(&self) -> Running {
        self.serve_with(&[])
    }

    /// Starts the server with environment variables.
    pub fn serve_with(&self, variables: &[(&str, &str)]) -> Running {
        let key = self.folder.path().join("first-key");
        let program = target().join("debug").join(self.name);
        let mut process = Command::new(program)
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--admin-listen",
                "127.0.0.1:0",
            ])
            .arg("--first-key-file")
            .arg(&key)
            .envs(variables.iter().copied())
            .current_dir(self.folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut find = |mark: &str| {
            let line = lines.find(|line| line.as_ref().unwrap().contains(mark));
            line.unwrap().unwrap()
        };
        let first = find("listens on http://");
        let address = first.rsplit("//").next().unwrap().to_owned();
        let call = find("    curl ");
        let header = match std::fs::read_to_string(&key) {
            Ok(key) => {
                let header = call.split('"').nth(1).unwrap().to_owned();
                let (before, _) = header.split_once("$(cat ").unwrap();
                format!("{before}{}", key.trim_end())
            }
            Err(_) => String::new(),
        };
        Running {
            process,
            address,
            header,
        }
    }
}

/// A server that is stopped at the end of the test.
pub struct Running {
    process: Child,
    pub address: String,
    /// The header with the first API key; empty if no operation requires a key.
    pub header: String,
}

impl Running {
    /// The first API key.
    pub fn key(&self) -> &str {
        self.header.split(": ").nth(1).unwrap()
    }

    /// A path with the key in the query.
    pub fn with_key(&self, path: &str) -> String {
        format!("{path}?app={}", self.key())
    }

    /// The status and the rest of the response to a GET.
    pub fn get(&self, path: &str, header: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = &self.address;
        let header = match header {
            "" => String::new(),
            header => format!("{header}\r\n"),
        };
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{header}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).unwrap();
        let response = text(&response);
        let (line, rest) = response.split_once("\r\n").unwrap();
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        (status, rest.to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn dropspec(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dropspec"));
    command
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// The folder of builds of this repository, so that dependencies are built once.
pub fn target() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_dropspec"));
    program.ancestors().nth(2).unwrap().to_owned()
}

/// The block of code in this language of the README of a workspace. That of a whole file of Rust is formatted, as the CI of the
/// workspace demands.
pub fn block_of(readme: &str, language: &str) -> String {
    let start = format!("```{language}\n");
    let (_, rest) = readme.split_once(&start).unwrap();
    let block = rest.split_once("```").unwrap().0.to_owned();
    if block.starts_with("//!") {
        assert_eq!(formatted(&block), block);
    }
    block
}

fn formatted(code: &str) -> String {
    let mut rustfmt = Command::new("rustfmt");
    let rustfmt = rustfmt.args(["--edition", "2024"]);
    let mut running = rustfmt
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    running
        .stdin
        .take()
        .unwrap()
        .write_all(code.as_bytes())
        .unwrap();
    text(&running.wait_with_output().unwrap().stdout)
}
