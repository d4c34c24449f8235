//! Schemas that lead back to themselves for the same value: a base whose `oneOf` lists the schemas that extend it by
//! `allOf` is usual. A validator would follow such a circle without end, so it is cut where the value is already known
//! to be checked.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::reference::{reference_of, resolve};

/// Keywords with schemas that apply to the same value.
const KEYWORDS: [&str; 7] = [
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "then",
    "else",
    "dependentSchemas",
];

/// Which schemas lead to which for the same value.
pub(crate) struct InPlace<'d> {
    document: &'d Value,
    reached: RefCell<BTreeMap<&'d str, BTreeSet<&'d str>>>,
}

impl<'d> InPlace<'d> {
    pub(crate) fn new(document: &'d Value) -> Self {
        Self {
            document,
            reached: RefCell::default(),
        }
    }

    /// Whether the schema `from` leads to `to`, both given by reference.
    pub(crate) fn leads_to(&self, from: &'d str, to: &str) -> bool {
        let mut reached = self.reached.borrow_mut();
        let reached = reached.entry(from).or_insert_with(|| self.reach(from));
        reached.contains(to)
    }

    /// Whether a schema leads back to itself by its unions, directly or by unions inside.
    pub(crate) fn has_circular_union(&self, reference: &'d str) -> bool {
        let mut found = Vec::new();
        if let Some(schema) = self.target(reference) {
            collect(schema, &["anyOf", "oneOf"], &mut found);
        }
        found
            .into_iter()
            .any(|variant| self.leads_to(variant, reference) || variant == reference)
    }

    fn target(&self, reference: &'d str) -> Option<&'d Value> {
        let pointer = crate::pointer_of_reference(reference)?;
        let schema = crate::find(self.document, &pointer)?;
        resolve(self.document, schema)
    }

    fn reach(&self, from: &'d str) -> BTreeSet<&'d str> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(reference) = open.pop() {
            let mut found = Vec::new();
            if let Some(schema) = self.target(reference) {
                collect(schema, &KEYWORDS, &mut found);
            }
            open.extend(found.into_iter().filter(|next| reached.insert(*next)));
        }
        reached
    }
}

/// Collects the references in the schemas of these keywords.
fn collect<'d>(schema: &'d Value, keywords: &[&str], found: &mut Vec<&'d str>) {
    for keyword in keywords {
        let schemas: Vec<&Value> = match schema.get(keyword) {
            Some(Value::Array(schemas)) => schemas.iter().collect(),
            Some(Value::Object(schemas)) if *keyword == "dependentSchemas" => {
                schemas.values().collect()
            }
            schema => schema.into_iter().collect(),
        };
        for schema in schemas {
            match reference_of(schema) {
                Some(reference) => found.push(reference),
                None => collect(schema, &KEYWORDS, found),
            }
        }
    }
}
