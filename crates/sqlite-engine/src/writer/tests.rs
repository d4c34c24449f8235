//! The writer's guarantees, also when a job, a commit or the disk fails.
#![allow(clippy::unwrap_used)]

use std::sync::mpsc as signal;

use tempfile::TempDir;
use tokio::task::JoinHandle as Task;

use super::*;

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
        let files = WriterFiles {
            connection,
            files: Arc::new(OpenFiles::new(&config.path).unwrap()),
            lock: None,
        };
        Fixture {
            writer: Arc::new(Writer::start(files, Health::new(), &config).unwrap()),
            directory,
        }
    }

    /// Queues a job, and returns when it is in the queue.
    async fn queue<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, EngineError> + Send + 'static,
    ) -> Task<Result<T, EngineError>> {
        self.queue_fallible(work).await
    }

    /// [`Fixture::queue`] for a job with an error of its own.
    async fn queue_fallible<T: Send + 'static, E: From<EngineError> + Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
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
        let (begun, begins) = oneshot::channel();
        let writer = Arc::clone(&self.writer);
        tokio::spawn(async move {
            let wait = move |_: &Connection| {
                begun.send(()).unwrap();
                let _ = released.recv();
                Ok::<(), EngineError>(())
            };
            writer.submit(wait).await.unwrap();
        });
        begins.await.unwrap();
        release
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
async fn queued_jobs_share_one_commit() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let mut tasks = Vec::new();
    for text in ["a", "b", "c"] {
        tasks.push(fixture.queue(move |db| note(db, text)).await);
    }
    release.send(()).unwrap();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(
        fixture.notes(),
        ["a", "b", "c"],
        "in the order of the queue"
    );
    let stats = fixture.writer.stats();
    assert_eq!((stats.commits, stats.writes, stats.last_batch), (2, 4, 3));
}

#[tokio::test]
async fn batch_is_limited_to_max_batch() {
    let fixture = Fixture::with(|config| config.max_batch = 2);
    let release = fixture.hold_up().await;
    let mut tasks = Vec::new();
    for text in ["a", "b", "c"] {
        tasks.push(fixture.queue(move |db| note(db, text)).await);
    }
    release.send(()).unwrap();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(
        fixture.writer.stats().commits,
        3,
        "one alone, then two, then one"
    );
}

#[tokio::test]
async fn jobs_are_acknowledged_only_after_the_commit() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let (finish, finished) = signal::channel::<()>();
    let (begun, begins) = oneshot::channel();
    let first = fixture.queue(|db| note(db, "first")).await;
    let second = fixture
        .queue(move |db| {
            begun.send(()).unwrap();
            finished.recv().unwrap();
            note(db, "second")
        })
        .await;
    release.send(()).unwrap();
    begins.await.unwrap();
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
async fn failed_job_is_rolled_back_alone() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let before = fixture.queue(|db| note(db, "before")).await;
    let rejected = fixture
        .queue_fallible(|db| {
            note(db, "rejected")?;
            Err::<(), _>(JobError::Rejected)
        })
        .await;
    let after = fixture.queue(|db| note(db, "after")).await;
    release.send(()).unwrap();
    before.await.unwrap().unwrap();
    after.await.unwrap().unwrap();
    assert!(matches!(rejected.await.unwrap(), Err(JobError::Rejected)));
    assert_eq!(fixture.notes(), ["before", "after"]);
    assert_eq!(fixture.writer.stats().last_batch, 3);
}

#[tokio::test]
async fn panicking_job_is_rolled_back_alone() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let before = fixture.queue(|db| note(db, "before")).await;
    let panicking = fixture
        .queue(|db| -> Result<(), EngineError> {
            note(db, "panicking")?;
            panic!("a defect, on purpose")
        })
        .await;
    let after = fixture.queue(|db| note(db, "after")).await;
    release.send(()).unwrap();
    before.await.unwrap().unwrap();
    after.await.unwrap().unwrap();
    let Err(EngineError::Internal(cause)) = panicking.await.unwrap() else {
        panic!("a panic is an internal error")
    };
    assert_eq!(cause.to_string(), "a write panicked: a defect, on purpose");
    assert_eq!(fixture.notes(), ["before", "after"]);
}

#[tokio::test]
async fn failed_commit_fails_all_its_jobs_and_no_later_one() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let before = fixture.queue(|db| note(db, "before")).await;
    let rejected = fixture
        .queue_fallible(|_| Err::<(), _>(JobError::Rejected))
        .await;
    // A deferred foreign key is checked at the commit.
    let orphan = fixture
        .queue(|db| Ok(db.execute("INSERT INTO notes VALUES ('orphan', 99)", [])?))
        .await;
    release.send(()).unwrap();
    assert!(matches!(
        before.await.unwrap(),
        Err(EngineError::Internal(_))
    ));
    assert!(matches!(
        orphan.await.unwrap(),
        Err(EngineError::Internal(_))
    ));
    assert!(
        matches!(
            rejected.await.unwrap(),
            Err(JobError::Engine(EngineError::Internal(_)))
        ),
        "its own error was based on a state that was rolled back"
    );
    fixture.writer.submit(|db| note(db, "next")).await.unwrap();
    assert_eq!(fixture.notes(), ["next"]);
    assert_eq!(fixture.writer.stats().undone, 1);
}

#[tokio::test]
async fn full_disk_fails_the_rolled_back_jobs_and_no_later_one() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let before = fixture.queue(|db| note(db, "before")).await;
    let huge = fixture.queue(huge_note).await;
    let after = fixture.queue(|db| note(db, "after")).await;
    release.send(()).unwrap();
    assert!(matches!(
        before.await.unwrap(),
        Err(EngineError::Unavailable(_))
    ));
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
    assert!(matches!(ignored, Err(EngineError::Unavailable(_))));
    fixture.writer.submit(|db| note(db, "next")).await.unwrap();
    assert_eq!(fixture.notes(), ["next"]);
}

#[tokio::test]
async fn caller_waits_while_the_queue_is_full() {
    let fixture = Fixture::with(|config| config.queue_capacity = 1);
    let release = fixture.hold_up().await;
    let queued = fixture.queue(|db| note(db, "queued")).await;
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
    let queued = fixture.queue(|db| note(db, "queued")).await;
    let writer = Arc::clone(&fixture.writer);
    let close = tokio::spawn(async move { writer.close().await });
    fixture.until(|stats| stats.queued == 2).await;
    release.send(()).unwrap();
    close.await.unwrap().unwrap();
    queued.await.unwrap().unwrap();
    let late = fixture.writer.submit(|db| note(db, "late")).await;
    assert!(matches!(late, Err(EngineError::Unavailable(_))));
    assert_eq!(fixture.notes(), ["queued"]);
    fixture.writer.close().await.unwrap();
}

#[tokio::test]
async fn job_of_a_cancelled_caller_still_runs() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let abandoned = fixture.queue(|db| note(db, "abandoned")).await;
    abandoned.abort();
    assert!(abandoned.await.unwrap_err().is_cancelled());
    release.send(()).unwrap();
    fixture.writer.close().await.unwrap();
    assert_eq!(fixture.notes(), ["abandoned"]);
}
