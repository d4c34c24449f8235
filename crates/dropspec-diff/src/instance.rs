//! Finds a small value that is valid by one of two schemas only. It is validated against both.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::rc::Rc;

use dropspec_schema::Direction;
use dropspec_schema::pointer::unescape;
use serde_json::{Value, json};

use crate::checker::{Checker, SchemaValidator, build_for};
use crate::edit::{EditKind, EditedNodes};
use crate::finding::{Instance, Side};
use crate::proof::MOST_PROVED;
use crate::proof::undo::undo_within;
use crate::rules::RuleId;
use crate::schema::{Schemas, SetId};
use crate::tree::{Id, Tree};

/// Finds the instances of one comparison. The numbers of searches keep the comparison of very different documents quick.
pub(crate) struct InstanceFinder<'d> {
    /// How many more breaks are searched for an instance.
    searches: usize,
    /// How many more choices are searched for values that several members accept.
    searches_of_choices: usize,
    base: Lazy<'d>,
    revision: Lazy<'d>,
    /// Values that several members of a choice accept, by the schemas that have the choice.
    ambiguous: HashMap<(SetId, SetId), Value>,
    /// Copies of both documents, in which edits are undone for a moment.
    undone: [Option<Value>; 2],
}

/// The most objects of a member of a choice that are united with those of another.
const MOST_UNITED: usize = 8;

/// The most objects that are made of two.
const MOST_UNIONS: usize = 10_000;

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
            searches: MOST_PROVED,
            searches_of_choices: MOST_PROVED,
            base: lazy(base),
            revision: lazy(revision),
            ambiguous: HashMap::new(),
            undone: [None, None],
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
        let old = combined(&self.base, base, sets.0);
        let new = combined(&self.revision, revision, sets.1);
        let left = self.searches_of_choices.checked_sub(1);
        let (Some(old), Some(new), Some(left)) = (old, new, left) else {
            return false;
        };
        self.searches_of_choices = left;
        let members = members
            .iter()
            .filter_map(|it| combined(&self.revision, revision, *it));
        let members: Vec<Value> = members.collect();
        let of_members = members.iter().map(|member| {
            let samples = self.revision.samples(member, direction);
            samples.valid.clone()
        });
        let of_members: Vec<Vec<Value>> = of_members.collect();
        let of_members = [union_objects(&of_members), of_members.concat()].concat();
        let values = self.tell_apart(&old, &new, Side::Base, direction, of_members);
        let choice = members.iter();
        let choice = choice.filter_map(|it| self.revision.validator(it, direction));
        let choice: Vec<_> = choice.collect();
        let found = values.into_iter().flatten().find(|value| {
            let accepting = choice.iter().filter(|it| it.is_valid(value) == Some(true));
            accepting.count() > 1
        });
        let is_ambiguous = found.is_some();
        self.ambiguous.extend(found.map(|value| (sets, value)));
        is_ambiguous
    }

    /// The validator of a schema of one document.
    pub(crate) fn validator(
        &self,
        side: Side,
        schemas: &Schemas<'_>,
        set: SetId,
        direction: Direction,
    ) -> Option<Rc<SchemaValidator>> {
        let checker = match side {
            Side::Base => &self.base,
            Side::Revision => &self.revision,
        };
        checker.validator(&combined(checker, schemas, set)?, direction)
    }

    /// Finds a value that only the base accepts (in requests) or only the revision (in responses), because of one edit.
    pub(crate) fn find(
        &mut self,
        (base, revision): Both<'_, '_>,
        sets: (SetId, SetId),
        (edit, rule): (&EditedNodes, RuleId),
    ) -> Option<Instance> {
        let nodes = (base.root(sets.0)?, revision.root(sets.1)?);
        let is_request = rule.as_str().starts_with("request-") || rule.as_str().starts_with("new-");
        let (direction, accepted_by) = if is_request {
            (Direction::Request, Side::Base)
        } else {
            (Direction::Response, Side::Revision)
        };
        let pointers = [base.tree.pointer(nodes.0), revision.tree.pointer(nodes.1)];
        let is_ambiguous = rule.as_str().ends_with("one-of-became-ambiguous");
        let ambiguous = self.ambiguous.get(&sets).filter(|_| is_ambiguous);
        let value = match ambiguous {
            Some(value) => value.clone(),
            None => {
                let old = self.base.document().pointer(&pointers[0])?.clone();
                let new = self.revision.document().pointer(&pointers[1])?.clone();
                self.searches = self.searches.checked_sub(1)?;
                let values = self.tell_apart(&old, &new, accepted_by, direction, Vec::new())?;
                self.find_of_edit(values, edit, (&pointers, accepted_by), direction)?
            }
        };
        Some(Instance {
            value,
            accepted_by,
            base_schema: base.tree.written_pointer(nodes.0),
            revision_schema: revision.tree.written_pointer(nodes.1),
            nodes: pointers,
        })
    }

    /// The shortest of the values that nothing but an edit makes invalid.
    fn find_of_edit(
        &mut self,
        mut values: Vec<Value>,
        edit: &EditedNodes,
        (pointers, accepted_by): (&[String; 2], Side),
        direction: Direction,
    ) -> Option<Value> {
        values.sort_by_cached_key(|value| value.to_string().len());
        values.first()?;
        let (base, revision) = (self.base.document(), self.revision.document());
        let (rejecting, other, edit) = match accepted_by {
            Side::Base => (revision, base, edit.clone()),
            Side::Revision => (base, revision, edit.reversed()),
        };
        let index = usize::from(accepted_by == Side::Base);
        let undone = self.undone[index].get_or_insert_with(|| rejecting.clone());
        let validator = undo_within(undone, other, &edit, |document| {
            let schema = document.pointer(&pointers[index])?;
            build_for(&values, document, schema, direction)
        });
        let validator = validator??;
        // Of a property with another name, one shows the edit that lacks it.
        let last = |pointer: &str| pointer.rsplit('/').next().map(unescape);
        let name = last(&edit.revision).filter(|name| {
            edit.kind == EditKind::Changed && last(&edit.base).as_ref() != Some(name)
        });
        let lacks = |value: &Value| name.as_ref().is_none_or(|name| value.get(name).is_none());
        values
            .into_iter()
            .find(|value| lacks(value) && validator.is_valid(value))
    }

    /// Values, of `others` and of samples, that the schema of one side accepts and that of the other one rejects. None if
    /// one of them is too large.
    fn tell_apart(
        &self,
        old: &Value,
        new: &Value,
        accepted_by: Side,
        direction: Direction,
        others: Vec<Value>,
    ) -> Option<Vec<Value>> {
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
        values
            .retain(|it| accepts.is_valid(it) == Some(true) && rejects.is_valid(it) == Some(false));
        Some(values)
    }
}

/// The other value that the text of a value without a type can be: `1` is also `"1"`.
pub(crate) fn read_otherwise(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(_) | Value::Number(_) => Some(value.to_string().into()),
        Value::String(text) => {
            let read: Value = serde_json::from_str(text).ok()?;
            let is_other = read.is_boolean() || read.is_number();
            let written = read.to_string();
            Some(read).filter(|_| is_other && written == *text && !text.ends_with(".0"))
        }
        _ => None,
    }
}

/// Objects that have the properties of values of two members.
fn union_objects(of_members: &[Vec<Value>]) -> Vec<Value> {
    let objects = |values: &[Value]| {
        let objects = values.iter().filter_map(Value::as_object);
        objects.take(MOST_UNITED).cloned().collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for (index, values) in of_members.iter().enumerate() {
        for other in &of_members[index + 1..] {
            for object in objects(values) {
                let united = objects(other).into_iter().map(|mut other| {
                    other.extend(object.clone());
                    Value::Object(other)
                });
                found.extend(united);
            }
            if found.len() >= MOST_UNIONS {
                return found;
            }
        }
    }
    found
}

/// The schema of a set.
fn combined(checker: &Checker, schemas: &Schemas<'_>, set: SetId) -> Option<Value> {
    let nodes = match schemas.root(set) {
        Some(root) => vec![root],
        None => schemas.atoms(set).to_vec(),
    };
    combine(checker.document(), &schemas.tree, &nodes)
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
