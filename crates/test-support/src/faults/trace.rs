//! The trace that a process with the fault library writes: the changes of its files, in the order of the calls.

use std::path::{Path, PathBuf};

/// What processes with the fault library did, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// In the order of the calls.
    pub events: Vec<Event>,
}

/// One entry of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A file was changed or synced.
    Changed(Change),
    /// The process wrote this to the file of its reports.
    Reported(Vec<u8>),
    /// The fault was injected for the first time.
    Fault,
    /// A call began to wait.
    Waiting,
}

/// A change of a file or a name. A file is its inode number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new, empty file with this name.
    Created(u64, PathBuf),
    /// Bytes at an offset.
    Written(u64, usize, Vec<u8>),
    /// A new length.
    Truncated(u64, usize),
    /// A successful sync of a file or directory.
    Synced(u64),
    /// A failed sync: what was not on the disk may never get there, whatever later syncs return.
    SyncFailed(u64),
    /// A name became another one.
    Renamed(PathBuf, PathBuf),
    /// A second name.
    Linked(PathBuf, PathBuf),
    /// A name was removed.
    Unlinked(PathBuf),
}

impl Trace {
    /// Reads a trace. A last entry that is incomplete is left out: the process is still writing it.
    pub fn read(path: &Path) -> Trace {
        let bytes = std::fs::read(path).unwrap_or_default();
        let mut rest = &bytes[..];
        let mut events = Vec::new();
        while let Some(event) = take_event(&mut rest) {
            events.push(event);
        }
        Trace { events }
    }
}

fn take_event(rest: &mut &[u8]) -> Option<Event> {
    let mut bytes = *rest;
    let kind = take_number(&mut bytes, 4)?;
    let error = take_number(&mut bytes, 4)?;
    let file = take_number(&mut bytes, 8)?;
    let offset = usize::try_from(take_number(&mut bytes, 8)?).unwrap();
    let mut lengths = [0; 4];
    for length in &mut lengths {
        *length = usize::try_from(take_number(&mut bytes, 4)?).unwrap();
    }
    let [path, other, data, _] = lengths;
    let path = take_path(&mut bytes, path)?;
    let other = take_path(&mut bytes, other)?;
    let data = bytes.split_off(..data)?.to_vec();
    let event = match kind {
        1 => Event::Changed(Change::Created(file, path)),
        2 => Event::Changed(Change::Written(file, offset, data)),
        3 => Event::Changed(Change::Truncated(file, offset)),
        4 if error == 0 => Event::Changed(Change::Synced(file)),
        4 => Event::Changed(Change::SyncFailed(file)),
        5 => Event::Changed(Change::Renamed(path, other)),
        6 => Event::Changed(Change::Linked(path, other)),
        7 => Event::Changed(Change::Unlinked(path)),
        8 => Event::Reported(data),
        9 => Event::Fault,
        10 => Event::Waiting,
        _ => panic!("no record of a trace: {kind}"),
    };
    *rest = bytes;
    Some(event)
}

fn take_number(bytes: &mut &[u8], size: usize) -> Option<u64> {
    let mut number = [0; 8];
    number[..size].copy_from_slice(bytes.split_off(..size)?);
    // Every supported machine is little-endian.
    Some(u64::from_le_bytes(number))
}

fn take_path(bytes: &mut &[u8], size: usize) -> Option<PathBuf> {
    let text = String::from_utf8(bytes.split_off(..size)?.to_vec()).unwrap();
    Some(PathBuf::from(text))
}
