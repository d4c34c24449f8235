//! The programs of PostgreSQL that are installed, and the user that may run them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of `initdb` and `postgres`: Debian has one for each version, others have them in the path.
pub(crate) fn find() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let versions = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    let in_path = std::env::var_os("PATH").unwrap_or_default();
    let in_path: Vec<PathBuf> = std::env::split_paths(&in_path).collect();
    let mut folders = versions.chain(in_path);
    folders.find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
}

/// A command of a program. The server refuses to run as root, so it then runs as another user. It ends with the thread that
/// starts it.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]);
    if is_root() {
        let user = server_user();
        command.args(["--reuid", user, "--regid", user, "--clear-groups"]);
    }
    command.arg(program);
    command
}

/// Gives a folder to the user of the server.
pub(crate) fn give(folder: &Path) {
    if is_root() {
        let mut chown = Command::new("chown");
        let changed = chown.arg("-R").arg(server_user()).arg(folder).status();
        assert!(changed.unwrap().success(), "chown failed");
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.trim_ascii() == b"0"
}

fn server_user() -> &'static str {
    let known = Command::new("id")
        .args(["-u", "postgres"])
        .output()
        .unwrap();
    if known.status.success() {
        "postgres"
    } else {
        "nobody"
    }
}
