//! The version of the data: every commit changes it, whoever commits, and whatever happens to the log.

use std::collections::HashMap;
use std::process::Command;

use dropspec_store::sqlite::{DataVersion, Engine};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::fixture::{SCHEMA, config, open, read_notes, write_note};

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
    /// Another connection runs SQL.
    Other(&'static str),
    /// Another connection copies the log.
    Checkpoint(&'static str),
    /// Another process ends between the two copies of the header of the log's index.
    Tear,
}

impl Step {
    fn all() -> Vec<Step> {
        let sql = [
            COMMIT,
            EMPTY_COMMIT,
            ROLLBACK,
            UNFINISHED,
            DELETION,
            "VACUUM",
        ];
        let mut all = vec![Step::Write, Step::Tear];
        all.extend(sql.map(Step::Other));
        all.extend(CHECKPOINTS.map(Step::Checkpoint));
        all
    }
}

/// An engine, and the notes by version.
struct Fixture {
    directory: TempDir,
    engine: Engine,
    seen: HashMap<DataVersion, Vec<String>>,
    /// Whether the log has not started anew since a tear.
    is_torn: bool,
}

impl Fixture {
    async fn run(&mut self, step: Step) {
        let starts_anew = step == Step::Checkpoint("TRUNCATE");
        self.is_torn = step == Step::Tear || self.is_torn && !starts_anew;
        match step {
            Step::Write => write_note(&self.engine, "own").await,
            Step::Other(sql) => self.run_sql(sql),
            Step::Checkpoint(mode) => self.run_sql(&format!("PRAGMA wal_checkpoint({mode})")),
            Step::Tear => {
                // In another process: closing a descriptor of the file would release the locks of this one.
                let mut shell = Command::new("sh");
                let tear =
                    "printf '\\377\\377\\377\\377' | dd of=db-shm bs=1 seek=8 conv=notrunc 2>&1";
                shell.args(["-c", tear]).current_dir(&self.directory);
                assert!(shell.output().unwrap().status.success());
                assert_eq!(self.engine.data_version(), None);
                // SQLite repairs it.
                read_notes(&self.engine);
            }
        }
    }

    /// Runs SQL over a new connection, which is closed afterwards.
    fn run_sql(&self, sql: &str) {
        let db = Connection::open(self.directory.path().join("db")).unwrap();
        db.execute_batch(sql).unwrap();
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

#[tokio::test]
async fn equal_versions_have_the_same_data_after_each_two_steps() {
    let directory = TempDir::new().unwrap();
    let mut fixture = Fixture {
        engine: open(&directory, "db"),
        directory,
        seen: HashMap::new(),
        is_torn: false,
    };
    for first in Step::all() {
        for second in Step::all() {
            fixture.run(first).await;
            let between = fixture.check(&format!("{first:?}"));
            fixture.run(second).await;
            let end = fixture.check(&format!("{first:?}, {second:?}"));
            if second == Step::Other(ROLLBACK) {
                assert_eq!(end, between, "{first:?}, {second:?}");
            }
        }
    }
    let commits = fixture.seen.len();
    assert!(commits > 50, "{commits} versions");
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
