//! Jobs that fail are undone alone, whatever else is in their batch, and no job runs more often than that needs.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::*;

/// What a job does: it writes notes, then ends.
#[derive(Debug, Clone)]
struct Plan {
    notes: usize,
    end: End,
}

#[derive(Debug, Clone, Copy)]
enum End {
    Succeed,
    Reject,
    /// A statement of the job fails, which SQLite undoes alone.
    BreakConstraint,
    Panic,
}

/// What the caller of a job gets: the number of notes that the job found, if it can say so.
#[derive(Debug, PartialEq, Eq)]
enum Reply {
    Succeeded(usize),
    Rejected(usize),
    DatabaseFailed,
    Panicked,
}

enum PlanError {
    Rejected(usize),
    Engine(EngineError),
}

impl From<EngineError> for PlanError {
    fn from(error: EngineError) -> PlanError {
        PlanError::Engine(error)
    }
}

impl Plan {
    /// The work of the job with this number.
    fn run(&self, db: &Connection, number: usize) -> Result<usize, PlanError> {
        let found = count(db).map_err(EngineError::from)?;
        for _ in 0..self.notes {
            note(db, &number.to_string())?;
        }
        match self.end {
            End::Succeed => Ok(found),
            End::Reject => Err(PlanError::Rejected(found)),
            End::BreakConstraint => {
                let two = "INSERT INTO notes (text) VALUES ('undone'), (NULL)";
                db.execute(two, []).map_err(EngineError::from)?;
                Ok(found)
            }
            End::Panic => panic!("a defect, on purpose"),
        }
    }

    /// The same on a list of notes, without any other job.
    fn expect(&self, notes: &mut Vec<String>, number: usize) -> Reply {
        let found = notes.len();
        match self.end {
            End::Succeed => {
                notes.extend((0..self.notes).map(|_| number.to_string()));
                Reply::Succeeded(found)
            }
            End::Reject => Reply::Rejected(found),
            End::BreakConstraint => Reply::DatabaseFailed,
            End::Panic => Reply::Panicked,
        }
    }
}

impl From<Result<usize, PlanError>> for Reply {
    fn from(result: Result<usize, PlanError>) -> Reply {
        match result {
            Ok(found) => Reply::Succeeded(found),
            Err(PlanError::Rejected(found)) => Reply::Rejected(found),
            Err(PlanError::Engine(EngineError::Internal(cause))) => {
                if cause.to_string().starts_with("a write panicked") {
                    Reply::Panicked
                } else {
                    Reply::DatabaseFailed
                }
            }
            Err(PlanError::Engine(error)) => panic!("not an error of a job: {error:?}"),
        }
    }
}

fn count(db: &Connection) -> rusqlite::Result<usize> {
    db.query_row("SELECT count(*) FROM notes", [], |row| row.get(0))
}

fn plans() -> impl Strategy<Value = Vec<Plan>> {
    let end = prop_oneof![
        4 => Just(End::Succeed),
        1 => Just(End::Reject),
        1 => Just(End::BreakConstraint),
        1 => Just(End::Panic),
    ];
    let plan = (0..3_usize, end).prop_map(|(notes, end)| Plan { notes, end });
    prop::collection::vec(plan, 1..10)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn batches_reply_and_store_what_the_jobs_do_one_by_one(plans in plans(), max_batch in 1..6_usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (replies, notes) = runtime.block_on(async {
            let fixture = Fixture::with(|config| config.max_batch = max_batch);
            let release = fixture.hold_up().await;
            let mut tasks = Vec::new();
            for (number, plan) in plans.iter().cloned().enumerate() {
                tasks.push(fixture.queue_fallible(move |db| plan.run(db, number)).await);
            }
            release.send(()).unwrap();
            let mut replies = Vec::new();
            for task in tasks {
                replies.push(Reply::from(task.await.unwrap()));
            }
            (replies, fixture.notes())
        });
        let mut expected_notes = Vec::new();
        let expected: Vec<Reply> = plans
            .iter()
            .enumerate()
            .map(|(number, plan)| plan.expect(&mut expected_notes, number))
            .collect();
        prop_assert_eq!(replies, expected);
        prop_assert_eq!(notes, expected_notes);
    }
}

/// Runs jobs in one batch, and returns the number of commits, and how often each ran.
async fn count_runs(ends: &[(usize, End)]) -> (u64, Vec<usize>) {
    let fixture = Fixture::new();
    let release = fixture.hold_up().await;
    let mut jobs = Vec::new();
    for (number, &(notes, end)) in ends.iter().enumerate() {
        let runs = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&runs);
        let work = move |db: &Connection| {
            counter.fetch_add(1, Ordering::Relaxed);
            Plan { notes, end }.run(db, number)
        };
        jobs.push((fixture.queue_fallible(work).await, runs));
    }
    release.send(()).unwrap();
    let mut counts = Vec::new();
    for (task, runs) in jobs {
        let _ = task.await.unwrap();
        counts.push(runs.load(Ordering::Relaxed));
    }
    // The first one is that of the fixture.
    (fixture.writer.stats().commits - 1, counts)
}

#[tokio::test]
async fn failed_jobs_without_changes_make_no_job_run_again() {
    let runs = count_runs(&[
        (1, End::Succeed),
        (0, End::Reject),
        (0, End::BreakConstraint),
        (0, End::Panic),
        (1, End::Succeed),
    ]);
    assert_eq!(runs.await, (1, vec![1, 1, 1, 1, 1]));
}

#[tokio::test]
async fn failed_jobs_with_changes_make_no_job_run_more_than_twice() {
    let runs = count_runs(&[
        (1, End::Succeed),
        (1, End::Reject),
        (1, End::Succeed),
        (1, End::Panic),
        (1, End::BreakConstraint),
    ]);
    assert_eq!(runs.await, (2, vec![2, 2, 2, 2, 1]));
}
