//! Turns triggers into findings: the triggers of one edit become one finding, at the level of the operations it reaches.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use dropspec_model::{Location, Selected};
use indexmap::IndexMap;

use super::{ReachedOperation, Session, Trigger};
use crate::edit::{EditKey, EditKind, EditedNodes, locate_removed};
use crate::finding::{Consequence, Finding, Reached, fingerprint};
use crate::rules::{Bump, Level};
use crate::tree::{Id, Tree};
use crate::version;

impl Session<'_> {
    /// The findings about what was reported, in the order in which their edits were first reported.
    pub(crate) fn take_findings(&mut self) -> Vec<Finding> {
        self.attach_operations();
        let mut by_edit: IndexMap<EditKey<'_>, Vec<usize>> = IndexMap::new();
        for (index, trigger) in self.triggers.values().enumerate() {
            by_edit.entry(trigger.edit.key()).or_default().push(index);
        }
        let edits: Vec<Vec<usize>> = by_edit.into_values().collect();
        let findings = edits.iter().filter_map(|it| self.build_finding(it));
        let findings = findings.collect();
        self.triggers.clear();
        self.pairs.clear();
        findings
    }

    /// Adds to the triggers of schemas the operations that reach them. A list replaces recursion: a chain of references can
    /// be as long as the document.
    fn attach_operations(&mut self) {
        let mut operations: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (root, operation) in self.roots.drain(..) {
            operations.entry(root).or_default().push(operation);
        }
        let leads = self.find_leading_to_triggers();
        // The last root that a pair was met from. Only what leads to a trigger is walked, so that few edits need few steps.
        let mut met = vec![usize::MAX; leads.len()];
        for (root, operations) in &operations {
            let mut waiting = vec![*root];
            while let Some(index) = waiting.pop() {
                if !leads[index] || std::mem::replace(&mut met[index], *root) == *root {
                    continue;
                }
                let pair = &self.pairs[index];
                waiting.extend(&pair.children);
                for trigger in &pair.triggers {
                    self.triggers[*trigger].operations.extend(operations);
                }
            }
        }
        for trigger in self.triggers.values_mut() {
            trigger.operations.sort_unstable();
            trigger.operations.dedup();
        }
    }

    /// For each pair of schemas, whether it has a trigger or leads to a pair that has one.
    fn find_leading_to_triggers(&self) -> Vec<bool> {
        let mut parents = vec![Vec::new(); self.pairs.len()];
        for (index, pair) in self.pairs.values().enumerate() {
            for child in &pair.children {
                parents[*child].push(index);
            }
        }
        let changed = self.pairs.values().enumerate();
        let changed = changed.filter(|(_, pair)| !pair.triggers.is_empty());
        let mut waiting: Vec<usize> = changed.map(|(index, _)| index).collect();
        let mut leads = vec![false; self.pairs.len()];
        while let Some(index) = waiting.pop() {
            if !std::mem::replace(&mut leads[index], true) {
                waiting.append(&mut parents[index]);
            }
        }
        leads
    }

    /// Builds the finding of one edit. The trigger of the highest level gives it its rule. None if the policy ignores
    /// all operations that it reaches.
    fn build_finding(&mut self, triggers: &[usize]) -> Option<Finding> {
        let mut rated: Vec<(Level, Bump, usize)> = triggers
            .iter()
            .filter_map(|index| {
                let (level, bump) = self.rate(&self.triggers[*index])?;
                Some((level, bump, *index))
            })
            .collect();
        rated.sort_by_key(|(level, _, index)| (Reverse(*level), *index));
        let (level, _, primary) = *rated.first()?;
        let bump = rated.iter().map(|(_, bump, _)| *bump).max()?;
        let trigger = &self.triggers[primary];
        let edit = &self.triggers[triggers[0]].edit;
        let mut levels: BTreeMap<usize, Level> = BTreeMap::new();
        for (_, _, index) in &rated {
            let trigger = &self.triggers[*index];
            for operation in &trigger.operations {
                if let Some((level, _)) = self.rate_at(trigger, *operation) {
                    let highest = levels.entry(*operation).or_insert(level);
                    *highest = level.max(*highest);
                }
            }
        }
        // An operation counts once for each status.
        let mut reach: IndexMap<&str, Reached> = IndexMap::new();
        for (operation, level) in levels {
            let ReachedOperation { label, status, .. } = &self.operations[operation];
            let reached = reach.entry(label).or_insert_with(|| Reached {
                operation: label.clone(),
                level,
                statuses: Default::default(),
            });
            reached.level = reached.level.max(level);
            reached.statuses.extend(status.clone());
        }
        let reach: Vec<Reached> = reach.into_values().collect();
        let mut statuses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for operation in &trigger.operations {
            let ReachedOperation { label, status, .. } = &self.operations[*operation];
            if let Some(status) = status {
                statuses.entry(label).or_default().insert(status);
            }
        }
        let statuses: BTreeSet<_> = statuses.into_values().collect();
        let (base, revision) = (&self.base.tree, &self.revision.tree);
        let (pointer, revision_id) = match edit.kind {
            EditKind::Removed => {
                let id = locate_removed(base, revision, edit);
                (base.written_pointer(edit.base), id)
            }
            _ => (revision.written_pointer(edit.revision), edit.revision),
        };
        let values = edit.values((base, revision), trigger.rule);
        let also = rated[1..].iter().map(|(level, _, index)| Consequence {
            id: self.triggers[*index].rule,
            level: *level,
        });
        let mut breaks = rated.iter().filter(|(level, ..)| *level > Level::Info);
        let breaks_requests_only =
            breaks.all(|(_, _, index)| self.triggers[*index].rule.as_str().starts_with("request-"));
        Some(Finding {
            id: trigger.rule,
            level,
            operations: reach.iter().map(|it| it.operation.clone()).collect(),
            reach,
            fingerprint: fingerprint(trigger.rule, &pointer, &trigger.edit.item, &values),
            pointer,
            base: locate(base, edit.base),
            revision: locate(revision, revision_id),
            message: name_statuses(&trigger.message, &statuses),
            also: also.filter(|also| also.id != trigger.rule).collect(),
            instance: None,
            proof: None,
            unproven: None,
            acknowledged: None,
            bump,
            nodes: Some(EditedNodes {
                base: base.pointer(edit.base),
                revision: revision.pointer(edit.revision),
                kind: edit.kind,
            }),
            schemas: trigger.schemas.filter(|_| level == Level::Error),
            usage: None,
            breaking_version: version::find_breaking(self),
            inputs: if breaks_requests_only {
                find_inputs(base, edit.base)
            } else {
                Vec::new()
            },
        })
    }

    /// Finds for breaks of schemas a value that only one document accepts, in the order of the findings, as far as searches are left.
    pub(crate) fn find_instances(&mut self, findings: &mut [Finding]) {
        let schemas = (&self.base, &self.revision);
        for finding in findings {
            if let (Some(sets), Some(nodes)) = (finding.schemas, &finding.nodes) {
                finding.instance = self.instances.find(schemas, sets, (nodes, finding.id));
            }
        }
    }

    /// The level and the version increment: the highest of all operations. None if the policy ignores all of them.
    fn rate(&self, trigger: &Trigger) -> Option<(Level, Bump)> {
        if trigger.operations.is_empty() {
            return Some(trigger.limit(self.policy.rate(trigger.rule, None)?));
        }
        let operations = trigger.operations.iter();
        operations
            .filter_map(|operation| self.rate_at(trigger, *operation))
            .max()
    }

    /// The level and the version increment at an operation. None if the policy ignores it.
    fn rate_at(&self, trigger: &Trigger, operation: usize) -> Option<(Level, Bump)> {
        let at = self.operations[operation].selected();
        Some(trigger.limit(self.policy.rate(trigger.rule, Some(at))?))
    }
}

impl Trigger {
    /// The level and the version increment; those of an info if it is proved to be harmless.
    fn limit(&self, (level, bump): (Level, Bump)) -> (Level, Bump) {
        if self.harmless {
            (Level::Info, bump.min(Bump::Minor))
        } else {
            (level, bump)
        }
    }
}

impl ReachedOperation {
    fn selected(&self) -> Selected<'_> {
        Selected {
            path: &self.path,
            tags: &self.tags,
            stability: self.stability,
        }
    }
}

/// Says in a message which of several responses it is about, if it is the same in all operations.
fn name_statuses(message: &str, statuses: &BTreeSet<BTreeSet<&str>>) -> String {
    let mut all = statuses.iter();
    let (Some(statuses), None) = (all.next(), all.next()) else {
        return message.to_owned();
    };
    let statuses = Vec::from_iter(statuses.iter().copied()).join(", ");
    match message.split_once("response ") {
        Some((before @ ("the " | "the required " | "the optional "), rest)) => {
            format!("{before}{statuses} response {rest}")
        }
        _ => format!("the {statuses} response: {message}"),
    }
}

/// The names under which a service may count what a node is part of: the pointers of properties, the nearest first, or the
/// parameter.
fn find_inputs(tree: &Tree<'_>, id: Id) -> Vec<String> {
    let mut names = Vec::new();
    let mut current = Some(id);
    while let Some(id) = current {
        let parent = tree.parent(id);
        match parent.map(|parent| tree.key(parent)) {
            Some("properties") => names.push(tree.written_pointer(id)),
            Some("parameters") => {
                if let (Some(location), Some(name)) = (tree.text(id, "in"), tree.text(id, "name")) {
                    let location = match location {
                        "path" => "path parameter",
                        "query" | "querystring" => "query parameter",
                        other => other,
                    };
                    names.push(format!("{location} {name}"));
                }
            }
            _ => {}
        }
        current = parent;
    }
    names
}

fn locate(tree: &Tree<'_>, id: Id) -> Location {
    tree.document().location(tree.position(id))
}
