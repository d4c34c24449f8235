//! A clock of a process that a test sets, by libfaketime.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::programs::give;
use crate::skip::skip;

const LIBRARY: &str = "faketime/libfaketimeMT.so.1";

/// The wall clock of processes, as far ahead of that of the machine as the test says. Their monotonic clock is that of the machine.
pub struct FakeClock {
    library: PathBuf,
    directory: TempDir,
}

impl FakeClock {
    /// A clock that is this many seconds ahead; `None` if libfaketime is not installed. Then the test is reported as skipped and
    /// must return.
    ///
    /// # Panics
    ///
    /// See [`skip`].
    pub fn ahead_by(seconds: i64, test: &str) -> Option<FakeClock> {
        let folders = fs::read_dir("/usr/lib").into_iter().flatten();
        let mut libraries = folders.filter_map(|entry| Some(entry.ok()?.path().join(LIBRARY)));
        let Some(library) = libraries.find(|it| it.exists()) else {
            skip(test, "libfaketime is not installed");
            return None;
        };
        let clock = FakeClock {
            library,
            directory: TempDir::new().unwrap(),
        };
        give(clock.directory.path());
        clock.set(seconds);
        Some(clock)
    }

    /// Sets the clock: so many seconds ahead of that of the machine.
    pub fn set(&self, seconds: i64) {
        let (new, file) = (self.directory.path().join("new"), self.file());
        fs::write(&new, format!("{seconds:+}\n")).unwrap();
        fs::rename(new, file).unwrap();
    }

    /// A command of `env` that runs by the clock what its next argument names. `start` makes the command, as another user may
    /// have to run it: libfaketime shares memory with one user only.
    pub fn command(&self, start: impl FnOnce(&'static Path) -> Command) -> Command {
        let mut command = start(Path::new("env"));
        // An allocator of the program's own reads the clock before libfaketime is ready, so that of the system comes first.
        command.arg(format!("LD_PRELOAD={}:libc.so.6", self.library.display()));
        command.arg(format!("FAKETIME_TIMESTAMP_FILE={}", self.file().display()));
        command.args(["FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1"]);
        command
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("offset")
    }
}

impl Drop for FakeClock {
    /// Removes what libfaketime leaves behind of processes that have ended.
    fn drop(&mut self) {
        for entry in fs::read_dir("/dev/shm").into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let process = name.rsplit('_').next().unwrap_or_default();
            if name.contains("faketime_") && !Path::new("/proc").join(process).exists() {
                // Another test may remove it, too.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
