//! Finds a small value that is valid by one of two schemas only. It is validated against both.

mod probes;
mod work;

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Value, json};
use spec_schema::{Direction, to_json_schema};

use crate::finding::{Instance, Side};
use crate::schema::{Schemas, SetId};
use crate::tree::{Id, Tree};

/// Larger schemas, in characters, are not searched.
const LARGEST_SCHEMA: usize = 60_000;

/// Schemas whose validators take more work are not sampled.
const MOST_WORK_OF_SAMPLE: u64 = 1000;

/// Finds the instances of one comparison. A budget keeps the comparison of very different documents quick.
pub(crate) struct InstanceFinder {
    searches: usize,
    /// How many schemas may still be sampled.
    samples: usize,
    /// The remaining work, in visits to a schema.
    work: u64,
    /// The documents as plain JSON.
    documents: HashMap<Side, Value>,
    validators: HashMap<(Side, Vec<Id>, Messages), Option<Rc<Validator>>>,
}

/// The messages that a validator is for, and whether it checks formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Messages {
    direction: Direction,
    with_formats: bool,
}

impl Default for InstanceFinder {
    fn default() -> InstanceFinder {
        InstanceFinder {
            searches: 200,
            samples: 20,
            work: 30_000_000,
            documents: HashMap::new(),
            validators: HashMap::new(),
        }
    }
}

struct Validator {
    validator: jsonschema::Validator,
    /// The most work that the validation of a value takes.
    work: u64,
}

impl Validator {
    fn accepts(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }
}

impl InstanceFinder {
    /// Finds a value that the base accepts, and that several members of a `oneOf` of the revision accept, so that it does
    /// not.
    pub(crate) fn find_ambiguous(
        &mut self,
        base: &mut Schemas<'_>,
        revision: &mut Schemas<'_>,
        (base_set, revision_set): (SetId, SetId),
        members: &[SetId],
    ) -> Option<Value> {
        // A format can be all that distinguishes two members.
        let messages = Messages {
            direction: Direction::Request,
            with_formats: true,
        };
        let old_nodes = nodes(base, base_set);
        let new_nodes = nodes(revision, revision_set);
        let old = self.validator(Side::Base, &base.tree, &old_nodes, messages)?;
        let new = self.validator(Side::Revision, &revision.tree, &new_nodes, messages)?;
        let mut choice = Vec::new();
        for member in members {
            let nodes = nodes(revision, *member);
            choice.push(self.validator(Side::Revision, &revision.tree, &nodes, messages)?);
        }
        let values = self.guess_values(base, revision, (base_set, revision_set), [&old, &new])?;
        let shows = |value: &Value| {
            let matches = choice.iter().filter(|member| member.accepts(value));
            old.accepts(value) && !new.accepts(value) && matches.count() > 1
        };
        let found = values.into_iter().find(|value| shows(value));
        let sides = [
            (Side::Base, &base.tree, old_nodes),
            (Side::Revision, &revision.tree, new_nodes),
        ];
        let work = old.work.max(new.work);
        let sampled = sides.iter().filter(|_| found.is_none());
        let sampled =
            sampled.filter_map(|(side, tree, nodes)| self.sample(*side, tree, nodes, work));
        let sampled = sampled.flatten().find(shows);
        found.or(sampled)
    }

    /// Guesses values by both schemas, as long as the budget lasts.
    fn guess_values(
        &mut self,
        base: &mut Schemas<'_>,
        revision: &mut Schemas<'_>,
        (base_set, revision_set): (SetId, SetId),
        validators: [&Validator; 2],
    ) -> Option<Vec<Value>> {
        self.searches = self.searches.checked_sub(1)?;
        let mut values = probes::guess_values(base, base_set, revision, revision_set);
        values.extend(probes::guess_values(revision, revision_set, base, base_set));
        let [old, new] = validators.map(|it| it.work);
        let guesses = values.len() as u64;
        let work = old.saturating_add(new).saturating_mul(guesses);
        self.work = self.work.checked_sub(work)?;
        Some(values)
    }

    /// Samples a schema, which takes longer than guesses and finds more. `work` is that of its validator.
    fn sample(
        &mut self,
        side: Side,
        tree: &Tree<'_>,
        nodes: &[Id],
        work: u64,
    ) -> Option<Vec<Value>> {
        if work > MOST_WORK_OF_SAMPLE {
            return None;
        }
        self.samples = self.samples.checked_sub(1)?;
        let document = self.documents.get(&side)?;
        let schema = combine(document, tree, nodes)?;
        let samples = spec_samples::samples(document, &schema, Direction::Request);
        let samples = samples.ok()?;
        let invalid = samples.invalid.into_iter().map(|(value, _)| value);
        Some(samples.valid.into_iter().chain(invalid).collect())
    }

    /// Finds a value that only the base accepts (in requests) or only the revision (in responses).
    pub(crate) fn find(
        &mut self,
        base: &mut Schemas<'_>,
        revision: &mut Schemas<'_>,
        (base_set, revision_set): (SetId, SetId),
        is_request: bool,
    ) -> Option<Instance> {
        let base_node = base.root(base_set)?;
        let revision_node = revision.root(revision_set)?;
        let direction = if is_request {
            Direction::Request
        } else {
            Direction::Response
        };
        let messages = Messages {
            direction,
            with_formats: false,
        };
        let old = self.validator(Side::Base, &base.tree, &[base_node], messages)?;
        let new = self.validator(Side::Revision, &revision.tree, &[revision_node], messages)?;
        let (accepting, rejecting, accepted_by) = if is_request {
            (&old, &new, Side::Base)
        } else {
            (&new, &old, Side::Revision)
        };
        let values = self.guess_values(base, revision, (base_set, revision_set), [&old, &new])?;
        let shows = |value: &&Value| accepting.accepts(value) && !rejecting.accepts(value);
        let shown = values.iter().filter(shows);
        let value = shown.min_by_key(|value| value.to_string().len())?;
        Some(Instance {
            value: value.clone(),
            accepted_by,
            base_schema: base.tree.written_pointer(base_node),
            revision_schema: revision.tree.written_pointer(revision_node),
            nodes: [
                base.tree.pointer(base_node),
                revision.tree.pointer(revision_node),
            ],
        })
    }

    fn validator(
        &mut self,
        side: Side,
        tree: &Tree<'_>,
        nodes: &[Id],
        messages: Messages,
    ) -> Option<Rc<Validator>> {
        let made = self.validators.entry((side, nodes.to_vec(), messages));
        made.or_insert_with(|| {
            let documents = &mut self.documents;
            let document = documents
                .entry(side)
                .or_insert_with(|| tree.document().root().to_json());
            let schema = combine(document, tree, nodes)?;
            build_validator(document, &schema, messages).map(Rc::new)
        })
        .clone()
    }
}

/// The nodes that together say which values of a set are valid.
fn nodes(schemas: &Schemas<'_>, set: SetId) -> Vec<Id> {
    match schemas.root(set) {
        Some(root) => vec![root],
        None => schemas.atoms(set).to_vec(),
    }
}

/// The schema of the values that all nodes accept.
fn combine(document: &Value, tree: &Tree<'_>, nodes: &[Id]) -> Option<Value> {
    match nodes {
        [] => Some(json!({})),
        [node] => document.pointer(&tree.pointer(*node)).cloned(),
        _ => {
            let escaped = |node: &Id| tree.pointer(*node).replace('%', "%25");
            let references = nodes
                .iter()
                .map(|node| json!({ "$ref": format!("#{}", escaped(node)) }));
            Some(json!({ "allOf": references.collect::<Vec<Value>>() }))
        }
    }
}

fn build_validator(document: &Value, schema: &Value, messages: Messages) -> Option<Validator> {
    let schema = to_json_schema(document, schema, messages.direction).ok()?;
    if schema.to_string().len() > LARGEST_SCHEMA {
        return None;
    }
    let validator = spec_schema::options_for(&schema)
        .should_validate_formats(messages.with_formats)
        .build(&schema)
        .ok()?;
    let work = work::estimate(&schema);
    Some(Validator { validator, work })
}
