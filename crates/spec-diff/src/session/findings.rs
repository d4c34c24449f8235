//! What was found, put together: parts at one edit become one finding, weighed by the operations it reaches.

use indexmap::IndexMap;
use spec_model::Value;

use super::edit::{Edit, EditPlace, Siblings, Sort};
use super::reach::Reach;
use super::{Part, Session};
use crate::finding::{Consequence, Finding, Place, fingerprint};
use crate::instance;
use crate::policy::Stability;
use crate::rules::{Bump, Kind, Level, Rule};
use crate::tree::{Id, Tree};

/// What the findings share.
#[derive(Default)]
struct Spent {
    instances: instance::Search,
    siblings: Siblings,
}

impl Session<'_> {
    /// The findings: parts that stand at one edit are one finding.
    pub(crate) fn findings(mut self) -> Vec<Finding> {
        self.attach_reached();
        let mut by_place: IndexMap<EditPlace, Vec<usize>> = IndexMap::new();
        for (index, part) in self.parts.iter().enumerate() {
            by_place.entry(part.edit.place()).or_default().push(index);
        }
        let mut spent = Spent::default();
        by_place
            .into_values()
            .filter_map(|parts| {
                let edit = self.parts[parts[0]].edit.clone();
                self.finding(&edit, &parts, &mut spent)
            })
            .collect()
    }

    /// Tells the parts at schemas which operations reach them.
    fn attach_reached(&mut self) {
        let reach = Reach::of(&self.compared, self.parts.len());
        for (root, operation) in self.roots.drain(..) {
            for part in reach.parts(root) {
                let operations = &mut self.parts[part].operations;
                // Many parts of an operation begin with the same schema.
                if operations.last() != Some(&operation) {
                    operations.push(operation);
                }
            }
        }
    }

    fn finding(&mut self, edit: &Edit, parts: &[usize], spent: &mut Spent) -> Option<Finding> {
        let mut weighed: Vec<(Level, Bump, usize)> = parts
            .iter()
            .filter_map(|index| {
                let (level, bump) = self.weigh(&self.parts[*index])?;
                Some((level, bump, *index))
            })
            .collect();
        weighed.sort_by_key(|(level, _, index)| (std::cmp::Reverse(*level), *index));
        let (level, _, primary) = *weighed.first()?;
        let bump = weighed.iter().map(|(_, bump, _)| *bump).max()?;
        let part = &self.parts[primary];
        let mut operations: Vec<usize> = weighed
            .iter()
            .flat_map(|(_, _, index)| self.parts[*index].operations.iter().copied())
            .collect();
        operations.sort_unstable();
        operations.dedup();
        let label = |operation: &usize| self.operations[*operation].label.clone();
        let pointer = match edit.sort {
            Sort::Removed => self.base.tree.pointer(edit.base),
            Sort::Added | Sort::Changed => self.revision.tree.pointer(edit.revision),
        };
        let mut also: Vec<Consequence> = Vec::new();
        for (level, _, index) in &weighed[1..] {
            let id = self.parts[*index].rule.id.clone();
            if id != part.rule.id {
                let level = *level;
                also.push(Consequence { id, level });
            }
        }
        let mut finding = Finding {
            id: part.rule.id.clone(),
            level,
            operations: operations.iter().map(label).collect(),
            fingerprint: fingerprint(&part.rule.id, &pointer, &part.detail, &self.values(edit)),
            pointer,
            base: place(&self.base.tree, edit.base),
            revision: match edit.sort {
                Sort::Removed => {
                    let (base, revision) = (&self.base.tree, &self.revision.tree);
                    let stand = spent.siblings.would_stand(base, revision, edit);
                    place(revision, stand)
                }
                Sort::Added | Sort::Changed => place(&self.revision.tree, edit.revision),
            },
            message: part.message.clone(),
            also,
            instance: None,
            acknowledged: None,
            bump,
        };
        let schemas = part.schemas;
        if let Some(schemas) = schemas
            && level == Level::Error
        {
            let request = finding.id.starts_with("request-") || finding.id.starts_with("new-");
            let (base, revision) = (&mut self.base, &mut self.revision);
            finding.instance =
                instance::find(&mut spent.instances, base, revision, schemas, request);
        }
        Some(finding)
    }

    /// The values of a keyword before and after, so that agreeing to one is not agreeing to any other. Nothing for what
    /// has parts, which other edits may change.
    fn values(&self, edit: &Edit) -> [Option<String>; 2] {
        let scalar = |tree: &Tree<'_>, id: Id| {
            let node = tree.node(id);
            let has_parts = matches!(node.value, Value::Object(_) | Value::Array(_));
            (!has_parts).then(|| node.to_json().to_string())
        };
        let is = |sort| edit.sort == sort;
        [
            scalar(&self.base.tree, edit.base).filter(|_| !is(Sort::Added)),
            scalar(&self.revision.tree, edit.revision).filter(|_| !is(Sort::Removed)),
        ]
    }

    /// The worst of the operations decides. Nothing, if the policy looks at none of them.
    fn weigh(&self, part: &Part) -> Option<(Level, Bump)> {
        let rule = part.rule;
        let level = self.policy.level(rule);
        let weighs = matches!(rule.kind, Kind::Interface | Kind::Notice);
        if !weighs || part.operations.is_empty() {
            return Some((level, bump(rule, level, Stability::Stable)));
        }
        part.operations
            .iter()
            .filter_map(|operation| {
                let stability = self.operations[*operation].stability;
                let weighed = self.policy.weigh(rule, level, stability)?;
                Some((weighed, bump(rule, level, stability)))
            })
            .max()
    }
}

/// What breaks in an operation that is not stable moves the version less.
fn bump(rule: &Rule, level: Level, stability: Stability) -> Bump {
    match rule.kind {
        Kind::Process => Bump::None,
        Kind::Documentation => Bump::Patch,
        Kind::Interface if level == Level::Error && stability == Stability::Stable => Bump::Major,
        Kind::Interface | Kind::Notice => Bump::Minor,
    }
}

fn place(tree: &Tree<'_>, id: Id) -> Place {
    tree.document().location(tree.position(id)).into()
}
