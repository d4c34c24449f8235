//! The binary as a process of its own, with a client for it.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use chrono::Utc;
use petstore_api::Plan;
use petstore_client::Client;
use petstore_server::auth::{Access, ApiKey, NewKey, Terms};
use petstore_server::rate_limit::Limits;
use petstore_server::store::{Store, StoreConfig};
use reqwest::header::{HeaderMap, HeaderValue};
use rusqlite::Connection;

/// Longer than anything here takes; who waits longer waits in vain.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The key that the tests use, one that is never used up. It is the same in every database, so that a client knows it
/// after the server was killed.
pub const KEY: &str = "pst_0123456789ABCDEFGHIJKLMNOPQRST4O7hJx";

/// The binary, undisturbed by the variables of whoever runs the tests.
pub fn petstore() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstore"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PETSTORE_") {
            command.env_remove(name);
        }
    }
    // Servers of several tests run at once, and the usual port of the panel is one.
    command.env("PETSTORE_ADMIN_LISTEN", "127.0.0.1:0");
    command
}

/// `petstore serve` on a free port, with this database.
pub fn serve(database: &Path) -> Command {
    let mut command = petstore();
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "error"])
        .arg("--database")
        .arg(database);
    command
}

/// A server that listens. It is killed when it is dropped.
pub struct Running {
    pub client: Client,
    pub address: SocketAddr,
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    /// Starts a server on a free port, and waits until it says where it listens.
    pub fn start(database: &Path) -> Running {
        Running::of(&mut serve(database), database)
    }

    /// Runs a command that starts a server with this database.
    pub fn of(command: &mut Command, database: &Path) -> Running {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let Some(url) = line.strip_prefix("petstore listens on http://") else {
            let mut stderr = String::new();
            let pipe = child.stderr.as_mut().unwrap();
            pipe.read_to_string(&mut stderr).unwrap();
            panic!("said {line:?} and {stderr:?}");
        };
        let address: SocketAddr = url.trim_end().parse().unwrap();
        make_known(database);
        Running {
            client: client(address, KEY),
            address,
            child,
            stdout,
        }
    }

    /// The generated client with another key.
    pub fn client_of(&self, key: &str) -> Client {
        client(self.address, key)
    }

    /// Reads what it prints on standard output, up to a line that begins so.
    pub fn line_beginning(&mut self, with: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.stdout.read_line(&mut line).unwrap();
            assert_ne!(read, 0, "no line begins with {with:?}");
            if line.trim_start().starts_with(with) {
                return line.trim().to_owned();
            }
        }
    }

    /// Ends the process at once (SIGKILL), and waits until it is gone.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let kill = Command::new("kill")
            .args(["-s", name, &self.child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
    }

    /// Waits for the end of the process, and returns how it ended and what it said on the way: on standard output
    /// after the first line, and on standard error.
    pub fn end(mut self) -> (ExitStatus, String, String) {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        // Both pipes close when the process ends.
        self.stdout.read_to_string(&mut stdout).unwrap();
        let pipe = self.child.stderr.as_mut().unwrap();
        pipe.read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap(), stdout, stderr)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn client(address: SocketAddr, key: &str) -> Client {
    let key = HeaderValue::from_str(key).unwrap();
    let headers = HeaderMap::from_iter([("x-api-key".parse().unwrap(), key)]);
    let transport = reqwest::Client::builder().default_headers(headers);
    Client::new_with_client(&format!("http://{address}"), transport.build().unwrap())
}

/// Puts [`KEY`] into the database, or has the server that has just started begin to count it anew: a kill costs a tenth
/// of a limit, however high that is, so ten of them would use the key up.
fn make_known(database: &Path) {
    let store = Store::open_beside_server(&StoreConfig::at(database)).unwrap();
    let key = ApiKey::parse(KEY).unwrap();
    if let Some(found) = store.find_key(&key.hash()).unwrap() {
        let id = found.caller.account.key_id;
        let connection = Connection::open(database).unwrap();
        let forget = "DELETE FROM usage WHERE key_id = ?";
        connection.execute(forget, [id]).unwrap();
        return;
    }
    let plenty = Limits {
        per_minute: 1_000_000_000,
        per_day: 1_000_000_000,
    };
    let new = NewKey {
        name: "the tests".to_owned(),
        terms: Terms::new(Plan::Enterprise, Some(plenty)).unwrap(),
        access: Access::Write,
    };
    futures::executor::block_on(store.create_key(new, &key, Utc::now())).unwrap();
}
