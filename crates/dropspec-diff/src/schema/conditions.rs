//! The keywords that OpenAPI 3.1 adds to 3.0.

use std::collections::BTreeMap;

use super::choices::{certain_branch, is_schema_of_nothing};
use super::{Additional, Bound, DOCUMENTATION, Number, Schema, Schemas, SetId};
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

impl Condition {
    /// Whether the counts of `contains` are among those of another.
    pub(crate) fn has_counts_within(&self, outer: &Condition) -> bool {
        let below = match (self.most, outer.most) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(inner), Some(outer)) => inner <= outer,
        };
        below && self.least >= outer.least
    }
}

/// The keyword and the name or the index of a schema that applies to a part of the value, or to all of it.
pub(crate) type FurtherKey<'d> = (&'static str, &'d str, usize);

/// The nodes of the schemas of keywords that apply together.
pub(super) type FurtherNodes<'d> = BTreeMap<FurtherKey<'d>, Vec<Id>>;

const MAPS: [&str; 2] = ["patternProperties", "dependentSchemas"];

/// The keywords that become conditions, each with those that are read with it.
const CONDITIONS: [&[&str]; 4] = [
    &["contains"],
    &["if", "then", "else"],
    &["unevaluatedItems"],
    &["unevaluatedProperties"],
];

impl<'d> Schemas<'d> {
    /// Merges one keyword of OpenAPI 3.1; false if it is none, or its value is not understood.
    pub(super) fn merge_newer_keyword(
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
                for (index, item) in self.tree.items(id).iter().enumerate() {
                    let nodes = further.entry(("prefixItems", "", index)).or_default();
                    nodes.push(*item);
                }
                node.as_array().is_some()
            }
            // A name is always a text.
            "propertyNames" if self.has_only(id, |it, value| it == "type" && value == "string") => {
                schema.ineffective.insert("propertyNames".to_owned());
                true
            }
            "propertyNames" => {
                let nodes = further.entry(("propertyNames", "", 0)).or_default();
                nodes.push(id);
                is_object
            }
            "dependentRequired" => {
                let mut is_understood = is_object;
                for (name, list) in self.tree.members(id) {
                    is_understood &= self.tree.node(list).as_array().is_some();
                    self.require_with(schema, name, self.tree.items(list));
                }
                is_understood
            }
            // They have no effect without `contains` and `if`, and are read with them.
            "minContains" | "maxContains" => node.as_number().is_some(),
            // What refers to `$defs` is compared where it is used.
            "then" | "else" | "$defs" => is_object,
            _ => {
                if let Some(map) = MAPS.iter().find(|map| **map == keyword) {
                    for (name, member) in self.tree.members(id) {
                        if keyword == "dependentSchemas"
                            && self.has_only(member, |it, _| it == "required")
                        {
                            self.require_with(schema, name, self.tree.list(member, "required"));
                        } else {
                            further.entry((map, name, 0)).or_default().push(member);
                        }
                    }
                    return is_object;
                }
                let parts = CONDITIONS.iter().find(|parts| parts[0] == keyword);
                parts.is_some_and(|parts| {
                    self.add_condition(schema, parts, atom);
                    is_object
                })
            }
        }
    }

    /// Adds what `dependentRequired` says: an object with one property has the others.
    fn require_with(&self, schema: &mut Schema<'d>, name: &'d str, others: &[Id]) {
        for item in others {
            if let Some(other) = self.tree.node(*item).as_str().filter(|it| *it != name) {
                schema.required_with.entry((name, other)).or_insert(*item);
            }
        }
    }

    /// Whether a node has no keywords but documentation and those that a function accepts by name and text.
    fn has_only(&self, node: Id, accepts: impl Fn(&str, &str) -> bool) -> bool {
        let mut members = self.tree.members(node);
        members.all(|(keyword, id)| {
            DOCUMENTATION.contains(&keyword)
                || accepts(keyword, self.tree.node(id).as_str().unwrap_or_default())
        })
    }

    /// Adds a condition of a node; of its parts, the first is the keyword. An `if` alone has no effect.
    fn add_condition(&mut self, schema: &mut Schema<'d>, keywords: &[&'static str], atom: Id) {
        let count = |key: &str| {
            let count = self
                .tree
                .get(atom, key)
                .filter(|_| keywords[0] == "contains")?;
            Number::new(self.tree.node(count).as_number()?)
        };
        let least = count("minContains").or_else(|| Number::new(&1.into()));
        let most = count("maxContains");
        let parts = keywords
            .iter()
            .filter_map(|it| Some((*it, self.tree.get(atom, it)?)));
        let parts: Vec<(&str, Id)> = parts.collect();
        // `minContains: 0` without a maximum demands nothing, and the schema of `if: true` is merged.
        let demands_nothing =
            keywords[0] == "contains" && most.is_none() && least == Number::new(&0.into());
        if demands_nothing || keywords[0] == "if" && certain_branch(&self.tree, atom).is_some() {
            schema.ineffective.insert(keywords[0].to_owned());
        } else if keywords.len() == 1 || parts.len() > 1 {
            schema.conditions.push(Condition {
                keyword: keywords[0],
                site: parts[0].1,
                least,
                most,
                parts: parts
                    .into_iter()
                    .map(|(it, id)| (it, self.set_at(id)))
                    .collect(),
            });
        }
    }

    /// A `contains` of any item only counts the items. It also evaluates them, for `unevaluatedItems`.
    pub(super) fn count_contained(&self, schema: &mut Schema<'d>) {
        let mut keywords = schema.conditions.iter().map(|it| it.keyword);
        if keywords.any(|keyword| keyword == "unevaluatedItems") {
            return;
        }
        let is_counted =
            |it: &mut Condition| it.keyword == "contains" && self.is_empty(it.parts["contains"]);
        let counted: Vec<Condition> = schema.conditions.extract_if(.., is_counted).collect();
        for Condition { least, most, .. } in counted {
            for (keyword, count) in [("minItems", least), ("maxItems", most)] {
                let bound = count.map(|value| Bound {
                    value,
                    exclusive: false,
                });
                bound
                    .into_iter()
                    .for_each(|bound| schema.tighten(keyword, bound));
            }
            schema.ineffective.insert("contains".to_owned());
        }
    }

    /// At the root of a schema without alternatives, `unevaluatedProperties` is `additionalProperties` of all that was
    /// merged, and `unevaluatedItems` is `items`. Beside these, which evaluate all the rest, they have no effect.
    pub(super) fn settle_unevaluated(
        &mut self,
        schema: &mut Schema<'d>,
        (root, atoms): (Option<Id>, &[Id]),
    ) {
        let has = |schema: &Schema<'_>, name: &str| {
            let mut keywords = schema.conditions.iter().map(|it| it.keyword);
            keywords.any(|keyword| keyword == name)
        };
        let has_branches = schema.has_choices()
            || has(schema, "if")
            || schema
                .further
                .keys()
                .any(|(keyword, ..)| *keyword == "dependentSchemas");
        for (keyword, other) in [
            ("unevaluatedProperties", "additionalProperties"),
            ("unevaluatedItems", "items"),
        ] {
            let are_items = other == "items";
            let own = root.and_then(|root| self.tree.get(root, keyword));
            let mut conditions = schema.conditions.iter();
            let Some(index) = conditions.position(|it| Some(it.site) == own) else {
                continue;
            };
            if atoms
                .iter()
                .any(|atom| self.tree.get(*atom, other).is_some())
            {
                schema.conditions.remove(index);
                schema.ineffective.insert(keyword.to_owned());
                continue;
            }
            if has_branches || are_items && has(schema, "contains") {
                continue;
            }
            let condition = schema.conditions.remove(index);
            let set = condition.parts[keyword];
            if are_items {
                schema.items = Some(set).filter(|set| !self.is_empty(*set));
            } else if self.accepts_nothing(set) {
                schema.additional = Additional::Forbidden;
            } else {
                schema.additional = Additional::Schema(set);
            }
        }
    }

    /// Whether a set is the schema `false`.
    pub(crate) fn accepts_nothing(&self, set: SetId) -> bool {
        let [node] = self.atoms(set) else {
            return false;
        };
        is_schema_of_nothing(&self.tree, *node)
    }
}
