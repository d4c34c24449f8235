//! Engines as processes of the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tempfile::TempDir;
use test_postgres::{FakeClock, bound_command, delete_at_exit, free_port, skip, spawn};

const PROGRAM: &str = "redis-server";

/// How often a start is tried, as another process may take the port first.
const STARTS: usize = 5;

/// A Redis of its own, which is killed when it is dropped. What it acknowledges outlives its process.
pub struct TestRedis {
    directory: TempDir,
    port: u16,
    options: Vec<String>,
    clock: Option<Arc<FakeClock>>,
    process: Option<Child>,
}

/// A database of an engine that the tests of this process share, without what others store.
pub struct RedisDatabase(String);

/// Three engines that are one cluster.
pub struct TestCluster(Vec<TestRedis>);

impl TestRedis {
    /// Starts an engine for a test; `None` if the program is missing, and the test is reported as skipped.
    pub fn start(test: &str) -> Option<TestRedis> {
        TestRedis::start_with(test, &[])
    }

    /// Starts an engine with further options.
    pub fn start_with(test: &str, options: &[&str]) -> Option<TestRedis> {
        TestRedis::create(test, options, None)
    }

    /// Starts an engine by a clock that the test sets.
    pub fn start_by(clock: &Arc<FakeClock>, test: &str) -> Option<TestRedis> {
        TestRedis::create(test, &[], Some(clock))
    }

    fn create(test: &str, options: &[&str], clock: Option<&Arc<FakeClock>>) -> Option<TestRedis> {
        if Command::new(PROGRAM).arg("--version").output().is_err() {
            skip(test, &format!("{PROGRAM} is not installed"));
            return None;
        }
        for _ in 0..STARTS {
            let mut engine = TestRedis {
                directory: TempDir::new().unwrap(),
                port: free_port(),
                options: options.iter().map(|it| (*it).to_owned()).collect(),
                clock: clock.cloned(),
                process: None,
            };
            if engine.spawn().unwrap() {
                return Some(engine);
            }
        }
        panic!("{PROGRAM} does not start")
    }

    /// The address of the engine.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// The port of the engine.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Kills the engine, as by SIGKILL.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// Starts the engine again, with what it has on the disk.
    pub fn restart(&mut self) {
        self.kill();
        assert!(self.spawn().unwrap(), "the engine starts again");
    }

    /// Sends a command, and returns the first bytes of its reply.
    pub fn command(&self, words: &[&str]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let mut request = format!("*{}\r\n", words.len());
        for word in words {
            request += &format!("${}\r\n{word}\r\n", word.len());
        }
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = [0; 4096];
        let length = stream.read(&mut reply).unwrap();
        String::from_utf8_lossy(&reply[..length]).into_owned()
    }

    /// Starts the process. Returns whether it accepts connections.
    fn spawn(&mut self) -> std::io::Result<bool> {
        let mut command = match &self.clock {
            Some(clock) => clock.command(bound_command),
            None => bound_command("env"),
        };
        command.arg(PROGRAM);
        command
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1"])
            // Its process may be killed, but not the machine.
            .args(["--save", "", "--appendonly", "yes", "--appendfsync", "no"])
            .arg("--dir")
            .arg(self.directory.path())
            .args(&self.options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = spawn(command)?;
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let is_ready = lines.any(|line| line.is_ok_and(|it| it.contains("Ready to accept")));
        if is_ready {
            // What it writes from now on is read by nobody, but must not block it.
            std::thread::spawn(move || lines.for_each(drop));
        }
        self.process = Some(process);
        Ok(is_ready)
    }
}

impl Drop for TestRedis {
    fn drop(&mut self) {
        self.kill();
    }
}

impl RedisDatabase {
    /// Takes another database of the shared engine; `None` if the program is missing, and the test is reported as skipped.
    pub fn create(test: &str) -> Option<RedisDatabase> {
        /// More than a process has tests.
        const DATABASES: usize = 1000;
        static ENGINE: OnceLock<Option<TestRedis>> = OnceLock::new();
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let databases = DATABASES.to_string();
        // It ends with this process, and nobody starts it again.
        let options = ["--databases", &databases, "--appendonly", "no"];
        let engine = ENGINE.get_or_init(|| {
            let engine = TestRedis::start_with(test, &options)?;
            delete_at_exit(engine.directory.path());
            Some(engine)
        });
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        assert!(number < DATABASES, "too many databases");
        Some(RedisDatabase(format!(
            "{}/{number}",
            engine.as_ref()?.url()
        )))
    }

    /// The address of the database.
    pub fn url(&self) -> &str {
        &self.0
    }
}

impl TestCluster {
    /// Starts a cluster for a test; `None` if the program is missing, and the test is reported as skipped.
    pub fn start(test: &str) -> Option<TestCluster> {
        const SLOTS: usize = 16_384;
        let options = [
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            "15000",
        ];
        let mut nodes = Vec::new();
        for _ in 0..3 {
            nodes.push(TestRedis::start_with(test, &options)?);
        }
        for (index, node) in nodes.iter().enumerate() {
            let (first, last) = (SLOTS * index / 3, SLOTS * (index + 1) / 3 - 1);
            let (first, last) = (first.to_string(), last.to_string());
            node.command(&["CLUSTER", "ADDSLOTSRANGE", &first, &last]);
            node.command(&["CLUSTER", "SET-CONFIG-EPOCH", &(index + 1).to_string()]);
            let meet = ["CLUSTER", "MEET", "127.0.0.1", &nodes[0].port.to_string()];
            node.command(&meet);
        }
        let knows_all = |node: &TestRedis| {
            let info = node.command(&["CLUSTER", "INFO"]);
            info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:3")
        };
        // They learn of each other in the background.
        while !nodes.iter().all(knows_all) {
            std::thread::park_timeout(Duration::from_millis(10));
        }
        Some(TestCluster(nodes))
    }

    /// The addresses of all nodes.
    pub fn url(&self) -> String {
        let urls: Vec<String> = self.0.iter().map(TestRedis::url).collect();
        urls.join(",")
    }
}
