//! The keywords that OpenAPI 3.1 adds to 3.0.

use std::collections::BTreeMap;

use super::{Additional, Number, Schema, Schemas, SetId};
use crate::tree::Id;

/// A keyword whose effect depends on what is beside it.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    /// `contains`, `if`, `unevaluatedItems` or `unevaluatedProperties`.
    pub(crate) keyword: &'static str,
    pub(crate) site: Id,
    /// How many items `contains` demands, and how many it allows.
    pub(crate) least: Option<Number>,
    pub(crate) most: Option<Number>,
    /// The schemas, each with its keyword.
    pub(crate) parts: BTreeMap<&'static str, SetId>,
}

/// The keyword and the name or the index of a schema that applies to a part of the value, or to all of it.
pub(crate) type FurtherKey<'d> = (&'static str, &'d str, usize);

/// The nodes of the schemas of keywords that apply together.
pub(super) type FurtherNodes<'d> = BTreeMap<FurtherKey<'d>, Vec<Id>>;

const MAPS: [&str; 2] = ["patternProperties", "dependentSchemas"];

impl<'d> Schemas<'d> {
    /// Merges one keyword of OpenAPI 3.1; false if it is none, or its value is not understood.
    pub(super) fn merge_newer(
        &mut self,
        schema: &mut Schema<'d>,
        further: &mut FurtherNodes<'d>,
        keyword: &str,
        (id, atom): (Id, Id),
    ) -> bool {
        let node = self.tree.node(id);
        let is_object = node.as_object().is_some();
        match keyword {
            "prefixItems" => {
                let items = self.tree.items(id).iter().enumerate();
                for (index, item) in items {
                    further
                        .entry(("prefixItems", "", index))
                        .or_default()
                        .push(*item);
                }
                node.as_array().is_some()
            }
            "propertyNames" => {
                further
                    .entry(("propertyNames", "", 0))
                    .or_default()
                    .push(id);
                is_object
            }
            "dependentRequired" => {
                let lists: Vec<(&'d str, Id)> = self.tree.members(id).collect();
                for (name, list) in &lists {
                    for item in self.tree.items(*list) {
                        if let Some(other) = self.tree.node(*item).as_str() {
                            schema.required_with.entry((name, other)).or_insert(*item);
                        }
                    }
                }
                let is_list = |(_, list): &(&str, Id)| self.tree.node(*list).as_array().is_some();
                is_object && lists.iter().all(is_list)
            }
            "contains" => {
                let count = |key: &str| {
                    let count = self.tree.get(atom, key)?;
                    Number::new(self.tree.node(count).as_number()?)
                };
                let least = count("minContains").or_else(|| Number::new(&1.into()));
                let counts = (least, count("maxContains"));
                self.add_condition(schema, "contains", counts, &[("contains", id)]);
                is_object
            }
            // They have no effect without `contains` and `if`, and are read with them.
            "minContains" | "maxContains" => node.as_number().is_some(),
            "then" | "else" => is_object,
            "if" => {
                let mut parts = vec![("if", id)];
                for keyword in ["then", "else"] {
                    parts.extend(self.tree.get(atom, keyword).map(|id| (keyword, id)));
                }
                if parts.len() > 1 {
                    self.add_condition(schema, "if", (None, None), &parts);
                }
                is_object
            }
            "unevaluatedItems" => {
                let parts = [("unevaluatedItems", id)];
                self.add_condition(schema, parts[0].0, (None, None), &parts);
                is_object
            }
            "unevaluatedProperties" => {
                let parts = [("unevaluatedProperties", id)];
                self.add_condition(schema, parts[0].0, (None, None), &parts);
                is_object
            }
            // What refers to them is compared where it is used.
            "$defs" => is_object,
            _ => match MAPS.iter().find(|map| **map == keyword) {
                Some(map) => {
                    for (name, member) in self.tree.members(id).collect::<Vec<_>>() {
                        further.entry((map, name, 0)).or_default().push(member);
                    }
                    is_object
                }
                None => false,
            },
        }
    }

    fn add_condition(
        &mut self,
        schema: &mut Schema<'d>,
        keyword: &'static str,
        (least, most): (Option<Number>, Option<Number>),
        parts: &[(&'static str, Id)],
    ) {
        let sets = parts.iter().map(|(name, id)| (*name, self.set_at(*id)));
        let parts_by_name = sets.collect();
        schema.conditions.push(Condition {
            keyword,
            site: parts[0].1,
            least,
            most,
            parts: parts_by_name,
        });
    }

    /// At the root of a schema without alternatives, `unevaluatedProperties` is `additionalProperties` of all that was
    /// merged.
    pub(super) fn settle_unevaluated(&mut self, schema: &mut Schema<'d>, root: Option<Id>) {
        let has_branches = schema.is_composed()
            || schema.conditions.iter().any(|it| it.keyword == "if")
            || schema
                .further
                .keys()
                .any(|(keyword, ..)| *keyword == "dependentSchemas");
        if has_branches || schema.additional != Additional::Any {
            return;
        }
        let own = root.and_then(|root| self.tree.get(root, "unevaluatedProperties"));
        let mut conditions = schema.conditions.iter();
        let Some(index) = conditions.position(|it| Some(it.site) == own) else {
            return;
        };
        let condition = schema.conditions.remove(index);
        let set = condition.parts["unevaluatedProperties"];
        schema.additional = if self.accepts_nothing(set) {
            Additional::Forbidden
        } else {
            Additional::Schema(set)
        };
    }

    /// Whether a set is the schema `false`.
    pub(crate) fn accepts_nothing(&self, set: SetId) -> bool {
        let [node] = self.atoms(set) else {
            return false;
        };
        let mut members = self.tree.members(*node);
        let only = members.next().filter(|_| members.next().is_none());
        only.is_some_and(|(keyword, id)| {
            keyword == "not"
                && self
                    .tree
                    .node(id)
                    .as_object()
                    .is_some_and(|it| it.is_empty())
        })
    }
}
