//! Names schemas in messages.

use super::{Schemas, SetId};

impl<'d> Schemas<'d> {
    /// The name of the component, if the set is one.
    pub(crate) fn component(&self, set: SetId) -> Option<&'d str> {
        let (section, name) = self.tree.component(self.root(set)?)?;
        (section == "schemas").then_some(name)
    }

    /// Names a member of a choice as a step of a place in messages, such as `oneOf[Cat]`.
    pub(crate) fn member_step(&mut self, set: SetId, keyword: &str) -> String {
        let name = match self.component(set) {
            Some(name) => Some(name.to_owned()),
            None => self.get(set).extension("title"),
        };
        let tag = |(property, value)| format!("{property}: {value}");
        match name.or_else(|| self.tag(set).map(tag)) {
            Some(name) => format!("{keyword}[{name}]"),
            None => keyword.to_owned(),
        }
    }

    /// Names the set in messages.
    pub(crate) fn describe(&mut self, set: SetId) -> String {
        if let Some(name) = self.component(set) {
            return format!("`{name}`");
        }
        if let Some(title) = self.get(set).extension("title") {
            return format!("the schema `{title}`");
        }
        match self.tag(set) {
            Some((property, value)) => format!("the schema with `{property}: {value}`"),
            None => "an unnamed schema".to_owned(),
        }
    }

    /// The property that tells the set from other members of a choice, and its value: a required one with one value, or
    /// else an optional one.
    fn tag(&mut self, set: SetId) -> Option<(&'d str, String)> {
        let schema = self.get(set);
        let mut tags: Vec<(bool, &'d str, String)> = Vec::new();
        for (name, property) in &schema.properties {
            let property = self.get(*property);
            let values = property.enumeration.as_ref();
            if let Some([value]) = values.map(|it| it.keys().collect::<Vec<_>>()).as_deref() {
                let is_optional = !schema.required.contains_key(name);
                tags.push((is_optional, name, value.trim_matches('"').to_owned()));
            }
        }
        let (_, property, value) = tags.into_iter().min()?;
        Some((property, value))
    }
}
