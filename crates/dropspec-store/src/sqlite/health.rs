//! Whether the engine may use its files: the fault that it has, and whether its files are in place.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::Cause;
use crate::sqlite::data_version::LogIndex;
use crate::sqlite::fault::Fault;
use crate::sqlite::probe::append_suffix;

/// How long the result of reading the files is used again. They are read as a whole.
const READ_CHECK_PERIOD: Duration = Duration::from_secs(60);

/// The fault of the engine at the moment, if it has one. The writer sets it, and reads that fail.
#[derive(Debug)]
pub(crate) struct Health {
    fault: watch::Sender<Option<Fault>>,
    /// Whether the fault stops reads, to be looked up without the lock of `fault`.
    stops_reads: AtomicBool,
}

/// The files that the engine has open: the database, its log and the index of the log.
#[derive(Debug)]
pub(crate) struct OpenFiles {
    database: OpenFile,
    logs: [OpenFile; 2],
    /// The index of the log, if it was opened to read the version of the data.
    pub(crate) index: Option<LogIndex>,
    /// The content of the database, if it was opened to see whether it can be read. Like the index, it must stay open.
    content: Option<File>,
    last_check: Mutex<Option<ReadCheck>>,
}

/// The result of reading the files, and when it was known.
#[derive(Debug)]
struct ReadCheck {
    end: Instant,
    error: Option<Cause>,
}

/// A file that the engine has open, and the path at which it was opened.
#[derive(Debug)]
struct OpenFile {
    path: PathBuf,
    id: FileId,
}

/// Device and inode. The inode of a file that is open is not given to another file.
type FileId = (u64, u64);

/// What is at the path of an open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Same,
    Missing,
    /// Another file, or something that the operating system does not show.
    Other,
}

impl Health {
    pub(crate) fn new() -> Arc<Health> {
        Arc::new(Health {
            fault: watch::Sender::new(None),
            stops_reads: AtomicBool::new(false),
        })
    }

    /// The fault for which calls are refused.
    pub(crate) fn fault(&self) -> Option<Fault> {
        let fault = self.fault.borrow();
        fault.clone().filter(|it| !is_unreadable(it))
    }

    /// Notes that a read failed, unless there is a fault.
    pub(crate) fn note_failed_read(&self, cause: Cause) {
        self.fault.send_if_modified(|fault| {
            let is_first = fault.is_none();
            fault.get_or_insert(Fault::Unreadable { cause });
            is_first
        });
    }

    /// Whether a read has failed, and none of [`Health::note_read`] has succeeded since.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.fault.borrow().as_ref().is_some_and(is_unreadable)
    }

    /// Notes that a read of the file has succeeded.
    pub(crate) fn note_read(&self) {
        self.fault
            .send_if_modified(|fault| fault.take_if(|it| is_unreadable(it)).is_some());
    }

    pub(crate) fn stops_reads(&self) -> bool {
        self.stops_reads.load(Acquire)
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<Option<Fault>> {
        self.fault.subscribe()
    }

    pub(crate) fn set_fault(&self, fault: Fault) {
        let stops_reads = fault.stops_reads();
        self.fault.send_replace(Some(fault));
        self.stops_reads.store(stops_reads, Release);
    }
}

impl OpenFiles {
    /// Notes the files of the database at `path`, which a connection has open and has read from.
    pub(crate) fn new(path: &Path) -> io::Result<OpenFiles> {
        let [log, index] = ["-wal", "-shm"].map(|suffix| append_suffix(path, suffix));
        Ok(OpenFiles {
            database: OpenFile::new(path.to_owned())?,
            logs: [OpenFile::new(log)?, OpenFile::new(index)?],
            index: None,
            content: None,
            last_check: Mutex::new(None),
        })
    }

    /// Opens the index of the log, to read the version of the data, and the database.
    pub(crate) fn open_index(mut self) -> io::Result<OpenFiles> {
        self.index = Some(LogIndex::open(&self.logs[1].path)?);
        self.content = Some(File::open(&self.database.path)?);
        Ok(self)
    }

    /// Returns the fault of a file that is not at its path, if there is one.
    pub(crate) fn find_fault(&self) -> Option<Fault> {
        let mut files = std::iter::once(&self.database).chain(&self.logs);
        let gone = files.find(|it| it.place() != Place::Same)?;
        let path = gone.path.clone();
        Some(Fault::FileGone { path })
    }

    /// Reads the database and its log, and returns the error of the operating system if it cannot. It reads at most once in
    /// [`READ_CHECK_PERIOD`]: a damaged page, of which the operating system knows nothing, may fail every request.
    pub(crate) fn find_io_error(&self, now: impl Fn() -> Instant) -> Option<Cause> {
        // Callers that come meanwhile wait, as they cannot know more.
        let mut last = self.last_check.lock();
        if let Some(check) = &*last
            && now().duration_since(check.end) < READ_CHECK_PERIOD
        {
            return check.error.clone();
        }
        let error = self.read_files().map(|error| -> Cause { Arc::new(error) });
        let end = now();
        last.insert(ReadCheck { end, error }).error.clone()
    }

    fn read_files(&self) -> Option<io::Error> {
        let database = self.content.as_ref()?;
        // SQLite has no locks on the log, which would be lost when the file is closed.
        let log = File::open(&self.logs[0].path).ok();
        let mut files = [Some(database), log.as_ref()].into_iter().flatten();
        files.find_map(|file| read_to_end(file).err())
    }

    /// Whether the open log may be copied into the database: no other file is at the path of the log or its index, with which
    /// another process may have written.
    pub(crate) fn can_save_log(&self) -> bool {
        self.logs.iter().all(|it| it.place() != Place::Other)
    }
}

impl OpenFile {
    fn new(path: PathBuf) -> io::Result<OpenFile> {
        let id = file_id(&path)?;
        Ok(OpenFile { path, id })
    }

    fn place(&self) -> Place {
        match file_id(&self.path) {
            Ok(id) if id == self.id => Place::Same,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Place::Missing,
            Ok(_) | Err(_) => Place::Other,
        }
    }
}

fn read_to_end(file: &File) -> io::Result<()> {
    let (mut part, mut at) = (vec![0; 1 << 20], 0);
    loop {
        match file.read_at(&mut part, at)? {
            0 => return Ok(()),
            length => at += length as u64,
        }
    }
}

fn is_unreadable(fault: &Fault) -> bool {
    matches!(fault, Fault::Unreadable { .. })
}

fn file_id(path: &Path) -> io::Result<FileId> {
    let file = fs::metadata(path)?;
    Ok((file.dev(), file.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_read_once_a_minute() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db");
        let log = append_suffix(&path, "-wal");
        for file in [&path, &log, &append_suffix(&path, "-shm")] {
            fs::write(file, "content").unwrap();
        }
        let mut files = OpenFiles::new(&path).unwrap();
        files.content = Some(File::open(&path).unwrap());
        let start = Instant::now();
        let fails_at = |seconds| {
            let now = start + Duration::from_secs(seconds);
            files.find_io_error(|| now).is_some()
        };
        assert!(!fails_at(0));
        // What can be opened, and not be read.
        fs::remove_file(&log).unwrap();
        fs::create_dir(&log).unwrap();
        assert!(!fails_at(59));
        assert!(fails_at(60));
        fs::remove_dir(&log).unwrap();
        assert!(fails_at(119));
        assert!(!fails_at(120));
    }
}
