//! The open files of the process. Each connection is one, and their number is limited (`ulimit -n`): a watch warns before
//! they run out, and spare files let the panel go on when they have.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use slog::Logger;

/// The open files of this process, as a directory.
const DIRECTORY: &str = "/dev/fd";

/// What is opened to hold a spare file.
const SPARE: &str = "/dev/null";

/// How often the watch counts the open files.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// The files that a server needs before the first connection: listeners, database, spare files.
const MIN_FILES: u64 = 128;

/// The percentages of the limit at which the watch warns, and below which it says that the danger is over.
const WARNING: u64 = 80;
const RELIEF: u64 = 70;

/// Spare files of the process, which the panel gives up when files have run out. It also counts and watches all open ones.
pub(super) struct SpareFiles {
    spare: Mutex<Vec<File>>,
    max_spare: usize,
    /// The sockets that are no connections, such as the listening ones.
    own_sockets: u64,
}

/// Checks that the process may open the files of a server without connections, so that a start fails before it has created
/// anything.
pub fn check_limit() -> anyhow::Result<()> {
    let max = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    anyhow::ensure!(
        max >= MIN_FILES,
        "this process may open only {max} files, and a server needs {MIN_FILES}: raise the limit (ulimit -n)"
    );
    Ok(())
}

/// How many files are open, and how many may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileCount {
    pub(super) open: u64,
    pub(super) max: u64,
}

/// What the log says about a change of the number of open files.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    RunningOut,
    Relieved,
}

impl SpareFiles {
    /// Reserves spare files. Call it when all listening sockets are open and no connection is.
    pub(super) fn reserve(spare: usize) -> io::Result<SpareFiles> {
        let files = (0..spare)
            .map(|_| File::open(SPARE))
            .collect::<Result<_, _>>()?;
        Ok(SpareFiles {
            spare: Mutex::new(files),
            max_spare: spare,
            // Where they cannot be listed, nothing is counted.
            own_sockets: count_sockets().unwrap_or(0),
        })
    }

    /// Runs `open`, which opens a file. If files have run out, it closes a spare one and tries again.
    ///
    /// Another thread may be faster to open a file in its place; then the next spare one is closed.
    ///
    /// # Errors
    ///
    /// Those of `open`.
    pub(super) fn make_room<T>(&self, mut open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        loop {
            match open() {
                Err(error) if have_run_out(&error) && self.spare.lock().pop().is_some() => {}
                result => return result,
            }
        }
    }

    /// Opens spare files again, as many as possible.
    pub(super) fn refill(&self) {
        let mut spare = self.spare.lock();
        while spare.len() < self.max_spare
            && let Ok(file) = File::open(SPARE)
        {
            spare.push(file);
        }
    }

    pub(super) fn count(&self) -> FileCount {
        let max = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        // Linux 6.2 and later know the number; otherwise they are listed.
        let known = fs::metadata(DIRECTORY).map_or(0, |it| it.len());
        let open = match known {
            0 => match self.make_room(|| fs::read_dir(DIRECTORY)) {
                Ok(files) => files.count() as u64,
                Err(error) if have_run_out(&error) => max,
                // They cannot be listed.
                Err(_) => 0,
            },
            known => known,
        };
        FileCount { open, max }
    }

    /// Counts the open connections, those of the panel included. It looks at each open file: a millisecond for a thousand.
    pub(super) fn count_open_connections(&self) -> u64 {
        let sockets = self.make_room(count_sockets).unwrap_or(0);
        sockets.saturating_sub(self.own_sockets)
    }

    /// Counts the open files each second, and logs when they are about to run out.
    pub(super) async fn watch(&self, log: &Logger) {
        let mut interval = tokio::time::interval(WATCH_INTERVAL);
        let mut is_warned = false;
        loop {
            interval.tick().await;
            self.refill();
            let files = self.count();
            match files.change(is_warned) {
                Some(Change::RunningOut) => {
                    is_warned = true;
                    slog::warn!(log, "open files are running out, and with them connections";
                        "open" => files.open, "max" => files.max);
                }
                Some(Change::Relieved) => {
                    is_warned = false;
                    slog::warn!(log, "open files are no longer running out";
                        "open" => files.open, "max" => files.max);
                }
                None => {}
            }
        }
    }
}

impl FileCount {
    fn change(self, is_warned: bool) -> Option<Change> {
        let is_above =
            |percentage: u128| u128::from(self.open) * 100 >= u128::from(self.max) * percentage;
        match is_warned {
            false if is_above(WARNING.into()) => Some(Change::RunningOut),
            true if !is_above(RELIEF.into()) => Some(Change::Relieved),
            _ => None,
        }
    }
}

fn count_sockets() -> io::Result<u64> {
    let is_socket = |file: &fs::DirEntry| {
        // It follows the link, and opens nothing.
        fs::metadata(file.path()).is_ok_and(|it| it.file_type().is_socket())
    };
    Ok(fs::read_dir(DIRECTORY)?.flatten().filter(is_socket).count() as u64)
}

/// Whether the process or the whole system may open no more files.
fn have_run_out(error: &io::Error) -> bool {
    let code = Errno::from_io_error(error);
    matches!(code, Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_is_logged_above_80_and_below_70_percent() {
        for (open, is_warned, expected) in [
            (79, false, None),
            (80, false, Some(Change::RunningOut)),
            (100, true, None),
            (70, true, None),
            (69, true, Some(Change::Relieved)),
        ] {
            let files = FileCount { open, max: 100 };
            assert_eq!(files.change(is_warned), expected, "{open}");
        }
        let unlimited = FileCount {
            open: 100,
            max: u64::MAX,
        };
        assert_eq!(unlimited.change(false), None);
    }

    #[test]
    fn spare_files_are_closed_one_by_one_while_files_have_run_out() {
        let files = SpareFiles::reserve(3).unwrap();
        let mut calls = 0;
        let opened = files.make_room(|| {
            calls += 1;
            if calls < 3 {
                Err(Errno::MFILE.into())
            } else {
                Ok(calls)
            }
        });
        assert_eq!((opened.unwrap(), files.spare.lock().len()), (3, 1));
        let other = files.make_room(|| Err::<(), _>(Errno::CONNABORTED.into()));
        assert_eq!(other.unwrap_err().kind(), io::ErrorKind::ConnectionAborted);
        let exhausted = files.make_room(|| Err::<(), _>(Errno::NFILE.into()));
        assert!(have_run_out(&exhausted.unwrap_err()));
        assert_eq!(files.spare.lock().len(), 0);
        files.refill();
        assert_eq!(files.spare.lock().len(), 3);
    }
}
