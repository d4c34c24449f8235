//! Turns triggers into findings: the triggers of one edit become one finding, at the level of the operations it reaches.

use std::cmp::Reverse;

use indexmap::IndexMap;
use spec_model::{Stability, Value};

use super::reach::Reach;
use super::{Session, Trigger};
use crate::edit::{Edit, EditKey, EditKind, SiblingIndex};
use crate::finding::{Consequence, Finding, SourceLocation, fingerprint};
use crate::instance::InstanceFinder;
use crate::rules::{Bump, Category, Level, Rule};
use crate::tree::{Id, Tree};

/// What is shared between the findings.
#[derive(Default)]
struct Shared {
    instances: InstanceFinder,
    siblings: SiblingIndex,
}

impl Session<'_> {
    /// The findings, in the order in which their edits were first reported.
    pub(crate) fn into_findings(mut self) -> Vec<Finding> {
        self.attach_operations();
        let mut by_edit: IndexMap<EditKey, Vec<usize>> = IndexMap::new();
        for (index, trigger) in self.triggers.iter().enumerate() {
            by_edit.entry(trigger.edit.key()).or_default().push(index);
        }
        let mut shared = Shared::default();
        by_edit
            .into_values()
            .filter_map(|triggers| self.build_finding(&triggers, &mut shared))
            .collect()
    }

    /// Adds to the triggers of schemas the operations that reach them.
    fn attach_operations(&mut self) {
        let reach = Reach::new(&self.pairs, self.triggers.len());
        for (root, operation) in self.roots.drain(..) {
            for trigger in reach.triggers(root) {
                let operations = &mut self.triggers[trigger].operations;
                // Consecutive roots often belong to the same operation.
                if operations.last() != Some(&operation) {
                    operations.push(operation);
                }
            }
        }
    }

    /// Builds the finding of one edit. The trigger of the highest level gives it its rule. None if the policy ignores
    /// all operations that it reaches.
    fn build_finding(&mut self, triggers: &[usize], shared: &mut Shared) -> Option<Finding> {
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
        let mut operations: Vec<usize> = rated
            .iter()
            .flat_map(|(_, _, index)| self.triggers[*index].operations.iter().copied())
            .collect();
        operations.sort_unstable();
        operations.dedup();
        let label = |operation: &usize| self.operations[*operation].label.clone();
        let (base, revision) = (&self.base.tree, &self.revision.tree);
        let (pointer, revision_id) = match edit.kind {
            EditKind::Removed => {
                let id = shared.siblings.locate_removed(base, revision, edit);
                (base.pointer(edit.base), id)
            }
            _ => (revision.pointer(edit.revision), edit.revision),
        };
        let values = self.edited_values(edit);
        let also = rated[1..].iter().map(|(level, _, index)| Consequence {
            id: self.triggers[*index].rule,
            level: *level,
        });
        let mut finding = Finding {
            id: trigger.rule,
            level,
            operations: operations.iter().map(label).collect(),
            fingerprint: fingerprint(trigger.rule, &pointer, &trigger.item, &values),
            pointer,
            base: locate(base, edit.base),
            revision: locate(revision, revision_id),
            message: trigger.message.clone(),
            also: also.filter(|also| also.id != trigger.rule).collect(),
            instance: None,
            acknowledged: None,
            bump,
        };
        if let Some(schemas) = trigger.schemas
            && level == Level::Error
        {
            let id = finding.id.as_str();
            let is_request = id.starts_with("request-") || id.starts_with("new-");
            let (base, revision) = (&mut self.base, &mut self.revision);
            finding.instance = shared.instances.find(base, revision, schemas, is_request);
        }
        Some(finding)
    }

    /// The values of a keyword in both documents. They distinguish acknowledgements of different values. None for arrays
    /// and objects, because other edits may change them.
    fn edited_values(&self, edit: &Edit) -> [Option<String>; 2] {
        let scalar = |tree: &Tree<'_>, id: Id| {
            let node = tree.node(id);
            let is_scalar = !matches!(node.value, Value::Object(_) | Value::Array(_));
            is_scalar.then(|| node.to_json().to_string())
        };
        [
            scalar(&self.base.tree, edit.base).filter(|_| edit.kind != EditKind::Added),
            scalar(&self.revision.tree, edit.revision).filter(|_| edit.kind != EditKind::Removed),
        ]
    }

    /// The level and the version increment: the highest of all operations. None if the policy ignores all of them.
    fn rate(&self, trigger: &Trigger) -> Option<(Level, Bump)> {
        let rule = trigger.rule.rule();
        let level = self.policy.level(trigger.rule);
        let depends = matches!(rule.category, Category::Interface | Category::Notice);
        if !depends || trigger.operations.is_empty() {
            return Some((level, bump(rule, level, Stability::Stable)));
        }
        let operations = trigger.operations.iter();
        operations
            .filter_map(|operation| {
                let stability = self.operations[*operation].stability;
                let rated = self.policy.level_at(rule, level, stability)?;
                Some((rated, bump(rule, level, stability)))
            })
            .max()
    }
}

/// The version increment that a rule requires. A break of an operation that is not stable requires a minor version.
fn bump(rule: &Rule, level: Level, stability: Stability) -> Bump {
    match rule.category {
        Category::Process => Bump::None,
        Category::Documentation => Bump::Patch,
        Category::Interface if level == Level::Error && stability == Stability::Stable => {
            Bump::Major
        }
        Category::Interface | Category::Notice => Bump::Minor,
    }
}

fn locate(tree: &Tree<'_>, id: Id) -> SourceLocation {
    tree.document().location(tree.position(id)).into()
}
