//! A server of its own for a test that stops it, or that changes its settings.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio_postgres::{NoTls, SimpleQueryMessage};

use crate::fake_clock::FakeClock;
use crate::programs;
use crate::skip::skip;

/// How long a server may take to start or to stop. Nothing takes as long.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How a server is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// Connections are ended, transactions undone (SIGINT).
    Fast,
    /// As after a crash: the next start recovers (SIGQUIT).
    Immediate,
}

/// A server on a free port of 127.0.0.1, with its data in a temporary folder. It is killed when it is dropped.
pub struct TestServer {
    programs: PathBuf,
    directory: TempDir,
    port: u16,
    settings: Vec<String>,
    clock: Option<Arc<FakeClock>>,
    process: Option<Child>,
}

impl TestServer {
    /// Starts a server. `None` if PostgreSQL is not installed; then the test is reported as skipped and must return.
    ///
    /// # Panics
    ///
    /// See [`skip`].
    pub fn start(test: &str) -> Option<TestServer> {
        TestServer::start_with(test, &[], &[])
    }

    /// Starts a server with settings (`name=value`), and with files in its folder, which the settings may name.
    ///
    /// # Panics
    ///
    /// See [`skip`].
    pub fn start_with(test: &str, settings: &[&str], files: &[&Path]) -> Option<TestServer> {
        let server = TestServer::create(settings, files, None);
        if server.is_none() {
            skip(test, "PostgreSQL is not installed");
        }
        server
    }

    /// Starts a server by a clock that the test sets.
    ///
    /// # Panics
    ///
    /// See [`skip`].
    pub fn start_by(clock: &Arc<FakeClock>, test: &str) -> Option<TestServer> {
        let server = TestServer::create(&[], &[], Some(Arc::clone(clock)));
        if server.is_none() {
            skip(test, "PostgreSQL is not installed");
        }
        server
    }

    pub(crate) fn create(
        settings: &[&str],
        files: &[&Path],
        clock: Option<Arc<FakeClock>>,
    ) -> Option<TestServer> {
        let programs = programs::find()?;
        let directory = TempDir::new().unwrap();
        programs::give(directory.path());
        let data = directory.path().join("data");
        let mut initdb = programs::command(&programs.join("initdb"));
        initdb.args(["--no-sync", "--auth", "trust", "--username", "postgres"]);
        initdb.args(["--encoding", "UTF8", "--locale", "C", "--pgdata"]);
        let created = initdb.arg(&data).output().unwrap();
        assert!(created.status.success(), "{created:?}");
        for file in files {
            let copy = data.join(file.file_name().unwrap());
            std::fs::copy(file, &copy).unwrap();
            // The server refuses a private key that others can read.
            let mut chmod = Command::new("chmod");
            assert!(chmod.arg("600").arg(&copy).status().unwrap().success());
        }
        programs::give(directory.path());
        let port = free_port();
        let mut server = TestServer {
            programs,
            directory,
            port,
            settings: settings.iter().map(|it| (*it).to_owned()).collect(),
            clock,
            process: None,
        };
        server.restart();
        Some(server)
    }

    /// The URL of a database of the server. The database `postgres` always exists.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of the server.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Replaces a file in the folder of the server.
    pub fn replace_file(&self, name: &str, text: &str) {
        let file = self.directory.path().join("data").join(name);
        // Its owner stays the user of the server.
        std::fs::write(file, text).unwrap();
    }

    /// Stops the server, and waits until it has ended.
    pub fn stop(&mut self, shutdown: Shutdown) {
        let Some(mut process) = self.process.take() else {
            return;
        };
        let signal = match shutdown {
            Shutdown::Fast => "INT",
            Shutdown::Immediate => "QUIT",
        };
        let id = process.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(sent.unwrap().success(), "the server has ended");
        process.wait().unwrap();
    }

    /// Starts the server that was stopped, at the same port, and waits until it answers.
    pub fn restart(&mut self) {
        self.start_process();
        let start = Instant::now();
        while execute(&self.url("postgres"), "SELECT 1").is_err() {
            assert!(start.elapsed() < TIMEOUT, "the server does not answer");
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }

    fn start_process(&mut self) {
        assert!(self.process.is_none(), "the server runs");
        let mut command = match &self.clock {
            Some(clock) => clock.command(programs::command),
            None => programs::command(Path::new("env")),
        };
        command.arg(self.programs.join("postgres"));
        command.arg("-D").arg(self.directory.path().join("data"));
        command.arg("-p").arg(self.port.to_string());
        command.arg("-k").arg(self.directory.path());
        // Its process may be killed, but not the machine.
        command.args(["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]);
        for setting in &self.settings {
            command.args(["-c", setting]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null());
        self.process = Some(programs::spawn(command).unwrap());
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop(Shutdown::Immediate);
    }
}

/// A port that is free, for a server that binds it itself. It is below those that the system gives to connections and to port
/// 0 (from 32,768 on Linux), so that nobody else gets it in between.
///
/// # Panics
///
/// If none is found.
pub fn free_port() -> u16 {
    const TRIES: usize = 100;
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let mut ports = std::iter::repeat_with(|| fastrand::u16(10_000..22_000)).take(TRIES);
    ports.find(is_free).expect("a free port")
}

/// Runs SQL on the database at a URL, on a thread of its own, so that it can be called from async tests.
pub fn execute(url: &str, sql: &str) -> Result<(), tokio_postgres::Error> {
    query(url, sql).map(drop)
}

/// Runs SQL, and returns the first column of its rows as texts. Null is an empty text.
pub(crate) fn query(url: &str, sql: &str) -> Result<Vec<String>, tokio_postgres::Error> {
    std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
                let connection = tokio::spawn(connection);
                let messages = client.simple_query(sql).await;
                connection.abort();
                let rows = messages?.into_iter().filter_map(|message| match message {
                    SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or_default().to_owned()),
                    _ => None,
                });
                Ok(rows.collect())
            })
        });
        run.join().unwrap()
    })
}
