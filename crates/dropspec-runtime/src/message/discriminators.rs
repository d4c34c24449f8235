//! The discriminators of the unions in a schema: which alternative a value is meant for.

use std::collections::HashMap;

use dropspec_schema::{ValidationError, pointer};
use serde::Deserialize;
use serde_json::Value;

use super::list_values;

/// The discriminators in a schema, by the JSON pointers of their unions.
#[derive(Debug, Default)]
pub(super) struct Discriminators(HashMap<String, Discriminator>);

#[derive(Debug, Deserialize)]
struct Discriminator {
    property: String,
    /// The values that mean each alternative.
    values: Vec<Vec<Value>>,
}

impl Discriminators {
    /// Those of a JSON Schema, as [`dropspec_schema::to_json_schema`] returns it.
    pub(super) fn of(schema: &Value) -> Discriminators {
        let mut found = Discriminators::default();
        found.collect(schema, "");
        found
    }

    fn collect(&mut self, value: &Value, at: &str) {
        let members = value.as_object().into_iter().flatten();
        let items = value.as_array().into_iter().flatten().enumerate();
        for (name, member) in members {
            // A property of this name has a schema instead.
            match Discriminator::deserialize(member) {
                Ok(found) if name == "discriminator" => {
                    self.0.insert(at.to_owned(), found);
                }
                _ => self.collect(member, &pointer::join(at, name)),
            }
        }
        for (index, item) in items {
            self.collect(item, &format!("{at}/{index}"));
        }
    }

    /// The name of the discriminator of a union, and the branch that its value means, or what is wrong with the value. `None` if the
    /// union has no discriminator, or if the value is no object.
    pub(super) fn find_branch(
        &self,
        error: &ValidationError<'_>,
    ) -> Option<(&str, Result<usize, String>)> {
        let (union, _) = error.schema_path().as_str().rsplit_once('/')?;
        let Discriminator { property, values } = self.0.get(union)?;
        let instance = error.instance();
        let branch = match instance.as_object()?.get(property) {
            None => Err("is required".to_owned()),
            Some(value) => {
                let branch = values.iter().position(|names| names.contains(value));
                branch.ok_or_else(|| format!("must be {}", list_values(values.iter().flatten())))
            }
        };
        Some((property, branch))
    }
}
