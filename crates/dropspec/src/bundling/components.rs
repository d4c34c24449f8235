//! The components of the document, by what they were taken in from.

use std::collections::{HashMap, HashSet, VecDeque};

use dropspec_model::Position;
use dropspec_schema::pointer;

use crate::bundling::target::Target;

/// A component of the document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Component {
    pub(crate) section: &'static str,
    pub(crate) name: String,
}

impl Component {
    /// The text of a `$ref` to this component.
    pub(crate) fn reference(&self) -> String {
        let section = pointer::join("/components", self.section);
        format!("#{}", pointer::join(&section, &self.name))
    }
}

/// A component that waits to be added to the document.
pub(crate) struct Waiting {
    pub(crate) component: Component,
    /// Its content.
    pub(crate) source: Target,
    /// The `$ref` that found it first.
    pub(crate) at: Position,
}

/// The components that come from other files.
#[derive(Default)]
pub(crate) struct Taken {
    by_target: HashMap<(Target, &'static str), Component>,
    names: HashSet<Component>,
    pub(crate) waiting: VecDeque<Waiting>,
}

impl Taken {
    /// The component that stands for a place in another file.
    pub(crate) fn find(&self, target: &Target, section: &'static str) -> Option<&Component> {
        self.by_target.get(&(target.clone(), section))
    }

    /// Notes that a place in another file is this component. The first component of a place counts.
    pub(crate) fn note(&mut self, target: Target, component: &Component) {
        self.names.insert(component.clone());
        let known = self.by_target.entry((target, component.section));
        known.or_insert_with(|| component.clone());
    }

    /// Notes that the document itself has this component.
    pub(crate) fn reserve(&mut self, section: &'static str, name: &str) {
        let name = name.to_owned();
        self.names.insert(Component { section, name });
    }

    /// A component with a name that no other has: `wanted`, or `wanted` with a number from 2.
    pub(crate) fn choose_name(&mut self, section: &'static str, wanted: &str) -> Component {
        let numbered = (2..).map(|number: usize| format!("{wanted}{number}"));
        let names = std::iter::once(wanted.to_owned()).chain(numbered);
        let mut components = names.map(|name| Component { section, name });
        let free = components.find(|component| !self.names.contains(component));
        free.unwrap_or_else(|| Component {
            section,
            name: wanted.to_owned(),
        })
    }
}

/// The name for the component at a place in a file: the last key that leads there, or the name of the file. Characters
/// that component names cannot have become `_`.
pub(crate) fn name_for(target: &Target, file_name: &str) -> String {
    let tokens = pointer::tokens(&target.pointer).unwrap_or_default();
    let last = tokens.last().map(|token| token.to_string());
    let name = last.unwrap_or_else(|| {
        let file = file_name.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = file.strip_suffix(".yaml").or(file.strip_suffix(".yml"));
        let stem = stem.or(file.strip_suffix(".json")).unwrap_or(file);
        stem.to_owned()
    });
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    name.chars()
        .map(|c| if is_allowed(c) { c } else { '_' })
        .collect()
}
