//! Failures at every step: a process does a short load, and one of its file operations fails, or the power is cut, at
//! each point in turn. After a restart every acknowledged write is there, and nothing else.
//!
//! The model is SQLite's own tests (<https://www.sqlite.org/testing.html>, "I/O error testing", "crash testing"). A
//! failure names its point; `FAULT_POINT` with that name runs this point alone.

mod check;
mod known;
mod lab;
mod load;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use test_support::faults::{Call, Failure, Fault, PowerCut};

use self::lab::{Lab, Start};
use self::load::Load;

/// With this variable, the test binary is the process under test.
const LOAD: &str = "FAULT_LOAD";

/// The faults that are injected in every load, at each call of their kind in turn; and whether all later calls fail, too.
const FAULTS: [(Call, Failure, bool); 8] = [
    (Call::Read, Failure::Io, false),
    (Call::Write, Failure::Io, false),
    (Call::Sync, Failure::Io, false),
    (Call::Sync, Failure::Io, true),
    (Call::Truncate, Failure::Io, false),
    (Call::Name, Failure::Io, false),
    (Call::Name, Failure::Io, true),
    (Call::Open, Failure::TooManyFiles, false),
];

/// Faults that are injected in the load of a server only, to save time.
const FAULTS_OF_A_SERVER: [(Call, Failure, bool); 9] = [
    (Call::Read, Failure::Io, true),
    (Call::Read, Failure::Half, false),
    (Call::Write, Failure::Io, true),
    (Call::Write, Failure::Full, false),
    (Call::Write, Failure::Full, true),
    (Call::Write, Failure::Half, false),
    (Call::Write, Failure::HalfThenFull, false),
    (Call::Sync, Failure::Full, false),
    (Call::Truncate, Failure::Io, true),
];

/// More calls of a kind than any load makes.
const MAX_CALLS: usize = 1_000;

/// The number of wrong points that are shown.
const SHOWN: usize = 20;

/// The number of threads that run processes and check files.
const THREADS: usize = 2;

/// The loads whose calls fail.
const LOADS: [Load; 3] = [Load::Create, Load::Serve, Load::Restore];

/// Not a test: what the process under test does.
#[test]
fn process_under_test() {
    let Ok(name) = std::env::var(LOAD) else {
        return;
    };
    let load = Load::ALL.into_iter().find(|it| format!("{it:?}") == name);
    let [directory, reports] = ["FAULT_ROOT", "FAULT_REPORT"].map(|it| std::env::var(it).unwrap());
    load.unwrap()
        .run(&PathBuf::from(directory), &PathBuf::from(reports));
}

#[test]
fn acknowledged_writes_survive_a_power_cut_after_every_call() {
    let Some(lab) = Lab::new("power cuts") else {
        return;
    };
    let tried = Tried::default();
    for start in Start::all(&lab) {
        let history = lab.run(&start, None).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (lab, start, history, tried) = (&lab, &start, &history, &tried);
                scope.spawn(move || {
                    history.walk(|calls, disk, known| {
                        for cut in cuts(calls as u64) {
                            let point =
                                format!("{:?}, power cut after {calls}, {cut:?}", start.load);
                            if calls % THREADS == thread && is_chosen(&point) {
                                let kind = format!("{:?}", start.load);
                                tried.note(kind, &point, lab.check(history, disk, known, cut));
                            }
                        }
                    });
                });
            }
        });
    }
    tried.finish("power cuts");
}

#[test]
fn acknowledged_writes_survive_a_failure_of_every_call() {
    let Some(lab) = Lab::new("failing calls") else {
        return;
    };
    let tried = Tried::default();
    let starts = Start::all(&lab);
    let mut series = Vec::new();
    for start in &starts {
        series.extend(FAULTS.map(|fault| (start, fault)));
        if start.load == Load::Serve {
            series.extend(FAULTS_OF_A_SERVER.map(|fault| (start, fault)));
        }
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 * THREADS {
            scope.spawn(|| {
                while let Some(&(start, (call, failure, lasting))) =
                    series.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let try_at = |at| {
                        let fault = Fault {
                            call,
                            at,
                            lasting,
                            failure,
                        };
                        try_fault(&lab, start, fault, &tried)
                    };
                    // Until the load makes fewer calls of this kind.
                    let _ = (1..).take_while(|&at| try_at(at)).count();
                }
            });
        }
    });
    tried.finish("failing calls");
}

/// Runs a load with a fault, starts again, and cuts the power. Returns whether the load made the call that fails.
fn try_fault(lab: &Lab, start: &Start, fault: Fault, tried: &Tried) -> bool {
    let point = format!("{:?}, {fault}", start.load);
    if !is_chosen(&point) {
        return fault.at < MAX_CALLS;
    }
    let wrong = match lab.run(start, Some(fault)) {
        Ok(history) if !history.has_fault() => return false,
        Ok(history) => lab.check_after_fault(&history, fault.at as u64),
        Err(error) => error,
    };
    tried.note(
        format!("{:?} {:?}", fault.call, fault.failure),
        &point,
        wrong,
    );
    true
}

/// What a power cut leaves at one point.
fn cuts(point: u64) -> Vec<PowerCut> {
    let seeded = (0..2).flat_map(|seed| {
        let seed = point * 10 + seed;
        [PowerCut::KeepsOldest(seed), PowerCut::KeepsAny(seed)]
    });
    [PowerCut::KeepsAll, PowerCut::KeepsNothing]
        .into_iter()
        .chain(seeded)
        .collect()
}

/// The points that were tried, and what was wrong at some of them.
#[derive(Debug, Default)]
struct Tried {
    /// The number of points of each kind.
    points: Mutex<BTreeMap<String, usize>>,
    faults: Mutex<BTreeSet<String>>,
}

impl Tried {
    fn note(&self, kind: String, point: &str, fault: String) {
        *self.points.lock().unwrap().entry(kind).or_default() += 1;
        if !fault.is_empty() {
            let wrong = format!("FAULT_POINT='{point}': {fault}");
            // At once, as the rest may take a while.
            let _ = writeln!(std::io::stderr(), "{wrong}");
            self.faults.lock().unwrap().insert(wrong);
        }
    }

    /// Prints how many points were tried, even where the output of tests is captured.
    fn finish(self, name: &str) {
        let points = self.points.into_inner().unwrap();
        let faults: Vec<_> = self.faults.into_inner().unwrap().into_iter().collect();
        let all: usize = points.values().sum();
        let wrong = faults.len();
        let _ = writeln!(
            std::io::stderr(),
            "{name}: {all} points tried, {wrong} wrong: {points:?}"
        );
        let enough = match std::env::var_os("FAULT_POINT") {
            Some(_) => 1,
            None => 1000,
        };
        assert!(all >= enough, "{name}: only {all} points were tried");
        let first = &faults[..faults.len().min(SHOWN)];
        assert!(
            faults.is_empty(),
            "{wrong} points are wrong, such as\n{}",
            first.join("\n")
        );
    }
}

fn is_chosen(point: &str) -> bool {
    std::env::var("FAULT_POINT").map_or(true, |chosen| chosen == point)
}
