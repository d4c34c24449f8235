//! The first tags of operations, as modules and traits: a large interface has a trait for each.

use std::collections::HashSet;

use indexmap::IndexMap;

use crate::model::{Api, Operation};
use crate::names;

/// The operations with the same first tag.
pub struct Tag<'a> {
    /// `None` for operations without tags.
    pub name: Option<&'a str>,
    pub module: String,
    pub trait_name: String,
    pub operations: Vec<&'a Operation>,
}

/// The operations by their first tags, in the order of the modules.
pub fn group(api: &Api) -> Vec<Tag<'_>> {
    let mut groups: IndexMap<Option<&str>, Vec<&Operation>> = IndexMap::new();
    for operation in &api.operations {
        let group = groups.entry(operation.tags.first().map(String::as_str));
        group.or_default().push(operation);
    }
    let mut modules = HashSet::new();
    let mut traits = HashSet::from([api.trait_name.clone()]);
    let tags = groups.into_iter().map(|(name, operations)| {
        let module = name.and_then(names::module_name);
        let module = module.unwrap_or_else(|| "untagged".to_owned());
        let module = names::make_unique(module, &mut modules);
        let stem = names::type_name(module.trim_start_matches("r#")).unwrap_or_default();
        Tag {
            name,
            trait_name: names::make_unique(format!("{stem}Api"), &mut traits),
            module,
            operations: operations
                .into_iter()
                .filter(|of| of.is_generated())
                .collect(),
        }
    });
    let mut tags: Vec<Tag<'_>> = tags.filter(|tag| !tag.operations.is_empty()).collect();
    tags.sort_by(|a, b| a.module.cmp(&b.module));
    tags
}
