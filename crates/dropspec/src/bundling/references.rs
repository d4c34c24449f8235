//! Takes in what `$ref`s find in other files: as components where OpenAPI has components, otherwise in their place.

pub(crate) mod follow;
mod named;

use dropspec_model::{Kind, Member, Node, ObjectType, Position, Value};
use dropspec_schema::pointer;
use follow::Found;

use crate::bundling::bundler::Bundler;
use crate::bundling::components::{Component, Waiting, name_for};
use crate::bundling::edit::{member_or_insert, replace_keeping_siblings};
use crate::bundling::target::{DOCUMENT, Target};

/// Where the references of a walk are still as they were written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// Everywhere.
    All,
    /// Only in what an overlay wrote; the others are references within the bundle.
    Overlays,
}

/// The place of a walk in the bundle.
struct Walk {
    written: Written,
    /// The targets that are being put in place of a reference, the outermost first.
    inlining: Vec<Target>,
}

impl Bundler<'_> {
    /// Takes in everything that the document refers to in other files. After the first time, only what overlays wrote
    /// can refer to other files.
    pub(crate) fn take_in(&mut self, root: &mut Node, is_first: bool) {
        let written = if is_first {
            Written::All
        } else {
            Written::Overlays
        };
        self.read_components(root, written);
        let mut walk = Walk {
            written,
            inlining: Vec::new(),
        };
        self.expand(root, Kind::DOCUMENT, "", &mut walk);
        while let Some(waiting) = self.taken.waiting.pop_front() {
            self.add_component(root, waiting);
        }
    }

    /// Notes the components that the document has. If one is only a `$ref` to another file, it becomes the component
    /// that stands for that place.
    fn read_components(&mut self, root: &mut Node, written: Written) {
        let Some(components) = root.get_mut("components") else {
            return;
        };
        let place = Target {
            file: DOCUMENT,
            pointer: "/components".to_owned(),
        };
        let origin = self.open_container(components, place, written);
        let Value::Object(sections) = &mut components.value else {
            return;
        };
        for (key, section) in sections.iter_mut() {
            let Some(name) = Kind::of_section(key).section() else {
                continue;
            };
            let place = origin.member(key);
            let origin = self.open_container(&mut section.node, place, written);
            let members = match &section.node.value {
                Value::Object(members) => members,
                _ => continue,
            };
            for key in members.keys() {
                self.taken.reserve(name, key);
                if origin.file != DOCUMENT {
                    let component = Component {
                        section: name,
                        name: key.clone(),
                    };
                    self.taken.note(origin.member(key), &component);
                }
            }
        }
        for (key, section) in sections.iter_mut() {
            let Some(section_name) = Kind::of_section(key).section() else {
                continue;
            };
            if let Value::Object(members) = &mut section.node.value {
                for (name, member) in members.iter_mut() {
                    let component = Component {
                        section: section_name,
                        name: name.clone(),
                    };
                    self.fill_component(&mut member.node, &component, written);
                }
            }
        }
    }

    /// Replaces a component that is only a `$ref` to another file by what is there, unless another component has that.
    fn fill_component(&mut self, node: &mut Node, component: &Component, written: Written) {
        let Some((text, at)) = self.written_reference(node, written) else {
            return;
        };
        let place = pointer::join(
            &format!("/components/{}", component.section),
            &component.name,
        );
        let found = self.find(&text, at, &place, true);
        let Some(Found::Elsewhere { links, value }) = found else {
            return;
        };
        let is_new = |target: &Target| self.taken.find(target, component.section).is_none();
        if links.iter().all(is_new) {
            if let Some(content) = self.node(&value) {
                *node = content;
            }
            for link in links {
                self.taken.note(link, component);
            }
        }
    }

    /// If a map of components is a `$ref` to another file, puts what is there in its place. Returns where the content
    /// of the map is written.
    fn open_container(&mut self, node: &mut Node, place: Target, written: Written) -> Target {
        let Some((text, at)) = self.written_reference(node, written) else {
            return place;
        };
        match self.find(&text, at, &place.pointer, true) {
            Some(Found::Elsewhere { value, .. }) => {
                if let Some(content) = self.node(&value) {
                    *node = content;
                }
                value
            }
            _ => place,
        }
    }

    fn add_component(&mut self, root: &mut Node, waiting: Waiting) {
        let Some(mut node) = self.node(&waiting.source) else {
            return;
        };
        let Component { section, name } = waiting.component;
        let pointer = pointer::join(&format!("/components/{section}"), &name);
        let mut walk = Walk {
            written: Written::All,
            inlining: Vec::new(),
        };
        self.expand(&mut node, Kind::of_section(section), &pointer, &mut walk);
        let components = member_or_insert(root, "components", waiting.at);
        let section = member_or_insert(components, section, waiting.at);
        if let Value::Object(members) = &mut section.value {
            let key_position = node.position;
            members.insert(name, Member { key_position, node });
        }
    }

    /// Takes in what a value and all values in it refer to in other files.
    fn expand(&mut self, node: &mut Node, kind: Kind, pointer: &str, walk: &mut Walk) {
        if kind == Kind::Any {
            return;
        }
        let inlined = self.expand_reference(node, kind, pointer, walk);
        match kind {
            Kind::Object(ObjectType::Discriminator) => {
                self.expand_mapping(node, pointer, walk.written)
            }
            Kind::Object(ObjectType::Link) => self.check_operation_ref(node, pointer, walk.written),
            _ => {}
        }
        match &mut node.value {
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let pointer = format!("{pointer}/{index}");
                    self.expand(item, kind.of_item(), &pointer, walk);
                }
            }
            Value::Object(members) => {
                for (key, member) in members.iter_mut() {
                    let pointer = pointer::join(pointer, key);
                    self.expand(&mut member.node, kind.of_member(key), &pointer, walk);
                }
            }
            _ => {}
        }
        if let Some(inlined) = inlined {
            replace_keeping_siblings(node, inlined);
        }
    }

    /// Changes the `$ref` of an object so that it refers into the document. Returns what takes the place of the object
    /// if that is impossible.
    fn expand_reference(
        &mut self,
        node: &mut Node,
        kind: Kind,
        pointer: &str,
        walk: &mut Walk,
    ) -> Option<Node> {
        let (text, at) = self.written_reference(node, walk.written)?;
        // An extension may have a `$ref` that is not a reference.
        let is_needed = kind != Kind::Other;
        let reference = match (self.find(&text, at, pointer, is_needed)?, kind.section()) {
            (Found::Document(reference), _) => reference,
            (Found::Elsewhere { links, value }, Some(section)) => {
                let component = self.component_for(links, value, section, at, pointer);
                component.reference()
            }
            (Found::Elsewhere { value, .. }, None) => {
                return self.inline(value, kind, at, pointer, walk);
            }
        };
        if let Some(link) = node.get_mut("$ref") {
            link.value = Value::String(reference);
        }
        None
    }

    fn inline(
        &mut self,
        target: Target,
        kind: Kind,
        at: Position,
        pointer: &str,
        walk: &mut Walk,
    ) -> Option<Node> {
        if walk.inlining.contains(&target) {
            let message = "the `$ref` contains itself";
            let help = "only components can be recursive: refer to a schema or another component";
            self.report_error(at, pointer, message, help);
            return None;
        }
        let mut content = self.node(&target)?;
        walk.inlining.push(target);
        let written = std::mem::replace(&mut walk.written, Written::All);
        self.expand(&mut content, kind, pointer, walk);
        walk.written = written;
        walk.inlining.pop();
        Some(content)
    }

    /// The component that stands for a place in another file. If there is none yet, it is added later.
    fn component_for(
        &mut self,
        links: Vec<Target>,
        value: Target,
        section: &'static str,
        at: Position,
        pointer: &str,
    ) -> Component {
        let mut known = links.iter();
        let known = known.find_map(|link| self.taken.find(link, section).cloned());
        let component = known.unwrap_or_else(|| {
            let first = links.first().unwrap_or(&value);
            let wanted = name_for(first, &self.files.get(first.file).name);
            let component = self.taken.choose_name(section, &wanted);
            if component.name != wanted {
                let Component { section, name } = &component;
                let message = format!(
                    "the target is named `{name}` in the bundle, because `components/{section}` has another `{wanted}`"
                );
                let help = "rename one of the two, or refer to one of them in both places";
                self.warn(at, pointer, message, help);
            }
            self.taken.waiting.push_back(Waiting {
                component: component.clone(),
                source: value,
                at,
            });
            component
        });
        for link in links {
            self.taken.note(link, &component);
        }
        component
    }
}

/// Whether the value of a discriminator's mapping names a file.
fn is_of_file(text: &str) -> bool {
    let (file, _) = text.split_once('#').unwrap_or((text, ""));
    [".yaml", ".yml", ".json"]
        .iter()
        .any(|end| file.ends_with(end))
}
