//! Sorts the responses of operations to which an overlay added some, as people write and look them up: by status.

use dropspec_model::{Node, Object, Value};

use crate::bundling::bundler::Bundler;

/// Sorts the responses of each operation in which an overlay wrote some.
pub(crate) fn sort_responses(bundler: &Bundler<'_>, root: &mut Node) {
    let paths = root.get_mut("paths").map(|paths| &mut paths.value);
    let Some(Value::Object(paths)) = paths else {
        return;
    };
    for item in paths.values_mut() {
        let Value::Object(operations) = &mut item.node.value else {
            continue;
        };
        for operation in operations.values_mut() {
            let responses = operation.node.get_mut("responses");
            if let Some(Value::Object(responses)) = responses.map(|node| &mut node.value)
                && is_of_overlay(bundler, responses)
            {
                // Statuses before `default` and extensions: digits are before letters.
                responses.sort_keys();
            }
        }
    }
}

fn is_of_overlay(bundler: &Bundler<'_>, responses: &Object) -> bool {
    let mut files = responses.values().map(|member| member.key_position.file);
    files.any(|file| bundler.files.get(file).is_overlay)
}
