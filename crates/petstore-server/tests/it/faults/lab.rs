//! Runs processes under test, and checks the files that they or a power cut leave.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use tempfile::TempDir;
use test_support::faults::{Call, Disk, Event, Fault, FaultLibrary, PowerCut, Trace};
use test_support::files::read_files;

use super::LOAD;
use super::check::{Files, find_difference, write_files};
use super::known::Known;
use super::load::Load;

/// A place for the files of the processes, and the library that is loaded into them.
pub struct Lab {
    faults: FaultLibrary,
    place: PathBuf,
}

/// A load, and the files that it begins with.
pub struct Start {
    pub load: Load,
    files: Files,
    known: Known,
}

/// What one or two processes did, one after the other.
pub struct History {
    before: Disk,
    known: Known,
    events: Vec<Event>,
    /// The number of events of the first process.
    first: usize,
    /// The results of checks, by the number of reports and the files: many power cuts leave the same files.
    checked: Mutex<Vec<(usize, Files, String)>>,
}

impl Lab {
    /// `None` if the test is skipped.
    pub fn new(test: &str) -> Option<Lab> {
        // In memory where that is possible: nothing has to reach a disk here.
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        };
        Some(Lab {
            faults: FaultLibrary::build(test)?,
            place,
        })
    }

    /// Runs a load; with a fault, starts again afterwards without it.
    pub fn run(&self, start: &Start, fault: Option<Fault>) -> Result<History, String> {
        let directory = TempDir::new_in(&self.place).unwrap();
        let files = directory.path().join("files");
        std::fs::create_dir(&files).unwrap();
        write_files(&files, &start.files);
        let before = Disk::read(&files);
        let trace = directory.path().join("trace");
        self.run_process(start.load, directory.path(), fault)?;
        let first = Trace::read(&trace).events.len();
        // A failed read changes nothing on the disk: opening the files once, for the check, is enough.
        if fault.is_some_and(|it| !matches!(it.call, Call::Read | Call::Open)) {
            self.run_process(Load::Reopen, directory.path(), None)?;
        }
        let events = Trace::read(&trace).events;
        let history = History {
            before,
            known: start.known.clone(),
            events,
            first,
            checked: Mutex::default(),
        };
        history.check_model(&files);
        Ok(history)
    }

    fn run_process(
        &self,
        load: Load,
        directory: &Path,
        fault: Option<Fault>,
    ) -> Result<(), String> {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "faults::process_under_test", "--nocapture"])
            .env(LOAD, format!("{load:?}"))
            .env(
                "FAULT_REPORT",
                directory.canonicalize().unwrap().join("reports"),
            );
        self.faults.load(
            &mut command,
            &directory.join("files"),
            &directory.join("trace"),
        );
        if let Some(fault) = fault {
            fault.inject(&mut command, &directory.join("hold"));
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            Ok(())
        } else {
            Err(format!("{load:?} failed: {text}"))
        }
    }

    /// Checks what power cuts leave while and after a process with a fault runs, and the one after it.
    pub fn check_after_fault(&self, history: &History, seed: u64) -> String {
        let mut faults = String::new();
        history.walk(|calls, disk, known| {
            let is_end = calls == history.first || calls == history.events.len();
            let cuts: &[PowerCut] = if is_end {
                &[
                    PowerCut::KeepsAll,
                    PowerCut::KeepsNothing,
                    PowerCut::KeepsAny(seed),
                ]
            } else if calls > history.first
                && matches!(&history.events[calls - 1], Event::Reported(line) if line.starts_with(b"{\"Succeeds"))
            {
                &[PowerCut::KeepsNothing]
            } else {
                &[]
            };
            for cut in cuts {
                let fault = self.check(history, disk, known, *cut);
                if !fault.is_empty() {
                    faults += &format!("power cut after {calls}, {cut:?}: {fault}");
                }
            }
        });
        faults
    }

    /// Checks what a power cut leaves. Returns what is wrong; an empty text if nothing is.
    pub fn check(&self, history: &History, disk: &Disk, known: &Known, cut: PowerCut) -> String {
        let files = disk.after(cut);
        let mut checked = history.checked.lock().unwrap();
        // What was known before does not matter any more.
        checked.retain(|it| it.0 == known.reports());
        if let Some((_, _, fault)) = checked.iter().find(|it| it.1 == files) {
            return fault.clone();
        }
        drop(checked);
        let fault = self.check_files(&files, known);
        let mut checked = history.checked.lock().unwrap();
        checked.push((known.reports(), files, fault.clone()));
        fault
    }

    fn check_files(&self, files: &Files, known: &Known) -> String {
        let directory = TempDir::new_in(&self.place).unwrap();
        write_files(directory.path(), files);
        let checked = catch_unwind(AssertUnwindSafe(|| {
            find_difference(directory.path(), known)
        }));
        checked.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or(panic.downcast_ref::<&str>().map(|&it| it.to_owned()));
            format!("a panic: {}", text.unwrap_or_default())
        })
    }
}

impl Start {
    /// All loads that start without a fault, each with the files that the one before left.
    pub fn all(lab: &Lab) -> Vec<Start> {
        let mut starts = Vec::new();
        let (mut files, mut known) = (BTreeMap::new(), Known::default());
        for load in super::LOADS {
            let start = Start { load, files, known };
            let history = lab.run(&start, None).unwrap();
            let disk;
            (disk, known) = history.end();
            files = disk.after(PowerCut::KeepsAll);
            starts.push(start);
        }
        starts
    }
}

impl History {
    /// Whether the fault was injected.
    pub fn has_fault(&self) -> bool {
        self.events.contains(&Event::Fault)
    }

    /// Calls `visit` before the first event and after each one: with their number, the disk and what is known.
    pub fn walk(&self, mut visit: impl FnMut(usize, &Disk, &Known)) {
        let (mut disk, mut known) = (self.before.clone(), self.known.clone());
        visit(0, &disk, &known);
        for (number, event) in (1..).zip(&self.events) {
            match event {
                Event::Changed(change) => disk.apply(change),
                Event::Reported(lines) => known.add(lines),
                Event::Fault | Event::Waiting => {}
            }
            visit(number, &disk, &known);
        }
    }

    /// The disk and what is known at the end.
    fn end(&self) -> (Disk, Known) {
        let mut end = None;
        self.walk(|number, disk, known| {
            if number == self.events.len() {
                end = Some((disk.clone(), known.clone()));
            }
        });
        end.unwrap()
    }

    /// Checks that the trace tells what happened to the files.
    fn check_model(&self, directory: &Path) {
        let without_shared_memory = |files: &Files| -> Files {
            let is_file = |name: &str| !name.ends_with("-shm");
            let files = files.iter().filter(|(name, _)| is_file(name));
            files
                .map(|(name, bytes)| (name.clone(), bytes.clone()))
                .collect()
        };
        let (disk, _) = self.end();
        let expected = without_shared_memory(&read_files(directory));
        let modelled = without_shared_memory(&disk.after(PowerCut::KeepsAll));
        let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&modelled), names(&expected));
        assert!(modelled == expected, "the trace is incomplete");
    }
}
