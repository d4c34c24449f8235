//! The disk below a directory: what of its files is synced, and what a power cut leaves of the rest.
//!
//! The model is Linux with a journal for names, at its worst: a written sector is on the disk or not until its file is
//! synced; a name until its directory is synced, but names change in their order. A failed sync may have lost what it
//! should have written, and the next one reports nothing.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fastrand::Rng;

use super::trace::Change;

/// The part of a write that a disk writes whole, in bytes.
const SECTOR: usize = 512;

/// A directory without subdirectories, and which of its contents are on the disk.
#[derive(Clone, Debug)]
pub struct Disk {
    /// The inode of the directory.
    directory: u64,
    files: BTreeMap<u64, Content>,
    synced_names: Names,
    /// Changes of names since the directory was synced.
    renames: Vec<Change>,
}

/// The files of a directory by their names.
type Names = BTreeMap<PathBuf, u64>;

#[derive(Clone, Debug, Default)]
struct Content {
    synced: Vec<u8>,
    /// In order, from the first one that is not synced.
    writes: Vec<(Change, Durability)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Durability {
    /// The next sync writes it to the disk.
    Unsynced,
    Synced,
    /// A sync of it failed.
    Lost,
}

/// What becomes of that which is not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerCut {
    /// It is on the disk, as if only the process had been killed.
    KeepsAll,
    /// It is gone.
    KeepsNothing,
    /// The oldest changes of each file, with the last one torn. The number is a seed.
    KeepsOldest(u64),
    /// Any sector of any change. The number is a seed.
    KeepsAny(u64),
}

impl Disk {
    /// The files of a directory, all synced.
    pub fn read(directory: &Path) -> Disk {
        let directory = directory.canonicalize().unwrap();
        let mut disk = Disk {
            directory: directory.metadata().unwrap().ino(),
            files: BTreeMap::new(),
            synced_names: Names::new(),
            renames: Vec::new(),
        };
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let file = entry.metadata().unwrap().ino();
            let content = Content {
                synced: fs::read(entry.path()).unwrap(),
                writes: Vec::new(),
            };
            disk.files.insert(file, content);
            disk.synced_names.insert(entry.path(), file);
        }
        disk
    }

    /// Applies a change that a process made.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Created(file, _) => {
                self.files.insert(*file, Content::default());
                self.renames.push(change.clone());
            }
            Change::Renamed(..) | Change::Linked(..) | Change::Unlinked(_) => {
                self.renames.push(change.clone());
            }
            Change::Written(file, ..) | Change::Truncated(file, _) => {
                let content = self.files.get_mut(file).expect("a file of the directory");
                content.writes.push((change.clone(), Durability::Unsynced));
            }
            Change::Synced(file) if *file == self.directory => {
                for change in std::mem::take(&mut self.renames) {
                    rename(&mut self.synced_names, &change);
                }
            }
            Change::Synced(file) => self.files.get_mut(file).expect("a file").sync(),
            Change::SyncFailed(file) => {
                if let Some(content) = self.files.get_mut(file) {
                    content.end_sync(Durability::Lost);
                }
            }
        }
    }

    /// The files after a power cut now, by name.
    pub fn after(&self, cut: PowerCut) -> BTreeMap<String, Vec<u8>> {
        let mut keeps = Keeps::new(cut);
        let mut names = self.synced_names.clone();
        let kept = keeps.oldest(self.renames.len());
        for change in &self.renames[..kept] {
            rename(&mut names, change);
        }
        names
            .into_iter()
            .map(|(name, file)| {
                let name = name.file_name().unwrap().to_str().unwrap().to_owned();
                (name, self.files[&file].after(&mut keeps))
            })
            .collect()
    }
}

impl Content {
    fn sync(&mut self) {
        self.end_sync(Durability::Synced);
        let synced = |(_, it): &(Change, Durability)| *it == Durability::Synced;
        let first = self.writes.iter().position(|it| !synced(it));
        for (change, _) in self.writes.drain(..first.unwrap_or(self.writes.len())) {
            write_whole(&mut self.synced, &change);
        }
    }

    fn end_sync(&mut self, durability: Durability) {
        for (_, it) in &mut self.writes {
            if *it == Durability::Unsynced {
                *it = durability;
            }
        }
    }

    fn after(&self, keeps: &mut Keeps) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        let synced = |it: Durability| it == Durability::Synced;
        let unsynced = self.writes.iter().filter(|(_, it)| !synced(*it)).count();
        let kept = keeps.oldest(unsynced);
        let mut number = 0;
        for (change, durability) in &self.writes {
            if synced(*durability) {
                write_whole(&mut bytes, change);
                continue;
            }
            number += 1;
            if number < kept && !keeps.any {
                write_whole(&mut bytes, change);
            } else if number <= kept {
                keeps.tear(&mut bytes, change);
            }
        }
        bytes
    }
}

/// The choices of a power cut.
struct Keeps {
    cut: PowerCut,
    random: Rng,
    /// Whether any sector may be missing, not only those of the last change.
    any: bool,
}

impl Keeps {
    fn new(cut: PowerCut) -> Keeps {
        let seed = match cut {
            PowerCut::KeepsAll | PowerCut::KeepsNothing => 0,
            PowerCut::KeepsOldest(seed) | PowerCut::KeepsAny(seed) => seed,
        };
        Keeps {
            cut,
            random: Rng::with_seed(seed),
            any: matches!(cut, PowerCut::KeepsAny(_)),
        }
    }

    /// How many of these changes are kept, the last one possibly in part.
    fn oldest(&mut self, changes: usize) -> usize {
        match self.cut {
            PowerCut::KeepsAll | PowerCut::KeepsAny(_) => changes,
            PowerCut::KeepsNothing => 0,
            PowerCut::KeepsOldest(_) => self.random.usize(..=changes),
        }
    }

    /// Applies a change whole, in part, or not at all.
    fn tear(&mut self, bytes: &mut Vec<u8>, change: &Change) {
        match (self.cut, self.random.u8(..3)) {
            (PowerCut::KeepsAll, _) | (_, 0) => write_whole(bytes, change),
            (_, 1) => {}
            _ => write_some(bytes, change, || self.random.bool()),
        }
    }
}

fn write_whole(bytes: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Written(_, offset, data) => write(bytes, *offset, data),
        Change::Truncated(_, length) => bytes.resize(*length, 0),
        other => panic!("no write: {other:?}"),
    }
}

/// Writes the sectors of a change that are kept. A new length is kept or not.
fn write_some(bytes: &mut Vec<u8>, change: &Change, mut keeps: impl FnMut() -> bool) {
    match change {
        Change::Written(_, offset, data) => {
            let (mut from, end) = (*offset, offset + data.len());
            while from < end {
                let to = end.min((from / SECTOR + 1) * SECTOR);
                if keeps() {
                    write(bytes, from, &data[from - offset..to - offset]);
                }
                from = to;
            }
        }
        other if keeps() => write_whole(bytes, other),
        _ => {}
    }
}

fn write(bytes: &mut Vec<u8>, offset: usize, data: &[u8]) {
    let end = offset + data.len();
    bytes.resize(bytes.len().max(end), 0);
    bytes[offset..end].copy_from_slice(data);
}

fn rename(names: &mut Names, change: &Change) {
    match change {
        Change::Created(file, name) => {
            names.insert(name.clone(), *file);
        }
        Change::Renamed(from, to) => {
            let file = names.remove(from).expect("a name of the directory");
            names.insert(to.clone(), file);
        }
        Change::Linked(name, other) => {
            names.insert(other.clone(), names[name]);
        }
        Change::Unlinked(name) => {
            names.remove(name);
        }
        other => panic!("no change of a name: {other:?}"),
    }
}
