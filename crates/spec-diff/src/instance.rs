//! Finds a small value that is valid by one of two schemas only. It is validated against both.

mod probes;
mod work;

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;
use spec_schema::{Direction, to_json_schema};

use crate::finding::{Instance, Side};
use crate::schema::{Schemas, SetId};
use crate::tree::{Id, Tree};

/// Larger schemas, in characters, are not searched.
const LARGEST_SCHEMA: usize = 60_000;

/// Finds the instances of one comparison. A budget keeps the comparison of very different documents quick.
pub(crate) struct InstanceFinder {
    searches: usize,
    /// The remaining work, in visits to a schema.
    work: u64,
    /// The documents as plain JSON.
    documents: HashMap<Side, Value>,
    validators: HashMap<(Side, Id, Direction), Option<Rc<Validator>>>,
}

impl Default for InstanceFinder {
    fn default() -> InstanceFinder {
        InstanceFinder {
            searches: 200,
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

impl InstanceFinder {
    /// Finds a value that only the base accepts (in requests) or only the revision (in responses).
    pub(crate) fn find(
        &mut self,
        base: &mut Schemas<'_>,
        revision: &mut Schemas<'_>,
        (base_set, revision_set): (SetId, SetId),
        is_request: bool,
    ) -> Option<Instance> {
        self.searches = self.searches.checked_sub(1)?;
        let base_node = base.root(base_set)?;
        let revision_node = revision.root(revision_set)?;
        let direction = match is_request {
            true => Direction::Request,
            false => Direction::Response,
        };
        let old = self.validator(Side::Base, &base.tree, base_node, direction)?;
        let new = self.validator(Side::Revision, &revision.tree, revision_node, direction)?;
        let (accepting, rejecting, accepted_by) = match is_request {
            true => (&old, &new, Side::Base),
            false => (&new, &old, Side::Revision),
        };
        let mut values = probes::guess_values(base, base_set, revision, revision_set);
        values.extend(probes::guess_values(revision, revision_set, base, base_set));
        let guesses = values.len() as u64;
        let work = old.work.saturating_add(new.work).saturating_mul(guesses);
        self.work = self.work.checked_sub(work)?;
        let accepts = |validator: &Validator, value: &Value| validator.validator.is_valid(value);
        let shows = |value: &&Value| accepts(accepting, value) && !accepts(rejecting, value);
        let shown = values.iter().filter(shows);
        let value = shown.min_by_key(|value| value.to_string().len())?;
        Some(Instance {
            value: value.clone(),
            accepted_by,
            base_schema: base.tree.pointer(base_node),
            revision_schema: revision.tree.pointer(revision_node),
        })
    }

    fn validator(
        &mut self,
        side: Side,
        tree: &Tree<'_>,
        node: Id,
        direction: Direction,
    ) -> Option<Rc<Validator>> {
        let made = self.validators.entry((side, node, direction));
        made.or_insert_with(|| {
            let documents = &mut self.documents;
            let document = documents
                .entry(side)
                .or_insert_with(|| tree.document().root().to_json());
            build_validator(document, &tree.pointer(node), direction).map(Rc::new)
        })
        .clone()
    }
}

fn build_validator(document: &Value, pointer: &str, direction: Direction) -> Option<Validator> {
    let schema = to_json_schema(document, document.pointer(pointer)?, direction).ok()?;
    if schema.to_string().len() > LARGEST_SCHEMA {
        return None;
    }
    let validator = jsonschema::draft4::options()
        .should_validate_formats(false)
        .build(&schema)
        .ok()?;
    let work = work::estimate(&schema);
    Some(Validator { validator, work })
}
