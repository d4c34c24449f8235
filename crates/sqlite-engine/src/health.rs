//! Whether the engine may use its files: the fault that it has, and whether its files are in place.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};

use tokio::sync::watch;

use crate::data_version::LogIndex;
use crate::fault::Fault;
use crate::probe::append_suffix;

/// The fault of the engine at the moment, if it has one. The writer sets it.
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

    pub(crate) fn fault(&self) -> Option<Fault> {
        self.fault.borrow().clone()
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
    ///
    /// # Errors
    ///
    /// If one of them is not there.
    pub(crate) fn new(path: &Path) -> io::Result<OpenFiles> {
        let [log, index] = ["-wal", "-shm"].map(|suffix| append_suffix(path, suffix));
        Ok(OpenFiles {
            database: OpenFile::new(path.to_owned())?,
            logs: [OpenFile::new(log)?, OpenFile::new(index)?],
            index: None,
        })
    }

    /// Opens the index of the log, to read the version of the data.
    pub(crate) fn open_index(mut self) -> io::Result<OpenFiles> {
        self.index = Some(LogIndex::open(&self.logs[1].path)?);
        Ok(self)
    }

    /// Returns the fault of a file that is not at its path, if there is one.
    pub(crate) fn find_fault(&self) -> Option<Fault> {
        let mut files = std::iter::once(&self.database).chain(&self.logs);
        let gone = files.find(|it| it.place() != Place::Same)?;
        let path = gone.path.clone();
        Some(Fault::FileGone { path })
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

fn file_id(path: &Path) -> io::Result<FileId> {
    let file = fs::metadata(path)?;
    Ok((file.dev(), file.ino()))
}
