//! What the writer promises its callers, also when a job, a commit or the disk fails.
#![allow(clippy::unwrap_used)]

use std::sync::mpsc as gate;

use tempfile::TempDir;
use tokio::task::JoinHandle as Task;

use super::*;
use crate::refusal::Refusal;

const REFUSAL: Refusal = Refusal::PetNotFound { id: 1 };

/// A writer over a database with a table of its own, which can be held up so that a batch forms behind it.
struct Fixture {
    writer: Arc<Writer>,
    directory: TempDir,
}

impl Fixture {
    fn new() -> Fixture {
        Fixture::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut StoreConfig)) -> Fixture {
        let directory = TempDir::new().unwrap();
        let mut config = StoreConfig::at(directory.path().join("db"));
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
        Fixture {
            writer: Arc::new(Writer::start(connection, &config).unwrap()),
            directory,
        }
    }

    /// Puts a job into the queue and returns when it is there.
    async fn queue<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Task<Result<T, StoreError>> {
        let queued = self.writer.stats().queued;
        let writer = Arc::clone(&self.writer);
        let task = tokio::spawn(async move { writer.submit(work).await });
        self.until(|stats| stats.queued > queued).await;
        task
    }

    /// Keeps the writer from what is queued next, until the answer is sent or dropped.
    async fn hold_up(&self) -> gate::Sender<()> {
        let (release, released) = gate::channel::<()>();
        let (begun, begins) = oneshot::channel();
        let writer = Arc::clone(&self.writer);
        tokio::spawn(async move {
            let wait = move |_: &Connection| {
                begun.send(()).unwrap();
                let _ = released.recv();
                Ok::<(), StoreError>(())
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

fn note(db: &Connection, text: &str) -> Result<(), StoreError> {
    db.execute("INSERT INTO notes (text) VALUES (?1)", [text])?;
    Ok(())
}

/// Writes a note that does not fit any more once the database may not grow.
fn huge_note(db: &Connection) -> Result<(), StoreError> {
    let pages: i64 = db.query_row("PRAGMA page_count", [], |row| row.get(0))?;
    db.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
    let written = note(db, &"x".repeat(1 << 20));
    db.query_row("PRAGMA max_page_count = 1000000", [], |_| Ok(()))?;
    written
}

#[tokio::test]
async fn what_waits_shares_one_commit() {
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
async fn a_batch_has_its_bound() {
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
async fn nobody_is_answered_before_the_commit() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let (finish, finished) = gate::channel::<()>();
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
    assert!(
        !first.is_finished(),
        "its job ran, but the commit is to come"
    );
    assert!(fixture.notes().is_empty(), "nor does anybody see it yet");
    finish.send(()).unwrap();
    first.await.unwrap().unwrap();
    second.await.unwrap().unwrap();
    assert_eq!(fixture.notes(), ["first", "second"]);
}

#[tokio::test]
async fn a_refused_job_is_undone_and_its_neighbours_are_kept() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let before = fixture.queue(|db| note(db, "before")).await;
    let refused = fixture
        .queue(|db| {
            note(db, "refused")?;
            Err::<(), _>(REFUSAL.into())
        })
        .await;
    let after = fixture.queue(|db| note(db, "after")).await;
    release.send(()).unwrap();
    before.await.unwrap().unwrap();
    after.await.unwrap().unwrap();
    assert!(matches!(
        refused.await.unwrap(),
        Err(StoreError::Refused(REFUSAL))
    ));
    assert_eq!(fixture.notes(), ["before", "after"]);
    assert_eq!(fixture.writer.stats().last_batch, 3);
}

#[tokio::test]
async fn a_panicking_job_is_undone_and_the_writer_goes_on() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let before = fixture.queue(|db| note(db, "before")).await;
    let panicking = fixture
        .queue(|db| -> Result<(), StoreError> {
            note(db, "panicking")?;
            panic!("a defect, on purpose")
        })
        .await;
    let after = fixture.queue(|db| note(db, "after")).await;
    release.send(()).unwrap();
    before.await.unwrap().unwrap();
    after.await.unwrap().unwrap();
    let Err(StoreError::Internal(cause)) = panicking.await.unwrap() else {
        panic!("the caller learns that it was a defect")
    };
    assert_eq!(cause.to_string(), "a write panicked: a defect, on purpose");
    assert_eq!(fixture.notes(), ["before", "after"]);
}

#[tokio::test]
async fn a_failed_commit_fails_everyone_in_it_and_nobody_after() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let before = fixture.queue(|db| note(db, "before")).await;
    let refused = fixture.queue(|_| Err::<(), _>(REFUSAL.into())).await;
    // The missing parent is noticed at the commit and no sooner.
    let orphan = fixture
        .queue(|db| Ok(db.execute("INSERT INTO notes VALUES ('orphan', 99)", [])?))
        .await;
    release.send(()).unwrap();
    assert!(matches!(
        before.await.unwrap(),
        Err(StoreError::Internal(_))
    ));
    assert!(matches!(
        orphan.await.unwrap(),
        Err(StoreError::Internal(_))
    ));
    assert!(
        matches!(refused.await.unwrap(), Err(StoreError::Internal(_))),
        "a refusal found on a state that never came to be is none"
    );
    fixture.writer.submit(|db| note(db, "next")).await.unwrap();
    assert_eq!(fixture.notes(), ["next"]);
    assert_eq!(fixture.writer.stats().undone, 1);
}

#[tokio::test]
async fn a_full_disk_fails_those_whom_it_undid_and_nobody_after() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let before = fixture.queue(|db| note(db, "before")).await;
    let huge = fixture.queue(huge_note).await;
    let after = fixture.queue(|db| note(db, "after")).await;
    release.send(()).unwrap();
    assert!(matches!(
        before.await.unwrap(),
        Err(StoreError::Unavailable(_))
    ));
    let Err(StoreError::Unavailable(cause)) = huge.await.unwrap() else {
        panic!("a full disk may be mended")
    };
    assert!(cause.to_string().contains("full"), "{cause}");
    after.await.unwrap().unwrap();
    assert_eq!(
        fixture.notes(),
        ["after"],
        "an Ok stands for what is on the disk"
    );
    assert_eq!(fixture.writer.stats().undone, 1);
}

#[tokio::test]
async fn a_job_that_overlooks_a_full_disk_is_not_believed() {
    let fixture = Fixture::new();
    let overlooked = fixture
        .writer
        .submit(|db| {
            let _ = huge_note(db);
            Ok::<(), StoreError>(())
        })
        .await;
    assert!(matches!(overlooked, Err(StoreError::Unavailable(_))));
    fixture.writer.submit(|db| note(db, "next")).await.unwrap();
    assert_eq!(fixture.notes(), ["next"]);
}

#[tokio::test]
async fn a_full_queue_makes_callers_wait() {
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
        "no more than the queue holds"
    );
    release.send(()).unwrap();
    queued.await.unwrap().unwrap();
    waiting.await.unwrap().unwrap();
    assert_eq!(fixture.notes(), ["queued", "waiting"]);
}

#[tokio::test]
async fn closing_writes_what_is_queued_and_lets_nobody_in() {
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
    assert!(matches!(late, Err(StoreError::Unavailable(_))));
    assert_eq!(fixture.notes(), ["queued"]);
    fixture.writer.close().await.unwrap();
}

#[tokio::test]
async fn a_write_whose_caller_went_away_is_kept() {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let abandoned = fixture.queue(|db| note(db, "abandoned")).await;
    abandoned.abort();
    assert!(abandoned.await.unwrap_err().is_cancelled());
    release.send(()).unwrap();
    fixture.writer.close().await.unwrap();
    assert_eq!(fixture.notes(), ["abandoned"]);
}
