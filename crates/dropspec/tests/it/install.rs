//! What `action.yml` installs, by `deploy/install`: an archive from a forge on loopback, or what a stub of cargo compiles.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::checkout::{Checkout, result};

const TAG: &str = concat!("v", env!("CARGO_PKG_VERSION"));
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A forge that has these files in one release, until the test ends.
fn serve(files: BTreeMap<String, Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming().map(Result::unwrap) {
            let mut lines = BufReader::new(&connection).lines().map(Result::unwrap);
            let request = lines.next().unwrap();
            lines.find(String::is_empty).unwrap();
            let (status, body) = match files.get(request.split(' ').nth(1).unwrap()) {
                Some(body) => ("200 OK", &body[..]),
                None => ("404 Not Found", &b""[..]),
            };
            let length = body.len();
            let head = format!("content-length: {length}\r\nconnection: close\r\n\r\n");
            let answer = [format!("HTTP/1.1 {status}\r\n{head}").as_bytes(), body].concat();
            (&connection).write_all(&answer).unwrap();
        }
    });
    url
}

fn archive_name() -> String {
    let (version, machine) = (&TAG[1..], std::env::consts::ARCH);
    format!("dropspec-{version}-{machine}-unknown-linux-musl.tar.gz")
}

/// An archive whose program says that it was downloaded, and the file of checksums, as `release/build` makes both.
fn release() -> (Vec<u8>, String) {
    let folder = Checkout::empty();
    write_program(&folder.path("any/bin/dropspec"), "echo downloaded");
    let tar = Command::new("tar")
        .args(["-cz", "any"])
        .current_dir(folder.path(""))
        .output();
    let archive = tar.unwrap().stdout;
    let mut sums = format!("# commit {COMMIT}\n");
    for byte in Sha256::digest(&archive) {
        write!(sums, "{byte:02x}").unwrap();
    }
    writeln!(sums, "  {}", archive_name()).unwrap();
    (archive, sums)
}

fn write_program(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs the step of the action that installs: its exit code, what it and the installed program say, and the URL of the forge.
fn install(reference: &str, archive: &[u8], sums: &str, has_cargo: bool) -> (i32, String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let release = format!("/owner/repository/releases/download/{TAG}");
    let files = [("SHA256SUMS", sums.as_bytes()), (&archive_name(), archive)];
    let files = files.into_iter().filter(|(_, bytes)| !bytes.is_empty());
    let url = serve(
        files
            .map(|(name, bytes)| (format!("{release}/{name}"), bytes.to_vec()))
            .collect(),
    );
    let folder = Checkout::empty();
    let temporary = folder.path("runner");
    let contexts = [
        ("${{ github.server_url }}", url.as_str()),
        ("${{ github.action_repository }}", "owner/repository"),
        ("${{ github.action_ref }}", reference),
        ("${{ runner.temp }}", temporary.to_str().unwrap()),
    ];
    let action: Value =
        serde_saphyr::from_str(&fs::read_to_string(root.join("action.yml")).unwrap()).unwrap();
    let steps = action["runs"]["steps"].as_array().unwrap();
    let script = |step: &Value| step["run"].as_str().unwrap_or_default().to_owned();
    let step = steps
        .iter()
        .find(|step| script(step).contains("deploy/install"));
    let step = step.unwrap();
    let variables = step["env"].as_object().unwrap().iter();
    let variables = variables.map(|(name, value)| {
        let value = value.as_str().unwrap().to_owned();
        let value = contexts
            .iter()
            .fold(value, |text, (from, to)| text.replace(from, to));
        assert!(!value.contains("${{"), "{value}");
        (name, value)
    });

    // No cargo but this one.
    let tools =
        "bash curl cut dirname git grep gzip mkdir mktemp readlink rm sed sha256sum tar uname";
    for tool in tools.split(' ') {
        let found = ["/usr/bin", "/bin"].map(|bin| Path::new(bin).join(tool));
        fs::create_dir_all(folder.path("bin")).unwrap();
        let found = found.iter().find(|tool| tool.exists()).unwrap();
        symlink(found, folder.path("bin").join(tool)).unwrap();
    }
    if has_cargo {
        let compile = "for folder; do :; done\n/bin/mkdir -p \"$folder/bin\"\n\
                       printf '#!/bin/sh\\necho %s' \"'$*'\" >\"$folder/bin/dropspec\"\n/bin/chmod +x \"$folder/bin/dropspec\"";
        write_program(&folder.path("bin/cargo"), compile);
    }
    let mut command = Command::new("/bin/bash");
    command.args(["-euo", "pipefail", "-c", &script(step)]);
    command.env_clear().env("PATH", folder.path("bin"));
    command
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_ACTION_PATH", &root);
    let (code, said, error) = result(command.envs(variables).output().unwrap());
    assert_eq!(said, "");
    let program = temporary.join("dropspec/bin/dropspec");
    let ran = Command::new(program).output();
    let ran = ran.map_or_else(|_| String::new(), |output| result(output).1);
    (code, format!("{error}{ran}"), url)
}

#[test]
fn archive_of_the_version_is_used_if_its_checksum_is_right() {
    let (archive, sums) = release();
    for reference in [TAG, "v1", COMMIT] {
        let (code, said, _) = install(reference, &archive, &sums, false);
        assert_eq!((code, said.as_str()), (0, "downloaded\n"), "{reference}");
    }
}

#[test]
fn archive_with_a_wrong_checksum_is_refused() {
    let (mut archive, sums) = release();
    archive.push(0);
    let (code, said, url) = install(TAG, &archive, &sums, true);
    assert_eq!(code, 1, "{said}");
    let name = archive_name();
    let place = format!("{url}/owner/repository/releases/download/{TAG}/{name} is ");
    let expected = format!("::error::the SHA-256 of {place}");
    assert!(said.starts_with(&expected), "{said}");
    let sum = &sums[sums.len() - name.len() - 67..][..64];
    let help = format!(", and not `{sum}` as its SHA256SUMS says; try again, and");
    assert!(said.contains(&help), "{said}");
    assert_eq!(said.lines().count(), 1, "nothing is installed: {said}");
}

#[test]
fn program_is_compiled_where_no_archive_fits() {
    let (archive, sums) = release();
    let other = COMMIT.replace('0', "f");
    for (reference, archive, sums, reason) in [
        (TAG, &b""[..], "", "/SHA256SUMS cannot be downloaded"),
        (TAG, b"", &sums, "-linux-musl.tar.gz cannot be downloaded"),
        ("main", &archive, &sums, "`main` is not a release such as v"),
        ("", &archive, &sums, "`` is not a release such as v"),
        (&other, &archive, &sums, "was released from another commit"),
    ] {
        let (code, said, _) = install(reference, archive, sums, true);
        assert_eq!(code, 0, "{said}");
        assert!(said.contains(reason), "{reason}: {said}");
        let compiled = "install --quiet --locked --profile small --path crates/dropspec --root ";
        assert!(said.contains(compiled), "{said}");
    }
    let (code, said, _) = install("main", b"", "", false);
    assert_eq!(code, 1, "{said}");
    assert!(
        said.starts_with("::error::no archive fits, because `main` is not a release")
            && said.contains("install Rust"),
        "{said}"
    );
}
