//! Looks for a small value that shows a difference between two schemas. What is handed back was checked against both.

mod probes;
mod work;

use serde_json::Value;
use spec_model::{Direction, json_schema};

use crate::finding::{Instance, Side};
use crate::schema::{Schemas, SetId};
use crate::tree::{Id, Tree};

/// A schema that is larger than this, in characters, costs more than its instance is worth.
const LARGEST_SCHEMA: usize = 60_000;

/// What may still be spent on instances in one comparison, so that a rewrite of the whole document stays quick.
pub(crate) struct Budget {
    searches: usize,
    work: u64,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            searches: 200,
            work: 30_000_000,
        }
    }
}

/// A value that the base takes and the revision refuses, in a request; the other way round in an answer.
pub(crate) fn find(
    budget: &mut Budget,
    base: &mut Schemas<'_>,
    revision: &mut Schemas<'_>,
    (base_set, revision_set): (SetId, SetId),
    request: bool,
) -> Option<Instance> {
    budget.searches = budget.searches.checked_sub(1)?;
    let base_node = base.root(base_set)?;
    let revision_node = revision.root(revision_set)?;
    let (old, old_work) = validator(&base.tree, base_node, request)?;
    let (new, new_work) = validator(&revision.tree, revision_node, request)?;
    let (taking, refusing, accepted_by) = match request {
        true => (&old, &new, Side::Base),
        false => (&new, &old, Side::Revision),
    };
    let mut values = probes::values(base, base_set, revision, revision_set);
    values.extend(probes::values(revision, revision_set, base, base_set));
    let work = old_work
        .saturating_add(new_work)
        .saturating_mul(values.len() as u64);
    budget.work = budget.work.checked_sub(work)?;
    let shows = |value: &&Value| taking.is_valid(value) && !refusing.is_valid(value);
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

fn validator(tree: &Tree<'_>, node: Id, request: bool) -> Option<(jsonschema::Validator, u64)> {
    let direction = match request {
        true => Direction::Request,
        false => Direction::Response,
    };
    let schema = json_schema(tree.document(), &tree.pointer(node), direction)?;
    if schema.to_string().len() > LARGEST_SCHEMA {
        return None;
    }
    let validator = jsonschema::draft4::options()
        .should_validate_formats(false)
        .build(&schema)
        .ok()?;
    Some((validator, work::of(&schema)))
}
