//! Looks for a small value that shows a difference between two schemas. What is handed back was checked against both.

mod probes;
mod work;

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;
use spec_schema::{Direction, to_json_schema};

use crate::finding::{Instance, Side};
use crate::schema::{Schemas, SetId};
use crate::tree::{Id, Tree};

/// A schema that is larger than this, in characters, costs more than its instance is worth.
const LARGEST_SCHEMA: usize = 60_000;

/// The search for instances in one comparison: what may still be spent on it, so that a rewrite of the whole document
/// stays quick, and the validators that were made.
pub(crate) struct Search {
    searches: usize,
    work: u64,
    /// The documents as plain JSON.
    documents: HashMap<Side, Value>,
    validators: HashMap<(Side, Id, Direction), Option<Rc<Validator>>>,
}

impl Default for Search {
    fn default() -> Search {
        Search {
            searches: 200,
            work: 30_000_000,
            documents: HashMap::new(),
            validators: HashMap::new(),
        }
    }
}

struct Validator {
    validator: jsonschema::Validator,
    /// What it takes to validate a value, at most.
    work: u64,
}

/// A value that the base takes and the revision refuses, in a request; the other way round in an answer.
pub(crate) fn find(
    search: &mut Search,
    base: &mut Schemas<'_>,
    revision: &mut Schemas<'_>,
    (base_set, revision_set): (SetId, SetId),
    request: bool,
) -> Option<Instance> {
    search.searches = search.searches.checked_sub(1)?;
    let base_node = base.root(base_set)?;
    let revision_node = revision.root(revision_set)?;
    let direction = match request {
        true => Direction::Request,
        false => Direction::Response,
    };
    let old = search.validator(Side::Base, &base.tree, base_node, direction)?;
    let new = search.validator(Side::Revision, &revision.tree, revision_node, direction)?;
    let (taking, refusing, accepted_by) = match request {
        true => (&old, &new, Side::Base),
        false => (&new, &old, Side::Revision),
    };
    let mut values = probes::values(base, base_set, revision, revision_set);
    values.extend(probes::values(revision, revision_set, base, base_set));
    let guesses = values.len() as u64;
    let work = old.work.saturating_add(new.work).saturating_mul(guesses);
    search.work = search.work.checked_sub(work)?;
    let takes = |validator: &Validator, value: &Value| validator.validator.is_valid(value);
    let shows = |value: &&Value| takes(taking, value) && !takes(refusing, value);
    let value = values
        .iter()
        .filter(shows)
        .min_by_key(|value| value.to_string().len())?;
    Some(Instance {
        value: value.clone(),
        accepted_by,
        base_schema: base.tree.pointer(base_node),
        revision_schema: revision.tree.pointer(revision_node),
    })
}

impl Search {
    fn validator(
        &mut self,
        side: Side,
        tree: &Tree<'_>,
        node: Id,
        direction: Direction,
    ) -> Option<Rc<Validator>> {
        let document = self.documents.entry(side);
        let document = document.or_insert_with(|| tree.document().root().to_json());
        let made = self.validators.entry((side, node, direction));
        made.or_insert_with(|| validator(document, &tree.pointer(node), direction).map(Rc::new))
            .clone()
    }
}

fn validator(document: &Value, pointer: &str, direction: Direction) -> Option<Validator> {
    let schema = to_json_schema(document, document.pointer(pointer)?, direction).ok()?;
    if schema.to_string().len() > LARGEST_SCHEMA {
        return None;
    }
    let validator = jsonschema::draft4::options()
        .should_validate_formats(false)
        .build(&schema)
        .ok()?;
    let work = work::of(&schema);
    Some(Validator { validator, work })
}
