//! Brings `oneOf` and `anyOf` into one form: a choice of one schema is that schema, a choice between listed values is an
//! `enum`, and a member that accepts only `null` makes the choice nullable.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use dropspec_model::{Node, Value};

use super::null_keywords::{Way, node_allows_null};
use super::{Choice, ChoiceKind, Schema, Schemas, SetId};
use crate::canonical;
use crate::tree::{Id, Tree};

pub(super) const KEYWORDS: [&str; 2] = ["oneOf", "anyOf"];

/// The node and all nodes that its `allOf`s, its choices of one schema and its `if: true` lead to, without the members that are left out.
pub(super) fn flatten(tree: &Tree<'_>, node: Id, left_out: &[Id]) -> Vec<Id> {
    let mut waiting = vec![node];
    let mut met = HashSet::new();
    let mut atoms = Vec::new();
    while let Some(node) = waiting.pop() {
        let node = tree.resolve(node);
        if met.insert(node) {
            atoms.push(node);
            let members = tree.list(node, "allOf").iter().copied();
            let members = members.chain(find_single(tree, node));
            let certain = certain_branch(tree, node).and_then(|branch| tree.get(node, branch));
            let members = members.chain(certain);
            waiting.extend(members.filter(|member| !left_out.contains(member)));
        }
    }
    atoms
}

/// The keyword of the schema that applies to all values, where `if` is `true` or `false`.
pub(super) fn certain_branch(tree: &Tree<'_>, atom: Id) -> Option<&'static str> {
    let condition = tree.get(atom, "if");
    let condition = condition.filter(|_| tree.document().uses_json_schema())?;
    let is_true = tree.node(condition).as_object()?.is_empty();
    let otherwise = || is_schema_of_nothing(tree, condition).then_some("else");
    is_true.then_some("then").or_else(otherwise)
}

/// Whether a node is the schema `false`.
pub(super) fn is_schema_of_nothing(tree: &Tree<'_>, node: Id) -> bool {
    let members: Vec<(&str, Id)> = tree.members(node).collect();
    let is_empty = |id: Id| tree.node(id).as_object().is_some_and(|it| it.is_empty());
    matches!(members[..], [("not", id)] if is_empty(id))
}

/// The members of the choices of a node that have no other member. With a discriminator, others will follow.
pub(super) fn find_single(tree: &Tree<'_>, atom: Id) -> Vec<Id> {
    if tree.get(atom, "discriminator").is_some() {
        return Vec::new();
    }
    let choices = KEYWORDS.iter().map(|keyword| read(tree, atom, keyword).0);
    let single = choices.filter(|members| members.len() == 1);
    single.map(|members| members[0]).collect()
}

/// The members of `oneOf` or `anyOf` of a node; one that accepts only `null` is apart.
fn read(tree: &Tree<'_>, atom: Id, keyword: &str) -> (Vec<Id>, Option<Id>) {
    let items = tree.list(atom, keyword);
    let is_null = |item: &&Id| accepts_only_null(tree, **item);
    let others: Vec<Id> = items.iter().filter(|it| !is_null(it)).copied().collect();
    // By `oneOf`, a `null` that another member accepts is not valid.
    let rejected = |item: &Id| !node_allows_null(tree, *item, &mut Way::default());
    let splits = match keyword {
        "oneOf" => items.len() == others.len() + 1 && others.iter().all(rejected),
        _ => true,
    };
    if others.is_empty() || !splits {
        (items.to_vec(), None)
    } else {
        (others, items.iter().find(is_null).copied())
    }
}

pub(super) fn accepts_only_null(tree: &Tree<'_>, item: Id) -> bool {
    const HARMLESS: [&str; 5] = ["type", "enum", "nullable", "title", "description"];
    let node = tree.resolve(item);
    let values = tree.list(node, "enum");
    let lists_null = matches!(values, [value] if tree.node(*value).value == Value::Null);
    // In 3.1 another type excludes it.
    let has_other_type = tree.get(node, "type").is_some() && !tree.flag(node, "nullable");
    let lists_null = lists_null && !(has_other_type && tree.document().uses_json_schema());
    (lists_null || tree.text(node, "type") == Some("null"))
        && tree.members(node).all(|(key, _)| HARMLESS.contains(&key))
}

/// What a schema that does nothing but list values says.
struct Listed<'d> {
    values: BTreeMap<String, Id>,
    types: Option<BTreeSet<&'d str>>,
    documentation: Vec<String>,
}

impl<'d> Schemas<'d> {
    /// The set in which a choice of one schema at the root stays a choice; none if there is no such choice.
    pub(crate) fn keep_choices(&mut self, set: SetId) -> Option<SetId> {
        let root = self.root(set)?;
        let single = find_single(&self.tree, root);
        (!single.is_empty()).then(|| self.set_at_without(root, &single))
    }

    /// Adds the choice at a node, unless its only member is merged into the schema. Returns whether it is well-formed.
    pub(super) fn merge_choice(
        &mut self,
        choices: &mut Vec<Choice>,
        (atom, keyword, id): (Id, &str, Id),
        atoms: &[Id],
    ) -> bool {
        let (members, _) = read(&self.tree, atom, keyword);
        let is_merged = match members[..] {
            [only] => {
                let target = self.tree.resolve(only);
                find_single(&self.tree, atom).contains(&only) && atoms.contains(&target)
            }
            _ => false,
        };
        if !is_merged && !members.is_empty() {
            let members = members.into_iter();
            choices.push(members.map(|item| self.set_at(item)).collect());
        }
        self.tree.node(id).as_array().is_some()
    }

    /// Replaces choices between listed values by an `enum`.
    pub(super) fn list_values(&mut self, schema: &mut Schema<'d>, atoms: &[Id]) {
        if schema.discriminator.is_some() {
            return;
        }
        for kind in ChoiceKind::ALL {
            for choice in std::mem::take(&mut schema.choices[kind as usize]) {
                let members: Option<Vec<Listed<'d>>> =
                    choice.iter().map(|set| self.read_listed(*set)).collect();
                match members {
                    Some(members) => {
                        let null = self.find_null(&choice, atoms);
                        add_values(schema, members, kind, null);
                    }
                    None => schema.choices[kind as usize].push(choice),
                }
            }
        }
    }

    /// The member for `null` beside the members of a choice.
    fn find_null(&mut self, choice: &Choice, atoms: &[Id]) -> Option<Id> {
        for atom in atoms {
            for keyword in KEYWORDS {
                let (members, null) = read(&self.tree, *atom, keyword);
                let sets = members.iter().map(|member| self.set_at(*member));
                if null.is_some() && sets.eq(choice.iter().copied()) {
                    return null;
                }
            }
        }
        None
    }

    fn read_listed(&self, set: SetId) -> Option<Listed<'d>> {
        let tree = &self.tree;
        let mut values: Option<BTreeMap<String, Id>> = None;
        let mut types: Option<BTreeSet<&str>> = None;
        let mut documentation = Vec::new();
        for atom in self.atoms(set) {
            tree.node(*atom).as_object()?;
            for (keyword, id) in tree.members(*atom) {
                let node: &'d Node = tree.node(id);
                match keyword {
                    "enum" if self.merge_values(&mut values, id) => {}
                    "type" => {
                        let name = node.as_str()?;
                        let own = types.get_or_insert_with(|| [name].into());
                        own.retain(|other| *other == name);
                    }
                    "title" | "description" => documentation.push(canonical::to_text(node)),
                    "allOf" => {}
                    _ => return None,
                }
            }
        }
        let mut values = values?;
        if let Some(types) = &types {
            values.retain(|text, _| match type_of_text(text) {
                Some("integer") => types.contains("integer") || types.contains("number"),
                Some(name) => types.contains(name),
                None => false,
            });
        }
        Some(Listed {
            values,
            types,
            documentation,
        })
    }
}

fn add_values<'d>(
    schema: &mut Schema<'d>,
    members: Vec<Listed<'d>>,
    kind: ChoiceKind,
    null: Option<Id>,
) {
    let mut found: BTreeMap<String, (Id, usize)> = BTreeMap::new();
    let mut types: Option<BTreeSet<&str>> = Some(BTreeSet::new());
    for member in members {
        for text in member.documentation {
            // Which value is described does not get lost.
            let names: Vec<&str> = member.values.keys().map(String::as_str).collect();
            let text = serde_json::Value::from(format!("{}: {text}", names.join(", ")));
            let texts = schema.rest.entry("description").or_default();
            texts.insert(text.to_string());
        }
        for (value, id) in member.values {
            found.entry(value).or_insert((id, 0)).1 += 1;
        }
        types = types.zip(member.types).map(|(mut all, own)| {
            all.extend(own);
            all
        });
    }
    // By `oneOf`, a value of two members is not valid.
    found.retain(|_, (_, count)| kind == ChoiceKind::AnyOf || *count == 1);
    let mut values: BTreeMap<String, Id> = found
        .into_iter()
        .map(|(text, (id, _))| (text, id))
        .collect();
    values.extend(null.map(|id| ("null".to_owned(), id)));
    match &mut schema.enumeration {
        Some(others) => others.retain(|value, _| values.contains_key(value)),
        None => schema.enumeration = Some(values),
    }
    if schema.types.is_none() {
        schema.types = types;
    }
    if let Some(site) = schema.sites.get(kind.keyword()).copied() {
        schema.sites.entry("enum").or_insert(site);
    }
}

/// The type of a value, given as canonical text, as `type` names it; `null` has none in OpenAPI 3.0.
pub(crate) fn type_of_text(text: &str) -> Option<&'static str> {
    Some(match serde_json::from_str(text).ok()? {
        serde_json::Value::Null => return None,
        serde_json::Value::Bool(_) => "boolean",
        serde_json::Value::Number(number) if number.is_f64() => "number",
        serde_json::Value::Number(_) => "integer",
        serde_json::Value::String(_) => "string",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::Object(_) => "object",
    })
}
