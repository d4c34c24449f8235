//! Finds a small value that is valid by one of two schemas only. It is validated against both.

use std::cell::LazyCell;

use serde_json::{Value, json};
use spec_schema::Direction;

use crate::checker::Checker;
use crate::finding::{Instance, Side};
use crate::schema::{Schemas, SetId};
use crate::tree::{Id, Pair, Tree};

/// Finds the instances of one comparison. The number of searches keeps the comparison of very different documents quick.
pub(crate) struct InstanceFinder<'d> {
    searches: usize,
    base: Lazy<'d>,
    revision: Lazy<'d>,
}

/// The checker of a document, which is made on first use.
type Lazy<'d> = LazyCell<Checker, Box<dyn FnOnce() -> Checker + 'd>>;

/// The schemas of both documents, or the two that are compared.
type Both<'s, 'd> = (&'s Schemas<'d>, &'s Schemas<'d>);

impl<'d> InstanceFinder<'d> {
    pub(crate) fn new(base: &Tree<'d>, revision: &Tree<'d>) -> InstanceFinder<'d> {
        let lazy = |tree: &Tree<'d>| {
            let document = tree.document();
            Lazy::new(Box::new(move || Checker::new(document.root().to_json())))
        };
        InstanceFinder {
            searches: 100,
            base: lazy(base),
            revision: lazy(revision),
        }
    }

    /// Whether the base accepts a value that several members of a `oneOf` of the revision accept, so that it does not.
    pub(crate) fn is_ambiguous(
        &mut self,
        (base, revision): Both<'_, '_>,
        sets: (SetId, SetId),
        members: &[SetId],
    ) -> bool {
        let direction = Direction::Request;
        let combined = |checker: &Checker, schemas: &Schemas<'_>, set: SetId| {
            let nodes = match schemas.root(set) {
                Some(root) => vec![root],
                None => schemas.atoms(set).to_vec(),
            };
            combine(checker.document(), &schemas.tree, &nodes)
        };
        let old = combined(&self.base, base, sets.0);
        let new = combined(&self.revision, revision, sets.1);
        let (Some(old), Some(new), 1..) = (old, new, self.searches) else {
            return false;
        };
        let members = members
            .iter()
            .filter_map(|it| combined(&self.revision, revision, *it));
        let members: Vec<Value> = members.collect();
        let of_members = members.iter().flat_map(|member| {
            let samples = self.revision.samples(member, direction);
            samples.valid.clone()
        });
        let of_members = of_members.collect();
        let values = self.tell_apart(&old, &new, Side::Base, direction, of_members);
        let choice = members.iter();
        let choice = choice.filter_map(|it| self.revision.validator(it, direction));
        let choice: Vec<_> = choice.collect();
        values.into_iter().flatten().any(|value| {
            let accepting = choice.iter().filter(|it| it.is_valid(&value));
            accepting.count() > 1
        })
    }

    /// Finds a value that only the base accepts (in requests) or only the revision (in responses), given the nodes of the
    /// schemas.
    pub(crate) fn find(
        &mut self,
        (base, revision): Both<'_, '_>,
        nodes: Pair,
        is_request: bool,
    ) -> Option<Instance> {
        let (direction, accepted_by) = if is_request {
            (Direction::Request, Side::Base)
        } else {
            (Direction::Response, Side::Revision)
        };
        let pointers = [base.tree.pointer(nodes.0), revision.tree.pointer(nodes.1)];
        let old = self.base.document().pointer(&pointers[0])?.clone();
        let new = self.revision.document().pointer(&pointers[1])?.clone();
        let values = self.tell_apart(&old, &new, accepted_by, direction, Vec::new())?;
        Some(Instance {
            value: values
                .into_iter()
                .min_by_key(|value| value.to_string().len())?,
            accepted_by,
            base_schema: base.tree.written_pointer(nodes.0),
            revision_schema: revision.tree.written_pointer(nodes.1),
            nodes: pointers,
        })
    }

    /// Values, of `others` and of samples, that the schema of one side accepts and that of the other one rejects. None if the
    /// search was given up.
    fn tell_apart(
        &mut self,
        old: &Value,
        new: &Value,
        accepted_by: Side,
        direction: Direction,
        others: Vec<Value>,
    ) -> Option<Vec<Value>> {
        self.searches = self.searches.checked_sub(1)?;
        let ((accepting, accepted), (rejecting, rejected)) = match accepted_by {
            Side::Base => ((&*self.base, old), (&*self.revision, new)),
            Side::Revision => ((&*self.revision, new), (&*self.base, old)),
        };
        let accepts = accepting.validator(accepted, direction)?;
        let rejects = rejecting.validator(rejected, direction)?;
        let mut values = accepting.samples(accepted, direction).valid.clone();
        let samples = rejecting.samples(rejected, direction);
        values.extend(samples.invalid.iter().map(|(value, _)| value.clone()));
        values.extend(others);
        values.retain(|it| accepts.is_valid(it) && !rejects.is_valid(it));
        Some(values)
    }
}

/// The schema of the values that all nodes accept.
fn combine(document: &Value, tree: &Tree<'_>, nodes: &[Id]) -> Option<Value> {
    if let [node] = nodes {
        return document.pointer(&tree.pointer(*node)).cloned();
    }
    let references = nodes.iter().map(|node| {
        let pointer = tree.pointer(*node).replace('%', "%25");
        json!({ "$ref": format!("#{pointer}") })
    });
    Some(json!({ "allOf": references.collect::<Vec<Value>>() }))
}
