//! Leaves out operations that errors concern, with everything that only they use.

use spec_model::Diagnostic;

use crate::model::{Api, Operation, Origin, UnsupportedOperation};
use crate::uses::{Item, parts_of_items, parts_of_operation, reach};

/// Separates the operations that errors concern from the others. `errors` has those of each operation.
pub(super) fn separate(
    operations: Vec<Operation>,
    errors: Vec<Vec<Diagnostic>>,
) -> (Vec<Operation>, Vec<UnsupportedOperation>) {
    let mut kept = Vec::new();
    let mut left_out = Vec::new();
    for (operation, problems) in operations.into_iter().zip(errors) {
        if problems.is_empty() {
            kept.push(operation);
        } else {
            left_out.push(UnsupportedOperation {
                index: operation.index,
                id: operation.id,
                variant: operation.variant,
                method: operation.method,
                path: operation.path,
                tags: operation.tags,
                extensions: operation.extensions,
                problems,
            });
        }
    }
    (kept, left_out)
}

/// Removes what no operation uses any more. The types of components stay: a person may use them.
pub(super) fn remove_unused(api: &mut Api) {
    if api.unsupported.is_empty() {
        return;
    }
    let mut roots: Vec<Item> = api.operations.iter().flat_map(parts_of_operation).collect();
    let types = api.types.iter();
    let components = types.filter(|named| named.origin == Origin::Component);
    roots.extend(components.map(|named| Item::Type(named.name.clone())));
    let used = reach(roots, &parts_of_items(api));
    let is_used = |item: Item| used.contains(&item);
    api.types.retain(|of| is_used(Item::Type(of.name.clone())));
    api.parameters
        .retain(|of| is_used(Item::Parameters(of.name.clone())));
    api.responses
        .retain(|of| is_used(Item::Responses(of.name.clone())));
    api.body_choices
        .retain(|of| is_used(Item::BodyChoice(of.name.clone())));
    api.multiparts
        .retain(|of| is_used(Item::Parts(of.name.clone())));
}
