//! What `action.yml` installs, by `deploy/install`: an archive from a forge on loopback, or what a stub of cargo compiles.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use sha2::{Digest, Sha256};
use test_network::{Server, response};

use crate::checkout::{Checkout, result};

const TAG: &str = concat!("v", env!("CARGO_PKG_VERSION"));
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A forge that has these files, until the test ends: its URL.
fn serve(files: Vec<(String, Vec<u8>)>) -> String {
    let server = Server::start(move |request| {
        let file = files.iter().find(|(name, _)| name == request.target());
        match file {
            Some((_, bytes)) => response("200 OK", bytes),
            None => response("404 Not Found", ""),
        }
    });
    server.url()
}

/// Runs a script in a folder.
fn bash(folder: &Checkout, script: &str, set: impl FnOnce(&mut Command)) -> Output {
    let mut command = Command::new("/bin/bash");
    command.args(["-euo", "pipefail", "-c", script]);
    command.current_dir(folder.path(""));
    set(&mut command);
    command.output().unwrap()
}

fn archive_name() -> String {
    let (version, machine) = (&TAG[1..], std::env::consts::ARCH);
    format!("dropspec-{version}-{machine}-unknown-linux-musl.tar.gz")
}

/// An archive whose program says that it was downloaded, and the file of checksums, as `release/build` makes both.
fn release() -> (Vec<u8>, String) {
    let make = "mkdir -p any/bin && cd any/bin && echo 'echo downloaded' >dropspec && chmod +x dropspec && cd ../.. && tar -cz any";
    let archive = bash(&Checkout::empty(), make, |_| ()).stdout;
    let sum: String = Sha256::digest(&archive)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let sums = format!("# commit {COMMIT}\n{sum}  {}\n", archive_name());
    (archive, sums)
}

/// Runs the step of the action that installs, and what it installed: its exit code, and what both say.
fn install(reference: &str, archive: &[u8], sums: &str, has_cargo: bool) -> (i32, String) {
    let release = format!("/owner/repository/releases/download/{TAG}");
    let files = [("SHA256SUMS", sums.as_bytes()), (&archive_name(), archive)];
    let files = files.into_iter().filter(|(_, bytes)| !bytes.is_empty());
    let url = serve(
        files
            .map(|(name, bytes)| (format!("{release}/{name}"), bytes.to_vec()))
            .collect(),
    );
    let folder = Checkout::empty();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let action = fs::read_to_string(root.join("action.yml")).unwrap();
    let action = action
        .replace("${{ github.server_url }}", &url)
        .replace("${{ github.action_repository }}", "owner/repository")
        .replace("${{ github.action_ref }}", reference)
        .replace("${{ runner.temp }}", folder.path("").to_str().unwrap());
    let mut lines = action.lines().map(str::trim);
    let field = |name: &str| lines.clone().find_map(|line| line.strip_prefix(name));
    let variables = ["DROPSPEC_URL", "DROPSPEC_REF", "ROOT"]
        .map(|name| (name, field(&format!("{name}: ")).unwrap()));
    let script = lines.find(|line| line.contains("deploy/install")).unwrap();
    let script = script
        .strip_prefix("run: '")
        .unwrap()
        .trim_end_matches('\'');

    // No cargo but this one.
    folder.write("bin/cargo", "#!/bin/bash\nmkdir -p \"${!#}/bin\" && cd \"${!#}/bin\" && echo \"echo compiled: $*\" >dropspec\n");
    let tools = "bash chmod curl cut dirname git grep gzip mkdir mktemp readlink rm sed sha256sum tar uname";
    for tool in tools.split(' ') {
        symlink(
            Path::new("/usr/bin").join(tool),
            folder.path("bin").join(tool),
        )
        .unwrap();
    }
    let change = if has_cargo {
        "chmod +x bin/cargo"
    } else {
        "rm bin/cargo"
    };
    assert!(bash(&folder, change, |_| ()).status.success());
    let (code, said, error) = result(bash(&folder, script, |command| {
        command.env_clear().env("PATH", folder.path("bin"));
        command
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_ACTION_PATH", &root);
        command.envs(variables);
    }));
    assert_eq!(said, "");
    let (_, ran, _) = result(bash(&folder, "bash dropspec/bin/dropspec", |_| ()));
    (code, format!("{error}{ran}").replace(&url, "URL"))
}

#[test]
fn archive_of_the_version_is_used_if_its_checksum_is_right() {
    let (archive, sums) = release();
    for reference in [TAG, "v1", COMMIT] {
        let installed = install(reference, &archive, &sums, false);
        assert_eq!(installed, (0, "downloaded\n".to_owned()), "{reference}");
    }
}

#[test]
fn archive_with_a_wrong_checksum_is_refused() {
    let (archive, sums) = release();
    let (code, said) = install(TAG, &[&archive[..], b"\0"].concat(), &sums, true);
    assert_eq!((code, said.lines().count()), (1, 1), "{said}");
    let name = archive_name();
    let place = format!("URL/owner/repository/releases/download/{TAG}/{name}");
    let expected = format!("::error::the SHA-256 of {place} is ");
    assert!(said.starts_with(&expected), "{said}");
    let sum = sums.lines().last().unwrap().split(' ').next().unwrap();
    let help = format!(", and not `{sum}` as its SHA256SUMS says; try again, and");
    assert!(said.contains(&help), "{said}");
}

#[test]
fn program_is_compiled_where_no_archive_fits() {
    let (archive, sums) = release();
    let other = COMMIT.replace('0', "f");
    for (reference, archive, sums, reason) in [
        (TAG, &b""[..], "", "/SHA256SUMS cannot be downloaded"),
        (TAG, b"", &sums, "-linux-musl.tar.gz cannot be downloaded"),
        ("main", &archive, &sums, "`main` is not a release such as v"),
        (&other, &archive, &sums, "was released from another commit"),
    ] {
        let (code, said) = install(reference, archive, sums, true);
        assert_eq!(code, 0, "{said}");
        assert!(said.contains(reason), "{reason}: {said}");
        let compiled =
            "compiled: install --quiet --locked --profile small --path crates/dropspec --root ";
        assert!(said.contains(compiled), "{said}");
    }
    let (code, said) = install("main", b"", "", false);
    let expected = "::error::no archive fits, because `main` is not a release";
    assert!(code == 1 && said.starts_with(expected), "{said}");
    assert!(
        said.contains("install Rust, or set DROPSPEC_URL and DROPSPEC_REF"),
        "{said}"
    );
}
