//! The state of one comparison: the two documents, and the rules that edits have triggered so far.

mod component;
mod findings;

use std::collections::{HashMap, VecDeque};

use dropspec_model::Stability;
use dropspec_schema::Direction;
use indexmap::IndexMap;

use crate::edit::{Edit, EditKind, RuleMatch};
use crate::finding::Side;
use crate::instance::{InstanceFinder, read_otherwise};
use crate::policy::Policy;
use crate::rules::RuleId;
use crate::schema::{Schemas, SetId, same_element};
use crate::schema_diff::{self, Documents, PairKey, SchemaContext};
use crate::tree::{Id, Pair, ROOTS, Tree};

/// An operation that either document has.
#[derive(Debug, Clone)]
pub(crate) struct ReachedOperation {
    /// The method and the path.
    pub(crate) label: String,
    pub(crate) path: String,
    pub(crate) tags: Vec<String>,
    pub(crate) stability: Stability,
    /// What it is called in messages if the service sends it: `webhook` or `callback`.
    pub(crate) sent_as: Option<&'static str>,
    /// The status of the response that is compared, if the operation has several.
    pub(crate) status: Option<String>,
}

/// A rule that an edit triggered.
struct Trigger {
    rule: RuleId,
    edit: Edit,
    message: String,
    /// Whether it is proved that no value that is sent becomes invalid.
    harmless: bool,
    /// Indices of the operations that the edit reaches.
    operations: Vec<usize>,
    schemas: Option<(SetId, SetId)>,
}

/// A pair of schemas that was compared.
#[derive(Default)]
struct ComparedPair {
    triggers: Vec<usize>,
    /// The pairs of schemas inside it.
    children: Vec<usize>,
}

/// The state of one comparison.
pub(crate) struct Session<'d> {
    pub(crate) base: Schemas<'d>,
    pub(crate) revision: Schemas<'d>,
    pub(crate) policy: &'d Policy,
    pub(crate) instances: InstanceFinder<'d>,
    /// What the URLs of all servers end with, in the base and in the revision, if it moved between them and the paths.
    pub(crate) moved_prefixes: [&'d str; 2],
    operations: Vec<ReachedOperation>,
    current: Option<usize>,
    triggers: IndexMap<(RuleId, Edit, bool), Trigger>,
    pairs: IndexMap<PairKey, ComparedPair>,
    /// By the schema of the base, those of the revision in `pairs`.
    counterparts: HashMap<SetId, Vec<SetId>>,
    /// Pairs that operations use directly, each with the operation.
    roots: Vec<(usize, usize)>,
}

impl<'d> Session<'d> {
    pub(crate) fn new(base: Tree<'d>, revision: Tree<'d>, policy: &'d Policy) -> Session<'d> {
        Session {
            instances: InstanceFinder::new(&base, &revision),
            base: Schemas::new(base),
            revision: Schemas::new(revision),
            policy,
            moved_prefixes: [""; 2],
            operations: Vec::new(),
            current: None,
            triggers: IndexMap::new(),
            pairs: IndexMap::new(),
            counterparts: HashMap::new(),
            roots: Vec::new(),
        }
    }

    /// Reads something of both documents.
    pub(crate) fn both<T>(
        &self,
        (base, revision): Pair,
        read: impl Fn(&Tree<'d>, Id) -> T,
    ) -> (T, T) {
        (
            read(&self.base.tree, base),
            read(&self.revision.tree, revision),
        )
    }

    /// The member `key` in both documents, or the nodes that would contain it.
    pub(crate) fn containers(&self, pair: Pair, key: &str) -> Pair {
        self.both(pair, |tree, id| tree.container(id, key))
    }

    /// A section of the components in both documents.
    pub(crate) fn component_lists(&self, section: &str) -> Pair {
        self.both(ROOTS, |tree, _| tree.component_list(section))
    }

    /// The edit of the first of `keywords` that either node has.
    pub(crate) fn keyword_edit(&self, pair: Pair, keywords: &[&str]) -> Edit {
        let (base, revision) = self.both(pair, |tree, id| {
            keywords.iter().find_map(|keyword| tree.get(id, keyword))
        });
        Edit::between(base, revision, pair).item(keywords[0])
    }

    /// Whether two elements differ after `$ref`s are followed. Documentation counts, the order of keys does not. An
    /// absent element equals an empty object.
    pub(crate) fn elements_differ(&mut self, base: Option<Id>, revision: Option<Id>) -> bool {
        let is_empty = |tree: &Tree<'_>, id: Option<Id>| {
            id.is_none_or(|id| tree.node(id).as_object().is_some_and(|o| o.is_empty()))
        };
        match (base, revision) {
            (Some(base), Some(revision)) => {
                !same_element(&mut self.base, base, &mut self.revision, revision)
            }
            _ => !is_empty(&self.base.tree, base) || !is_empty(&self.revision.tree, revision),
        }
    }

    /// Whether a schema of the base accepts a text that is sent without a type. Of one that is too large it is not known, and
    /// it may.
    pub(crate) fn base_accepts_text(&mut self, schema: Id, text: &str) -> bool {
        let set = self.base.set_at(schema);
        let direction = Direction::Request;
        let validator = self
            .instances
            .validator(Side::Base, &self.base, set, direction);
        let values = [text.into()];
        let others = values.iter().filter_map(read_otherwise).collect::<Vec<_>>();
        let mut values = values.iter().chain(&others);
        validator.is_none_or(|it| values.any(|value| it.is_valid(value) != Some(false)))
    }

    /// Compares with `compare` for one operation: all edits that it reports reach this operation.
    pub(crate) fn within(&mut self, operation: ReachedOperation, compare: impl FnOnce(&mut Self)) {
        let outer = self.current.replace(self.operations.len());
        self.operations.push(operation);
        compare(self);
        self.current = outer;
    }

    /// The current operation.
    pub(crate) fn operation(&self) -> Option<&ReachedOperation> {
        self.current.map(|index| &self.operations[index])
    }

    /// The stability of the current operation; outside operations, stable.
    pub(crate) fn stability(&self) -> Stability {
        let operation = self.operation();
        operation.map_or(Stability::Stable, |operation| operation.stability)
    }

    /// The method of the current operation.
    pub(crate) fn method(&self) -> &str {
        let operation = self.current.map(|index| &self.operations[index]);
        let label = operation.map_or("", |operation| &operation.label);
        label.split_once(' ').map_or("", |(method, _)| method)
    }

    /// Reports that `edit` triggers `rule`.
    pub(crate) fn report(&mut self, rule: RuleId, edit: Edit, message: impl Into<String>) {
        self.report_match(RuleMatch {
            rule,
            edit,
            message: message.into(),
            harmless: false,
        });
    }

    /// Reports that `edit` triggers `rule` and breaks nobody.
    pub(crate) fn report_harmless(&mut self, rule: RuleId, edit: Edit, message: String) {
        self.report_match(RuleMatch {
            rule,
            edit,
            message,
            harmless: true,
        });
    }

    fn report_match(&mut self, found: RuleMatch) {
        let trigger = self.add_trigger(found, None);
        self.triggers[trigger].operations.extend(self.current);
    }

    /// Reports that the edit of a keyword triggers `rule`.
    pub(crate) fn report_keyword(
        &mut self,
        rule: RuleId,
        pair: Pair,
        keyword: &str,
        message: impl Into<String>,
    ) {
        self.report(rule, self.keyword_edit(pair, &[keyword]), message);
    }

    /// Reports that `subject` was removed (the first rule) or added (the second). Other edits are not reported.
    pub(crate) fn report_presence(&mut self, rules: [RuleId; 2], edit: Edit, subject: &str) {
        match edit.kind {
            EditKind::Removed => self.report(rules[0], edit, format!("{subject} was removed")),
            EditKind::Added => self.report(rules[1], edit, format!("{subject} was added")),
            EditKind::Changed => {}
        }
    }

    /// Adds a trigger, unless it is known; its index.
    fn add_trigger(&mut self, found: RuleMatch, schemas: Option<(SetId, SetId)>) -> usize {
        let RuleMatch {
            rule,
            edit,
            message,
            harmless,
        } = found;
        let edit = self.to_component_edit(edit);
        let entry = self.triggers.entry((rule, edit.clone(), harmless));
        let index = entry.index();
        entry.or_insert_with(|| Trigger {
            rule,
            edit,
            message,
            harmless,
            operations: Vec::new(),
            schemas,
        });
        index
    }

    /// Compares two schemas and all schemas inside them. A queue replaces recursion: a chain of references can be as long as
    /// the document.
    pub(crate) fn compare_schemas(
        &mut self,
        base: SetId,
        revision: SetId,
        context: SchemaContext,
        place: &str,
    ) {
        let key = PairKey {
            base,
            revision,
            context,
        };
        let mut queue = VecDeque::new();
        let root = self.add_pair(key, place.to_owned(), &mut queue);
        while let Some((index, key, place)) = queue.pop_front() {
            let documents = Documents {
                base: &mut self.base,
                revision: &mut self.revision,
                policy: self.policy,
                instances: &mut self.instances,
            };
            let found = schema_diff::compare(documents, key, &place);
            for it in found.rule_matches {
                let schemas = Some((key.base, key.revision));
                let trigger = self.add_trigger(it, schemas);
                self.pairs[index].triggers.push(trigger);
            }
            for (key, place) in found.children {
                let child = self.add_pair(key, place, &mut queue);
                self.pairs[index].children.push(child);
            }
        }
        let roots = self.current.map(|operation| (root, operation));
        self.roots.extend(roots);
    }

    /// The index of a pair. A new one is added to the queue of those that are to be compared.
    fn add_pair(
        &mut self,
        key: PairKey,
        place: String,
        queue: &mut VecDeque<(usize, PairKey, String)>,
    ) -> usize {
        self.pairs.get_index_of(&key).unwrap_or_else(|| {
            let (index, _) = self.pairs.insert_full(key, ComparedPair::default());
            let known = self.counterparts.entry(key.base).or_default();
            known.push(key.revision);
            queue.push_back((index, key, place));
            index
        })
    }

    /// The schemas of the revision that a schema of the base was compared with.
    pub(crate) fn counterparts(&self, base: SetId) -> Vec<SetId> {
        self.counterparts.get(&base).cloned().unwrap_or_default()
    }
}
