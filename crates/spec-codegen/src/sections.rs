//! Where generated items go if their file is split: a module for each tag of the document, and in it, if that is still
//! too long, a module for each resource.
//!
//! An item goes where the operations that use it go, so that one more operation changes the files of its own tag.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use crate::model::Api;
use crate::names;
use crate::uses::{Item, parts_of_items, parts_of_operation, reach};

/// The module of what several tags, or several resources of a tag, have in common.
pub(crate) const SHARED: &str = "shared";

/// The module of the operations of a tag whose resource has the name of the tag.
const BASE: &str = "base";

/// The place of an item: the names of its modules, from the outside. It is empty or ends early if the item belongs to
/// several of the next ones.
pub(crate) type Section = Vec<String>;

/// The sections of an interface.
#[derive(Default)]
pub(crate) struct Sections {
    /// The module of each first tag of an operation; `None` is that of operations without tags.
    modules: IndexMap<Option<String>, String>,
    /// The trait of each module, if there is a trait for each tag.
    traits: HashMap<String, String>,
    items: HashMap<Item, Section>,
}

impl Sections {
    pub(crate) fn new(api: &Api) -> Sections {
        let mut taken = HashSet::from([SHARED.to_owned()]);
        let kept = api
            .operations
            .iter()
            .map(|operation| (operation.index, &operation.tags));
        let left_out = api
            .unsupported
            .iter()
            .map(|operation| (operation.index, &operation.tags));
        let mut all: Vec<_> = kept.chain(left_out).collect();
        all.sort_by_key(|(index, _)| *index);
        let mut modules = IndexMap::new();
        for (_, tags) in all {
            modules
                .entry(tags.first().cloned())
                .or_insert_with_key(|tag| {
                    let name = tag.as_deref().and_then(names::module_name);
                    let name = name.unwrap_or_else(|| "untagged".to_owned());
                    names::make_unique(name, &mut taken)
                });
        }
        let mut names = HashSet::from([api.trait_name.clone()]);
        let traits = modules.values().map(|module| {
            let stem = names::type_name(module.trim_start_matches("r#")).unwrap_or_default();
            let name = names::make_unique(format!("{stem}Api"), &mut names);
            (module.clone(), name)
        });
        let traits = traits.collect();
        let mut sections = Sections {
            modules,
            traits,
            items: HashMap::new(),
        };
        sections.place_items(api);
        sections
    }

    /// Places each item where all operations belong that use it.
    fn place_items(&mut self, api: &Api) {
        let parts = parts_of_items(api);
        let mut items: HashMap<Item, Section> = HashMap::new();
        for operation in &api.operations {
            let own = self.of_operation(&operation.tags, &operation.path);
            for item in reach(parts_of_operation(operation), &parts) {
                let section = items.entry(item).or_insert_with(|| own.clone());
                let common = section.iter().zip(&own).take_while(|(a, b)| a == b);
                section.truncate(common.count());
            }
        }
        self.items = items;
    }

    /// The section of an operation: its first tag, and the resource that its path names.
    pub(crate) fn of_operation(&self, tags: &[String], path: &str) -> Section {
        let tag = self.modules.get(&tags.first().cloned());
        let resource = names::module_name(find_resource(path));
        let resource = resource.map(|name| {
            if Some(&name) == tag || name == SHARED {
                BASE.to_owned()
            } else {
                name
            }
        });
        tag.cloned().into_iter().chain(resource).collect()
    }

    /// The section of an item. That of one that no operation uses is empty.
    pub(crate) fn of_item(&self, item: &Item) -> Section {
        self.items.get(item).cloned().unwrap_or_default()
    }

    /// The trait of a section, if there is a trait for each tag.
    pub(crate) fn trait_name(&self, section: &[String]) -> &str {
        let name = section.first().and_then(|module| self.traits.get(module));
        name.map(String::as_str).unwrap_or_default()
    }

    /// What a section consists of, as in "types of …".
    pub(crate) fn describe(&self, section: &[String]) -> String {
        let describe = |module: &String| {
            let mut modules = self.modules.iter();
            let tag = modules.find_map(|(tag, name)| (name == module).then_some(tag));
            match tag {
                Some(Some(tag)) => format!("operations with the tag `{tag}`"),
                Some(None) => "operations without a tag".to_owned(),
                // There is one tag, so that only resources tell operations apart.
                None => format!("operations for `{}`", names::stem(module)),
            }
        };
        match section {
            [shared] if shared == SHARED => {
                "several of these modules, or of no operation".to_owned()
            }
            [module] => describe(module),
            [module, shared] if shared == SHARED => {
                format!("{}, for several resources", describe(module))
            }
            [module, base] if base == BASE => format!("{}, for itself", describe(module)),
            [module, resource, ..] => {
                format!("{}, for `{}`", describe(module), names::stem(resource))
            }
            [] => "all operations".to_owned(),
        }
    }
}

/// The segment of a path that names a resource: the second one without parameters, or else the first, not counting
/// `api` and versions such as `v1`.
fn find_resource(path: &str) -> &str {
    let is_version = |segment: &str| {
        let digits = segment.strip_prefix('v').unwrap_or_default();
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    };
    let segments = path.split('/').filter(|segment| !segment.contains('{'));
    let mut segments =
        segments.filter(|segment| !segment.is_empty() && *segment != "api" && !is_version(segment));
    let first = segments.next().unwrap_or_default();
    segments.next().unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_is_the_second_fixed_segment_or_the_first() {
        for (path, resource) in [
            (
                "/repos/{owner}/{repo}/branches/{branch}/protection",
                "branches",
            ),
            ("/repos/{owner}/{repo}", "repos"),
            ("/api/v1/books/{id}/authors", "authors"),
            ("/v2/books", "books"),
            ("/", ""),
        ] {
            assert_eq!(find_resource(path), resource, "{path}");
        }
    }
}
