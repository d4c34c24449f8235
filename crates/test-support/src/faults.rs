//! Makes the file operations of a process fail or wait, and records every change of its files.
//!
//! [`FaultLibrary`] compiles `faults/interpose.c` and loads it into a process with `LD_PRELOAD`. It concerns the calls
//! on files in one directory, the root. They are counted by their [`Call`]; a [`Fault`] says which of them fails, and
//! how. What the process changed in the root, and when it synced it, is in the [`Trace`], from which [`Disk`] computes
//! the files that a power cut would leave.

mod disk;
mod trace;

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

pub use self::disk::{Disk, PowerCut};
pub use self::trace::{Change, Event, Trace};
use crate::{poll_until, programs};

/// The kind of calls that a fault concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `read` and `pread`.
    Read,
    /// `write` and `pwrite`.
    Write,
    /// `fsync` and `fdatasync`, of directories as well.
    Sync,
    /// `ftruncate`.
    Truncate,
    /// `rename`, `link` and `unlink`.
    Name,
    /// `open`.
    Open,
}

/// What a fault does to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It fails with `EIO`.
    Io,
    /// It fails with `ENOSPC`: the disk is full.
    Full,
    /// It fails with `EMFILE`: the process has too many open files.
    TooManyFiles,
    /// It reads or writes half of the data, and says so.
    Half,
    /// It writes half of the data, and the next write finds the disk full.
    HalfThenFull,
    /// It waits as long as a [`Hold`] exists, then succeeds.
    Hang,
    /// It fails with `EIO` as long as a [`Hold`] exists.
    IoWhileHeld,
}

/// Which calls fail, and how. Its text is such as `Sync 3 Io`, or `Sync 3+ Io` if it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of calls, which are counted.
    pub call: Call,
    /// The number of the first call that fails; that of the first call is 1.
    pub at: usize,
    /// Whether all later calls of this kind fail, too.
    pub lasting: bool,
    /// What happens to them.
    pub failure: Failure,
}

/// The compiled library. It is removed when this is dropped.
#[derive(Debug)]
pub struct FaultLibrary {
    directory: TempDir,
}

/// Makes calls wait or fail that have the failure [`Failure::Hang`] or [`Failure::IoWhileHeld`], until it is dropped or this process ends.
#[derive(Debug)]
pub struct Hold {
    _locked: File,
}

impl Failure {
    /// The error number of Linux, or the negative number of an effect in `interpose.c`.
    fn number(self) -> i32 {
        match self {
            Failure::Io => 5,
            Failure::Full => 28,
            Failure::TooManyFiles => 24,
            Failure::Half => -1,
            Failure::HalfThenFull => -2,
            Failure::Hang => -3,
            Failure::IoWhileHeld => -4,
        }
    }
}

impl FaultLibrary {
    /// Compiles the library. Without a C compiler, or on another system than Linux, reports that `test` is skipped.
    ///
    /// # Panics
    ///
    /// Where no test may be skipped; see [`programs::skip`].
    pub fn build(test: &str) -> Option<FaultLibrary> {
        if !cfg!(target_os = "linux") {
            programs::skip(test, "it needs Linux");
            return None;
        }
        if programs::are_missing(&["cc"], test) {
            return None;
        }
        let directory = TempDir::new().unwrap();
        let source = directory.path().join("interpose.c");
        std::fs::write(&source, include_str!("faults/interpose.c")).unwrap();
        let library = FaultLibrary { directory };
        let mut compile = Command::new("cc");
        compile.args(["-shared", "-fPIC", "-O1", "-pthread", "-o"]);
        let compiled = compile.arg(library.path()).arg(source).output().unwrap();
        let messages = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{messages}");
        Some(library)
    }

    /// Loads the library into the process of `command`. It records the changes of files in the directory `root`.
    pub fn load(&self, command: &mut Command, root: &Path, trace: &Path) {
        // The kernel reports the paths of open files without symbolic links.
        let root = root.canonicalize().unwrap();
        command
            .env("LD_PRELOAD", self.path())
            .env("FAULT_ROOT", root)
            .env("FAULT_TRACE", trace);
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("interpose.so")
    }
}

impl Fault {
    /// What happens to the first call of this kind, and to every later one, as long as a [`Hold`] exists.
    pub fn while_held(call: Call, failure: Failure) -> Fault {
        Fault {
            call,
            at: 1,
            lasting: true,
            failure,
        }
    }

    /// Sets the fault for a process with the library. `hold` is the file of a [`Hold`].
    pub fn inject(self, command: &mut Command, hold: &Path) {
        command
            .env("FAULT_CALL", format!("{:?}", self.call).to_lowercase())
            .env("FAULT_AT", self.at.to_string())
            .env("FAULT_ERROR", self.failure.number().to_string())
            .env("FAULT_HOLD", hold);
        if self.lasting {
            command.env("FAULT_LASTING", "1");
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault {
            call,
            at,
            lasting,
            failure,
        } = self;
        let lasting = if *lasting { "+" } else { "" };
        write!(f, "{call:?} {at}{lasting} {failure:?}")
    }
}

impl Hold {
    /// Makes calls wait or fail from now on. `file` is the one given to [`Fault::inject`]; it is created if necessary.
    pub fn new(file: &Path) -> Hold {
        let file = File::create(file).unwrap();
        file.lock().unwrap();
        Hold { _locked: file }
    }

    /// Returns when a call waits. `trace` is the one given to [`FaultLibrary::load`].
    pub fn wait_for_call(&self, trace: &Path) {
        poll_until("a call that hangs", || {
            let events = Trace::read(trace).events;
            events.contains(&Event::Waiting).then_some(())
        });
    }
}
