//! The discriminator of a union.

use std::collections::HashMap;

use dropspec_schema::pointer;
use indexmap::IndexMap;

use crate::element::element;

element! {
    /// The property whose value names the schema of a union that a value is meant for.
    Discriminator is "a discriminator" {
        property: String = "propertyName",
        /// The name of a schema, or a reference to it, for each value. Other values are names of schemas.
        mapping: IndexMap<String, String> = "mapping",
        /// The schema of values without the property, or with a value that names no schema.
        default_mapping: Option<String> = "defaultMapping",
    }
}

impl Discriminator {
    /// The values of the property that `mapping` has for components, by the names of these. Of others, the name is the value.
    pub fn mapped_values(&self) -> HashMap<String, Vec<String>> {
        let mut mapped: HashMap<String, Vec<String>> = HashMap::new();
        for (value, target) in &self.mapping {
            let values = mapped.entry(component_name(target)).or_default();
            values.push(value.clone());
        }
        mapped
    }

    /// Whether values that name no schema mean a component.
    pub fn has_default(&self, component: &str) -> bool {
        let default = self.default_mapping.as_ref();
        default.is_some_and(|target| component_name(target) == component)
    }
}

/// The component that a target of a mapping is, which is a name or a reference.
fn component_name(target: &str) -> String {
    pointer::unescape(target.rsplit('/').next().unwrap_or_default())
}
