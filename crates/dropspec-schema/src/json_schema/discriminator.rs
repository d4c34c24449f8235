//! The values of a discriminator that mean each alternative of a union.

use serde_json::{Map, Value, json};

use crate::reference::reference_of;

/// Converts the discriminator of a union whose other keywords were converted to `target`. `None` if there is none, if values that it
/// does not name mean an alternative (`defaultMapping`), or if an alternative has no name or was left out.
pub(super) fn convert(source: &Map<String, Value>, target: &Map<String, Value>) -> Option<Value> {
    let discriminator = source.get("discriminator")?.as_object()?;
    let property = discriminator.get("propertyName")?.as_str()?;
    let keyword = ["oneOf", "anyOf"]
        .into_iter()
        .find(|it| source.contains_key(*it))?;
    let members = source[keyword].as_array()?;
    let is_whole = target.get(keyword)?.as_array()?.len() == members.len();
    if !is_whole || discriminator.contains_key("defaultMapping") {
        return None;
    }
    let mapping = discriminator.get("mapping").and_then(Value::as_object);
    let values = members.iter().map(|member| {
        let reference = reference_of(member)?;
        let name = reference.rsplit('/').next()?;
        let mapped = mapping.into_iter().flatten();
        let mapped = mapped.filter(|(_, to)| *to == reference || *to == name);
        let values: Vec<&str> = mapped.map(|(value, _)| value.as_str()).collect();
        Some(if values.is_empty() {
            vec![name]
        } else {
            values
        })
    });
    let values: Option<Vec<_>> = values.collect();
    Some(json!({ "property": property, "values": values? }))
}
