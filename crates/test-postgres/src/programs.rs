//! The programs of PostgreSQL that are installed, and the user that may run them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

/// The folder of `initdb` and `postgres`: Debian has one for each version, others have them in the path.
pub(crate) fn find() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let versions = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    let in_path = std::env::var_os("PATH").unwrap_or_default();
    let in_path: Vec<PathBuf> = std::env::split_paths(&in_path).collect();
    let mut folders = versions.chain(in_path);
    folders.find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
}

/// A command of a program that ends with the thread that starts it, however that ends. Run it by [`spawn`].
pub fn bound_command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]).arg(program);
    command
}

/// Starts a process from a thread that lives as long as this process.
pub fn spawn(mut command: Command) -> std::io::Result<Child> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        sender.send(command.spawn()).unwrap();
        loop {
            std::thread::park();
        }
    });
    receiver.recv().unwrap()
}

/// Deletes a folder when this process has ended, however it ends: then a shell reads the end of its input.
pub fn delete_at_exit(folder: &Path) {
    let script = "cat; until rm -rf \"$0\"; do sleep 0.1; done";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let shell = command.stderr(Stdio::null()).spawn().unwrap();
    std::mem::forget(shell);
}

/// A command of a program. The server refuses to run as root, so it then runs as another user. It ends with the thread that
/// starts it.
pub(crate) fn command(program: &Path) -> Command {
    if !is_root() {
        return bound_command(program);
    }
    let user = server_user();
    // After the user has changed, which would undo it.
    let mut command = Command::new("setpriv");
    command.args(["--reuid", user, "--regid", user, "--clear-groups"]);
    command.args(["--pdeathsig", "KILL"]).arg(program);
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
