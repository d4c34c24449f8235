//! Splits the items of an array as `style` and `explode` of its parameter define.

use serde_json::Value;

use crate::definition_error::DefinitionError;
use crate::rejection::ParameterLocation;

/// What separates the items of an array in the value of a parameter, before decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// The parameter is repeated for each item.
    Repetition,
    /// Any of these texts. An encoded comma is part of an item.
    AnyOf(&'static [&'static str]),
    /// A comma with optional white space around it.
    HeaderComma,
}

impl Separator {
    /// The separator that the definition of a parameter declares by `style` and `explode`.
    pub(super) fn of_parameter(
        location: ParameterLocation,
        definition: &Value,
    ) -> Result<Self, DefinitionError> {
        let default = match location {
            ParameterLocation::Query => "form",
            ParameterLocation::Path | ParameterLocation::Header => "simple",
        };
        let style = definition.get("style").and_then(Value::as_str);
        let style = style.unwrap_or(default);
        let explode = definition.get("explode").and_then(Value::as_bool);
        match (location, style) {
            (ParameterLocation::Path, "simple") => Ok(Self::AnyOf(&[","])),
            (ParameterLocation::Header, "simple") => Ok(Self::HeaderComma),
            (ParameterLocation::Query, "form") if explode != Some(false) => Ok(Self::Repetition),
            (ParameterLocation::Query, "spaceDelimited" | "pipeDelimited")
                if explode == Some(true) =>
            {
                Ok(Self::Repetition)
            }
            (ParameterLocation::Query, "form") => Ok(Self::AnyOf(&[","])),
            (ParameterLocation::Query, "spaceDelimited") => Ok(Self::AnyOf(&["%20", "+"])),
            (ParameterLocation::Query, "pipeDelimited") => Ok(Self::AnyOf(&["|", "%7C", "%7c"])),
            _ => Err(DefinitionError::Style {
                style: style.to_owned(),
                location,
            }),
        }
    }

    /// Array items in the raw values of a parameter. One empty value is an empty array, except with `Repetition`.
    pub(super) fn split<'r>(self, raw: &[&'r str]) -> Vec<&'r str> {
        match (self, raw) {
            (Self::Repetition, raw) => raw.to_vec(),
            (_, [""]) => Vec::new(),
            (Self::HeaderComma, raw) => {
                let items = raw.iter().flat_map(|text| text.split(','));
                items.map(|item| item.trim_matches([' ', '\t'])).collect()
            }
            (Self::AnyOf(separators), raw) => {
                let mut items = raw.to_vec();
                for separator in separators {
                    items = items
                        .iter()
                        .flat_map(|text| text.split(separator))
                        .collect();
                }
                items
            }
        }
    }
}
