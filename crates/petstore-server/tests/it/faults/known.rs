//! What the callers of a process know about its writes, whatever became of the process: the possible states of each
//! record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::check::State;

/// What a process reports about a write, in the order of events. A write is its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Report {
    /// It is sent, with the effects that it has all together or not at all.
    Begins(u32, Vec<Effect>),
    /// It was acknowledged.
    Succeeds(u32),
    /// It was answered with an error that says that nothing was stored.
    Fails(u32),
    /// It was answered with an error that leaves open whether it was stored.
    IsUnknown(u32),
}

/// What a write changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Effect {
    /// The record, such as `pet Nemo`, gets this state; `None` if it is deleted.
    Becomes(String, Option<String>),
    /// The amount of requests that a window of the API key has claimed changes.
    Claims(String, i64),
    /// There is a backup of all records.
    BacksUp,
    /// All records become those of the backup.
    Restores,
}

/// The states that the records can have after the reports so far.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The number of reports so far.
    reports: usize,
    /// The possible states of each record, each with the write that it comes from.
    records: BTreeMap<String, Vec<(u32, Option<String>)>>,
    /// The least and the greatest amount that each window can have claimed.
    claims: BTreeMap<String, (i64, i64)>,
    /// Writes without an answer. One that began before a restore is none of the restored records.
    open: BTreeMap<u32, Vec<Effect>>,
    /// What the backup can contain, and whether it must be there.
    backup: Option<(Box<Known>, bool)>,
    /// What a restore that may have happened leaves.
    restored: Option<Box<Known>>,
}

impl Known {
    /// Takes note of what a process wrote to the file of its reports.
    pub fn add(&mut self, lines: &[u8]) {
        for line in lines.split_inclusive(|it| *it == b'\n') {
            self.add_report(serde_json::from_slice(line).unwrap());
        }
    }

    /// The number of reports so far.
    pub fn reports(&self) -> usize {
        self.reports
    }

    fn add_report(&mut self, report: Report) {
        self.reports += 1;
        if let Some(restored) = &mut self.restored {
            // What comes after a restore that may have happened applies in either case.
            restored.add_report(report.clone());
        }
        match report {
            Report::Begins(write, effects) => {
                for effect in &effects {
                    self.begin(write, effect);
                }
                self.open.insert(write, effects);
            }
            Report::Succeeds(write) => {
                for effect in self.open.remove(&write).unwrap_or_default() {
                    self.succeed(write, &effect);
                }
            }
            Report::Fails(write) => {
                for effect in self.open.remove(&write).unwrap_or_default() {
                    self.fail(write, &effect);
                }
            }
            Report::IsUnknown(write) => {
                self.open.remove(&write);
            }
        }
    }

    fn begin(&mut self, write: u32, effect: &Effect) {
        match effect {
            Effect::Becomes(record, state) => {
                let possible = self.records.entry(record.clone());
                let possible = possible.or_insert_with(|| vec![(0, None)]);
                possible.push((write, state.clone()));
            }
            Effect::Claims(window, amount) => {
                let (least, greatest) = self.claims.entry(window.clone()).or_default();
                *least += amount.min(&0);
                *greatest += amount.max(&0);
            }
            Effect::BacksUp => {
                let contents = Known {
                    backup: None,
                    ..self.clone()
                };
                self.backup = Some((Box::new(contents), false));
            }
            Effect::Restores => {
                let (backup, _) = self.backup.clone().unwrap();
                self.restored = Some(backup);
            }
        }
    }

    fn succeed(&mut self, write: u32, effect: &Effect) {
        match effect {
            Effect::Becomes(record, _) => {
                let possible = self.records.get_mut(record).unwrap();
                possible.retain(|(it, _)| *it == write);
            }
            Effect::Claims(window, amount) => {
                let (least, greatest) = self.claims.get_mut(window).unwrap();
                *least += amount.max(&0);
                *greatest += amount.min(&0);
            }
            Effect::BacksUp => self.backup.as_mut().unwrap().1 = true,
            Effect::Restores => {
                let restored = *self.restored.take().unwrap();
                *self = Known {
                    reports: self.reports,
                    backup: self.backup.take(),
                    ..restored
                };
            }
        }
    }

    fn fail(&mut self, write: u32, effect: &Effect) {
        match effect {
            Effect::Becomes(record, _) => {
                let possible = self.records.get_mut(record).unwrap();
                possible.retain(|(it, _)| *it != write);
            }
            Effect::Claims(window, amount) => {
                let (least, greatest) = self.claims.get_mut(window).unwrap();
                *least -= amount.min(&0);
                *greatest -= amount.max(&0);
            }
            Effect::BacksUp => {}
            Effect::Restores => self.restored = None,
        }
    }

    /// Says what is wrong with the contents of a database; an empty text if nothing is.
    pub fn find_difference(&self, found: &State) -> String {
        let fault = self.compare(found);
        match &self.restored {
            Some(restored) if !fault.is_empty() => restored.compare(found),
            _ => fault,
        }
    }

    /// Says what is wrong with a backup, or with its absence; an empty text if nothing is.
    pub fn find_difference_of_backup(&self, found: Option<&State>) -> String {
        match (&self.backup, found) {
            (Some((contents, _)), Some(found)) => contents.find_difference(found),
            (Some((_, true)), None) => "the backup is missing".to_owned(),
            (Some((_, false)), None) | (None, None) => String::new(),
            (None, Some(_)) => "there is a backup that nobody made".to_owned(),
        }
    }

    fn compare(&self, found: &State) -> String {
        let mut faults = String::new();
        for (record, possible) in &self.records {
            let state = found.records.get(record);
            if !possible.iter().any(|(_, it)| it.as_ref() == state) {
                faults += &format!("{record} is {state:?}, not one of {possible:?}\n");
            }
        }
        for (record, state) in &found.records {
            if !self.records.contains_key(record) {
                faults += &format!("{record} was never written: {state}\n");
            }
        }
        for (window, (least, greatest)) in &self.claims {
            let claimed = found.claims.get(window).copied().unwrap_or_default();
            if !(*least..=*greatest).contains(&claimed) {
                faults += &format!("{window}: {claimed} claimed, not {least} to {greatest}\n");
            }
        }
        faults
    }
}
