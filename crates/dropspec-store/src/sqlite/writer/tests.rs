//! The writer's guarantees, also when a job, a commit or the disk fails.
mod undo;

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc as signal;

use tempfile::TempDir;
use tokio::task::JoinHandle as Task;

use super::*;
use crate::sqlite::fault::Fault;
use crate::sqlite::standing_read::StandingRead;

/// An error of a job that is not one of the database.
#[derive(Debug, Error)]
enum JobError {
    #[error("rejected")]
    Rejected,
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A writer over a database with the table `notes`. It can be held up, so that jobs queue behind it.
struct Fixture {
    writer: Arc<Writer>,
    directory: TempDir,
}

impl Fixture {
    fn new() -> Fixture {
        Fixture::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut EngineConfig)) -> Fixture {
        let directory = TempDir::new().unwrap();
        let mut config = EngineConfig::new(directory.path().join("db"));
        change(&mut config);
        let connection = Connection::open(&config.path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA cache_spill = OFF;
                 CREATE TABLE parents (id INTEGER PRIMARY KEY) STRICT;
                 CREATE TABLE notes (
                     text TEXT NOT NULL, parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED
                 ) STRICT;",
            )
            .unwrap();
        Fixture::start(directory, connection, &config)
    }

    /// A new writer for the database of another one that has ended.
    fn reopen(directory: TempDir) -> Fixture {
        let config = EngineConfig::new(directory.path().join("db"));
        let connection = Connection::open(&config.path).unwrap();
        let count = "SELECT count(*) FROM notes";
        connection.query_row(count, [], |_| Ok(())).unwrap();
        Fixture::start(directory, connection, &config)
    }

    fn start(directory: TempDir, connection: Connection, config: &EngineConfig) -> Fixture {
        let files = WriterFiles {
            standing_read: Arc::new(StandingRead::new(None)),
            connection,
            files: Arc::new(OpenFiles::new(&config.path).unwrap()),
            lock: None,
        };
        Fixture {
            writer: Arc::new(Writer::start(files, Health::new(), config).unwrap()),
            directory,
        }
    }

    /// Queues a job, and returns when it is in the queue.
    async fn queue<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> Result<T, EngineError> + Send + 'static,
    ) -> Task<Result<T, EngineError>> {
        self.queue_fallible(work).await
    }

    /// [`Fixture::queue`] for a job with an error of its own.
    async fn queue_fallible<T: Send + 'static, E: From<EngineError> + Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Task<Result<T, E>> {
        let queued = self.writer.stats().queued;
        let writer = Arc::clone(&self.writer);
        let task = tokio::spawn(async move { writer.submit(work).await });
        self.until(|stats| stats.queued > queued).await;
        task
    }

    /// Blocks the writer until the returned sender sends or is dropped.
    async fn hold_up(&self) -> signal::Sender<()> {
        let (release, released) = signal::channel::<()>();
        let (begun, mut begins) = mpsc::unbounded_channel();
        let writer = Arc::clone(&self.writer);
        tokio::spawn(async move {
            let wait = move |_: &Connection| {
                begun.send(()).unwrap();
                let _ = released.recv();
                Ok::<(), EngineError>(())
            };
            // It fails when a test lets the time for a write pass.
            let _ = writer.submit(wait).await;
        });
        begins.recv().await.unwrap();
        release
    }

    /// Runs a job that writes a note.
    async fn write(&self, text: &'static str) -> Result<(), EngineError> {
        self.writer.submit(move |db| note(db, text)).await
    }

    /// Queues a job that writes a note.
    async fn queue_note(&self, text: &'static str) -> Task<Result<(), EngineError>> {
        self.queue(move |db| note(db, text)).await
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    async fn until(&self, reached: impl Fn(WriterStats) -> bool) {
        while !reached(self.writer.stats()) {
            tokio::task::yield_now().await;
        }
    }

    /// The notes as another connection sees them.
    fn notes(&self) -> Vec<String> {
        let db = Connection::open(self.directory.path().join("db")).unwrap();
        let mut select = db.prepare("SELECT text FROM notes ORDER BY rowid").unwrap();
        select
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }
}

fn is_internal<T>(result: Result<T, EngineError>) -> bool {
    matches!(result, Err(EngineError::Internal(_)))
}

fn is_unavailable<T>(result: Result<T, EngineError>) -> bool {
    matches!(result, Err(EngineError::Unavailable(_)))
}

fn note(db: &Connection, text: &str) -> Result<(), EngineError> {
    db.execute("INSERT INTO notes (text) VALUES (?1)", [text])?;
    Ok(())
}

/// Writes a note that does not fit into a database that may not grow.
fn huge_note(db: &Connection) -> Result<(), EngineError> {
    let pages: i64 = db.query_row("PRAGMA page_count", [], |row| row.get(0))?;
    db.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
    let written = note(db, &"x".repeat(1 << 20));
    db.query_row("PRAGMA max_page_count = 1000000", [], |_| Ok(()))?;
    written
}

#[tokio::test]
async fn queued_jobs_share_commits_of_at_most_max_batch() {
    for (max_batch, expected) in [(256, (2, 4, 3)), (2, (3, 4, 1))] {
        let fixture = Fixture::with(|config| config.max_batch = max_batch);
        let release = fixture.hold_up().await;
        let mut tasks = Vec::new();
        for text in ["a", "b", "c"] {
            tasks.push(fixture.queue_note(text).await);
        }
        release.send(()).unwrap();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        let notes = fixture.notes();
        assert_eq!(notes, ["a", "b", "c"], "in the order of the queue");
        let stats = fixture.writer.stats();
        let found = (stats.commits, stats.writes, stats.last_batch);
        assert_eq!(found, expected, "at most {max_batch}");
    }
}

#[tokio::test]
async fn jobs_are_acknowledged_only_after_the_commit() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let (finish, finished) = signal::channel::<()>();
    let (begun, mut begins) = mpsc::unbounded_channel();
    let first = fixture.queue_note("first").await;
    let second = fixture
        .queue(move |db| {
            begun.send(()).unwrap();
            finished.recv().unwrap();
            note(db, "second")
        })
        .await;
    release.send(()).unwrap();
    begins.recv().await.unwrap();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!first.is_finished(), "its job ran, but is not committed");
    assert!(
        fixture.notes().is_empty(),
        "other connections do not see it yet"
    );
    finish.send(()).unwrap();
    first.await.unwrap().unwrap();
    second.await.unwrap().unwrap();
    assert_eq!(fixture.notes(), ["first", "second"]);
}

#[tokio::test]
async fn failed_commit_fails_all_its_jobs_and_no_later_one() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let before = fixture.queue_note("before").await;
    let rejected = fixture
        .queue_fallible(|_| Err::<(), _>(JobError::Rejected))
        .await;
    // A deferred foreign key is checked at the commit.
    let orphan = fixture
        .queue(|db| Ok(db.execute("INSERT INTO notes VALUES ('orphan', 99)", [])?))
        .await;
    release.send(()).unwrap();
    assert!(is_internal(before.await.unwrap()));
    assert!(is_internal(orphan.await.unwrap()));
    assert!(
        matches!(
            rejected.await.unwrap(),
            Err(JobError::Engine(EngineError::Internal(_)))
        ),
        "its own error was based on a state that was rolled back"
    );
    fixture.write("next").await.unwrap();
    assert_eq!(fixture.notes(), ["next"]);
    assert_eq!(fixture.writer.stats().undone, 1);
}

#[tokio::test]
async fn full_disk_fails_the_rolled_back_jobs_and_no_later_one() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let before = fixture.queue_note("before").await;
    let huge = fixture.queue(huge_note).await;
    let after = fixture.queue_note("after").await;
    release.send(()).unwrap();
    assert!(is_unavailable(before.await.unwrap()));
    let Err(EngineError::Unavailable(cause)) = huge.await.unwrap() else {
        panic!("a full disk is a temporary cause")
    };
    assert!(cause.to_string().contains("full"), "{cause}");
    after.await.unwrap().unwrap();
    assert_eq!(
        fixture.notes(),
        ["after"],
        "only acknowledged notes are stored"
    );
    assert_eq!(fixture.writer.stats().undone, 1);
}

#[tokio::test]
async fn job_that_ignores_its_disk_full_error_fails() {
    let fixture = Fixture::new();
    let ignored = fixture
        .writer
        .submit(|db| {
            let _ = huge_note(db);
            Ok::<(), EngineError>(())
        })
        .await;
    assert!(is_unavailable(ignored));
    fixture.write("next").await.unwrap();
    assert_eq!(fixture.notes(), ["next"]);
}

#[tokio::test]
async fn caller_waits_while_the_queue_is_full() {
    let fixture = Fixture::with(|config| config.queue_capacity = 1);
    let release = fixture.hold_up().await;
    let queued = fixture.queue_note("queued").await;
    let writer = Arc::clone(&fixture.writer);
    let waiting = tokio::spawn(async move { writer.submit(|db| note(db, "waiting")).await });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!waiting.is_finished());
    assert_eq!(
        fixture.writer.stats().queued,
        1,
        "the capacity of the queue"
    );
    release.send(()).unwrap();
    queued.await.unwrap().unwrap();
    waiting.await.unwrap().unwrap();
    assert_eq!(fixture.notes(), ["queued", "waiting"]);
}

#[tokio::test]
async fn close_runs_queued_jobs_and_rejects_new_ones() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let queued = fixture.queue_note("queued").await;
    let writer = Arc::clone(&fixture.writer);
    let close = tokio::spawn(async move { writer.close().await });
    fixture.until(|stats| stats.queued == 2).await;
    release.send(()).unwrap();
    close.await.unwrap().unwrap();
    queued.await.unwrap().unwrap();
    let late = fixture.write("late").await;
    assert!(is_unavailable(late));
    assert_eq!(fixture.notes(), ["queued"]);
    fixture.writer.close().await.unwrap();
}

#[tokio::test]
async fn job_of_a_cancelled_caller_still_runs() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let abandoned = fixture.queue_note("abandoned").await;
    abandoned.abort();
    assert!(abandoned.await.unwrap_err().is_cancelled());
    release.send(()).unwrap();
    fixture.writer.close().await.unwrap();
    assert_eq!(fixture.notes(), ["abandoned"]);
}

#[tokio::test]
async fn write_that_does_not_begin_in_time_is_cancelled() {
    for queue_capacity in [1, 2] {
        let fixture = Fixture::with(|config| config.queue_capacity = queue_capacity);
        let release = fixture.hold_up().await;
        let _queued = fixture.queue_note("queued").await;
        // From now on, the time passes whenever all tasks wait.
        tokio::time::pause();
        let late = fixture.write("late").await;
        let Err(EngineError::Unavailable(cause)) = late else {
            panic!("it has not begun, so nothing is stored: {late:?}")
        };
        assert_eq!(cause.to_string(), "the write did not begin within 10 s");
        tokio::time::resume();
        drop(release);
        fixture.writer.close().await.unwrap();
        assert!(
            !fixture.notes().contains(&"late".to_owned()),
            "{queue_capacity}"
        );
    }
}

#[tokio::test]
async fn write_that_begins_but_does_not_end_in_time_has_an_unknown_outcome() {
    let fixture = Fixture::new();
    let (release, released) = signal::channel::<()>();
    let (begun, mut begins) = mpsc::unbounded_channel();
    let writer = Arc::clone(&fixture.writer);
    let slow = tokio::spawn(async move {
        let work = move |db: &Connection| {
            begun.send(()).unwrap();
            let _ = released.recv();
            note(db, "slow")
        };
        writer.submit(work).await
    });
    begins.recv().await.unwrap();
    // From now on, the time passes whenever all tasks wait.
    tokio::time::pause();
    let slow = slow.await.unwrap();
    assert!(
        matches!(slow, Err(EngineError::OutcomeUnknown(_))),
        "{slow:?}"
    );
    assert_eq!(fixture.writer.stats().outcome_unknown, 1);
    tokio::time::resume();
    drop(release);
    fixture.writer.close().await.unwrap();
    assert_eq!(fixture.notes(), ["slow"], "it was stored nevertheless");
}

#[tokio::test]
async fn removed_log_is_saved_and_no_later_write_is_acknowledged() {
    for name in ["db-wal", "db-shm"] {
        let fixture = Fixture::new();
        fixture.write("acknowledged").await.unwrap();
        let removed = fixture.path(name);
        let unknown = fixture.writer.submit(move |db| {
            fs::remove_file(&removed).unwrap();
            note(db, "unknown")
        });
        let unknown = unknown.await;
        assert!(
            matches!(unknown, Err(EngineError::OutcomeUnknown(_))),
            "{unknown:?}"
        );
        let refused = fixture.write("refused").await.unwrap_err();
        assert!(Fault::of(&refused).is_some(), "{refused:?}");
        let Fixture { writer, directory } = fixture;
        writer.close().await.unwrap_err();
        drop(writer);
        let fixture = Fixture::reopen(directory);
        assert_eq!(fixture.notes(), ["acknowledged", "unknown"], "{name}");
    }
}

#[tokio::test]
async fn replaced_log_is_left_alone() {
    let fixture = Fixture::new();
    fixture.write("acknowledged").await.unwrap();
    let log = fixture.path("db-wal");
    fs::remove_file(&log).unwrap();
    fs::write(&log, "of another process").unwrap();
    let refused = fixture.write("refused").await.unwrap_err();
    assert!(Fault::of(&refused).is_some(), "{refused:?}");
    fixture.writer.close().await.unwrap_err();
    drop(fixture.writer);
    assert_eq!(fs::read_to_string(log).unwrap(), "of another process");
}

#[tokio::test]
async fn close_without_the_database_file_fails_and_saves_the_log_for_its_return() {
    let fixture = Fixture::new();
    let submit = fixture.write("acknowledged");
    submit.await.unwrap();
    fs::rename(fixture.path("db"), fixture.path("moved")).unwrap();
    let error = fixture.writer.close().await.unwrap_err();
    assert!(Fault::of(&error).is_some(), "{error:?}");
    let Fixture { writer, directory } = fixture;
    drop(writer);
    let [moved, alone] = ["moved", "alone"].map(|name| directory.path().join(name));
    fs::rename(moved, &alone).unwrap();
    let db = Connection::open(alone).unwrap();
    let text: String = db
        .query_row("SELECT text FROM notes", [], |row| row.get(0))
        .unwrap();
    assert_eq!(text, "acknowledged");
}

#[tokio::test]
async fn log_is_copied_when_it_is_long() {
    let fixture = Fixture::new();
    let copied = || fs::metadata(fixture.path("db")).unwrap().len() > 12 << 20;
    fixture
        .writer
        .submit(|db| note(db, &"x".repeat(1 << 20)))
        .await
        .unwrap();
    fixture
        .writer
        .submit(|_| Ok::<_, EngineError>(()))
        .await
        .unwrap();
    assert!(!copied(), "256 pages");
    fixture
        .writer
        .submit(|db| note(db, &"x".repeat(12 << 20)))
        .await
        .unwrap();
    // The log is copied after the reply, and before the next job.
    fixture
        .writer
        .submit(|_| Ok::<_, EngineError>(()))
        .await
        .unwrap();
    assert!(copied(), "more than 3,000 pages");
}
