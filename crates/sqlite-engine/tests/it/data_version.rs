//! The version of the data: every commit changes it, whoever commits, and whatever happens to the log.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write, stdin};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use rusqlite::Connection;
use sqlite_engine::{DataVersion, Engine};
use tempfile::TempDir;

use crate::fixture::{SCHEMA, config, open, read_notes, write_note};

/// The variable by which the test `other_process` knows that it is one, with the path of its database.
const DATABASE: &str = "DATA_VERSION_DATABASE";

const COMMIT: &str = "INSERT INTO notes (text) VALUES ('other')";
const EMPTY_COMMIT: &str = "BEGIN IMMEDIATE; COMMIT";
const ROLLBACK: &str = "BEGIN; INSERT INTO notes (text) VALUES ('never'); ROLLBACK";
/// A process that is killed within a transaction leaves as much.
const UNFINISHED: &str = "PRAGMA cache_size = 1; BEGIN; INSERT INTO notes (text) VALUES ('never');
    INSERT INTO notes (text) SELECT hex(randomblob(9000)) FROM notes LIMIT 20";
const DELETION: &str = "DELETE FROM notes WHERE id % 2 = 0";
const CHECKPOINTS: [&str; 4] = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"];

/// Something that happens to the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The engine commits.
    Write,
    /// Another connection runs SQL: in another process, or in this one.
    Other(&'static str),
    Same(&'static str),
    /// Another connection copies the log: in another process, or in this one.
    OtherCheckpoint(&'static str),
    SameCheckpoint(&'static str),
    /// Another process ends between the two copies of the header of the log's index.
    Tear,
}

impl Step {
    fn all() -> Vec<Step> {
        let sql = [COMMIT, EMPTY_COMMIT, ROLLBACK, UNFINISHED, DELETION];
        let mut all = vec![Step::Write, Step::Other("VACUUM"), Step::Tear];
        all.extend(sql.map(Step::Other));
        all.extend(sql.map(Step::Same));
        all.extend(CHECKPOINTS.map(Step::OtherCheckpoint));
        all.extend(CHECKPOINTS.map(Step::SameCheckpoint));
        all
    }

    /// Whether the version must be the one before, as nothing is written.
    fn writes_nothing(self) -> bool {
        matches!(self, Step::Other(ROLLBACK) | Step::Same(ROLLBACK))
    }

    fn starts_log_anew(self) -> bool {
        matches!(
            self,
            Step::OtherCheckpoint("TRUNCATE") | Step::SameCheckpoint("TRUNCATE")
        )
    }
}

/// An engine, another process that uses its database, and the notes by version.
struct Fixture {
    directory: TempDir,
    engine: Engine,
    child: Child,
    replies: BufReader<ChildStdout>,
    seen: HashMap<DataVersion, Vec<String>>,
    /// Whether the log has not started anew since a tear.
    is_torn: bool,
}

impl Fixture {
    fn new() -> Fixture {
        let directory = TempDir::new().unwrap();
        let engine = open(&directory, "db");
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["data_version::other_process", "--exact", "--nocapture"])
            .env(DATABASE, directory.path().join("db"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let replies = BufReader::new(child.stdout.take().unwrap());
        Fixture {
            directory,
            engine,
            child,
            replies,
            seen: HashMap::new(),
            is_torn: false,
        }
    }

    async fn run(&mut self, step: Step) {
        self.is_torn = step == Step::Tear || self.is_torn && !step.starts_log_anew();
        match step {
            Step::Write => write_note(&self.engine, "own").await,
            Step::Other(sql) => self.run_in_child(sql),
            Step::Same(sql) => run_sql(&self.directory.path().join("db"), sql),
            Step::OtherCheckpoint(mode) => {
                self.run_in_child(&format!("PRAGMA wal_checkpoint({mode})"));
            }
            Step::SameCheckpoint(mode) => {
                let sql = format!("PRAGMA wal_checkpoint({mode})");
                run_sql(&self.directory.path().join("db"), &sql);
            }
            Step::Tear => {
                self.run_in_child("tear");
                assert_eq!(self.engine.data_version(), None);
                // SQLite repairs it.
                read_notes(&self.engine);
            }
        }
    }

    fn run_in_child(&mut self, sql: &str) {
        let mut input = self.child.stdin.as_ref().unwrap();
        writeln!(input, "{}", sql.replace('\n', " ")).unwrap();
        let mut line = String::new();
        while line != "done\n" {
            line.clear();
            assert_ne!(self.replies.read_line(&mut line).unwrap(), 0, "it ended");
        }
    }

    /// The version. While the writer copies the log after a commit, it is not known for a moment.
    fn version(&self) -> Option<DataVersion> {
        const TRIES: usize = 1_000;
        (0..TRIES).find_map(|_| self.engine.data_version())
    }

    /// Checks that the version was never that of other notes, and returns it. After a tear it may not be known until the
    /// log starts anew.
    fn check(&mut self, context: &str) -> Option<DataVersion> {
        let version = self.version();
        let notes = read_notes(&self.engine);
        assert_eq!(self.version(), version, "{context}: read");
        let Some(known) = version else {
            assert!(self.is_torn, "{context}: not known");
            return None;
        };
        let before = self.seen.entry(known).or_insert_with(|| notes.clone());
        assert!(*before == notes, "{context}: an earlier version");
        version
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // At the end of its input the process ends.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Runs SQL over a new connection, which is closed afterwards; `tear` changes one copy of the header of the log's index.
fn run_sql(path: &Path, sql: &str) {
    if sql == "tear" {
        let index = path.with_file_name("db-shm");
        let index = std::fs::File::options().write(true).open(index).unwrap();
        index.write_all_at(&[0xff; 4], 8).unwrap();
        return;
    }
    let db = Connection::open(path).unwrap();
    db.execute_batch(sql).unwrap();
}

/// Not a test of its own: what another process does.
#[test]
fn other_process() {
    let Some(path) = std::env::var_os(DATABASE) else {
        return;
    };
    for line in stdin().lines() {
        run_sql(path.as_ref(), &line.unwrap());
        println!("\ndone");
    }
}

#[tokio::test]
async fn equal_versions_have_the_same_data_after_each_two_steps() {
    let mut fixture = Fixture::new();
    for first in Step::all() {
        for second in Step::all() {
            fixture.run(first).await;
            let between = fixture.check(&format!("{first:?}"));
            fixture.run(second).await;
            let end = fixture.check(&format!("{first:?}, {second:?}"));
            if second.writes_nothing() {
                assert_eq!(end, between, "{first:?}, {second:?}");
            }
        }
    }
    let commits = fixture.seen.len();
    assert!(commits > 200, "{commits} versions");
}

#[tokio::test]
async fn version_is_known_to_the_server_only() {
    let directory = TempDir::new().unwrap();
    let server = open(&directory, "db");
    let before = server.data_version().unwrap();
    let beside = Engine::open_beside_server(SCHEMA, &config(directory.path().join("db"))).unwrap();
    assert_eq!(beside.data_version(), None);
    write_note(&beside, "beside").await;
    assert_ne!(server.data_version(), Some(before));
}
