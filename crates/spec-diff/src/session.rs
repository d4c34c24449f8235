//! One comparison under way: the two documents, and what has been found so far.

mod edit;
mod findings;
mod reach;
mod shared;

use std::collections::{HashMap, HashSet, VecDeque};

use crate::policy::{Policy, Stability};
use crate::rules::{self, Rule};
use crate::schema::{Schemas, SetId};
use crate::schema_diff::{self, Setting};
use crate::tree::{Id, Tree};

pub(crate) use self::edit::Edit;

/// An operation that both documents have, or one of them.
#[derive(Debug, Clone)]
pub(crate) struct Reached {
    pub(crate) label: String,
    pub(crate) stability: Stability,
}

/// A part of a finding: one rule at one edit.
pub(crate) struct Part {
    pub(crate) rule: &'static Rule,
    pub(crate) edit: Edit,
    message: String,
    detail: String,
    /// By their places in the session; some more than once.
    operations: Vec<usize>,
    schemas: Option<(SetId, SetId)>,
}

/// A pair of schemas that was compared, with what it leads to.
#[derive(Default)]
struct Compared {
    parts: Vec<usize>,
    children: Vec<usize>,
}

/// A pair of schemas, and in which role they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PairKey {
    pub(crate) base: SetId,
    pub(crate) revision: SetId,
    pub(crate) setting: Setting,
}

pub(crate) struct Session<'d> {
    pub(crate) base: Schemas<'d>,
    pub(crate) revision: Schemas<'d>,
    pub(crate) policy: &'d Policy,
    operations: Vec<Reached>,
    current: Option<usize>,
    parts: Vec<Part>,
    part_index: HashMap<(&'static str, Edit), usize>,
    pairs: HashMap<PairKey, usize>,
    compared: Vec<Compared>,
    /// The pairs that operations begin with. What they lead to is known once all are compared.
    roots: Vec<(usize, usize)>,
}

impl<'d> Session<'d> {
    pub(crate) fn new(base: Tree<'d>, revision: Tree<'d>, policy: &'d Policy) -> Session<'d> {
        Session {
            base: Schemas::new(base),
            revision: Schemas::new(revision),
            policy,
            operations: Vec::new(),
            current: None,
            parts: Vec::new(),
            part_index: HashMap::new(),
            pairs: HashMap::new(),
            compared: Vec::new(),
            roots: Vec::new(),
        }
    }

    /// In both documents the member `key`, or the node that would hold it.
    pub(crate) fn containers(&self, base: Id, revision: Id, key: &str) -> (Id, Id) {
        let (old, new) = (&self.base.tree, &self.revision.tree);
        (old.container(base, key), new.container(revision, key))
    }

    /// The components of a section in both documents, or the documents: where a component comes or goes.
    pub(crate) fn component_lists(&self, section: &str) -> (Id, Id) {
        let list = |tree: &Tree<'_>| tree.components(section).unwrap_or(Id::ROOT);
        (list(&self.base.tree), list(&self.revision.tree))
    }

    /// Runs `compare` for one operation: what it reports reaches this operation.
    pub(crate) fn within(&mut self, operation: Reached, compare: impl FnOnce(&mut Self)) {
        self.operations.push(operation);
        self.current = Some(self.operations.len() - 1);
        compare(self);
        self.current = None;
    }

    /// How much is promised of the operation that is compared; what belongs to none is stable.
    pub(crate) fn promised(&self) -> Stability {
        let operation = self.current.map(|index| &self.operations[index]);
        operation.map_or(Stability::Stable, |operation| operation.stability)
    }

    /// Reports that `rule` holds at `edit`.
    pub(crate) fn report(&mut self, rule: &str, edit: Edit, message: String) {
        let part = self.part(rule, edit, message, None);
        self.parts[part].operations.extend(self.current);
    }

    fn part(
        &mut self,
        rule: &str,
        edit: Edit,
        message: String,
        schemas: Option<(SetId, SetId)>,
    ) -> usize {
        let found = rules::find(rule).or_else(|| rules::find("unclassified-change"));
        let rule = found.expect("the table has `unclassified-change`");
        let edit = self.at_component(edit);
        let key = (rule.id.as_str(), edit.clone());
        if let Some(part) = self.part_index.get(&key) {
            return *part;
        }
        self.parts.push(Part {
            rule,
            detail: edit.item.clone(),
            edit,
            message,
            operations: Vec::new(),
            schemas,
        });
        self.part_index.insert(key, self.parts.len() - 1);
        self.parts.len() - 1
    }

    /// Compares two schemas and all that they lead to.
    pub(crate) fn schemas(&mut self, base: SetId, revision: SetId, setting: Setting, place: &str) {
        let key = PairKey {
            base,
            revision,
            setting,
        };
        let root = match self.pairs.get(&key) {
            Some(root) => *root,
            None => self.compare(key, place),
        };
        let current = self.current;
        self.roots
            .extend(current.map(|operation| (root, operation)));
    }

    /// Works through a queue and not by recursion: a chain of references can be as long as the document.
    fn compare(&mut self, root: PairKey, place: &str) -> usize {
        let mut queue = VecDeque::from([(self.enter(root), root, place.to_owned())]);
        let first = queue[0].0;
        while let Some((index, key, place)) = queue.pop_front() {
            let found = schema_diff::compare(self, key, &place);
            for report in found.reports {
                let schemas = Some((key.base, key.revision));
                let part = self.part(&report.rule, report.edit, report.message, schemas);
                self.compared[index].parts.push(part);
            }
            for (key, place) in found.children {
                let child = match self.pairs.get(&key) {
                    Some(child) => *child,
                    None => {
                        let child = self.enter(key);
                        queue.push_back((child, key, place));
                        child
                    }
                };
                self.compared[index].children.push(child);
            }
        }
        first
    }

    fn enter(&mut self, key: PairKey) -> usize {
        self.compared.push(Compared::default());
        self.pairs.insert(key, self.compared.len() - 1);
        self.compared.len() - 1
    }

    /// For each schema of the base, all schemas of the revision that it was compared with.
    pub(crate) fn partners(&self) -> HashMap<SetId, HashSet<SetId>> {
        let mut partners: HashMap<SetId, HashSet<SetId>> = HashMap::new();
        for key in self.pairs.keys() {
            partners.entry(key.base).or_default().insert(key.revision);
        }
        partners
    }
}
