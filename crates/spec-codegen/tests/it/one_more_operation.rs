//! An operation added to the document adds one method to the trait and changes no other.

use std::fs;
use std::path::Path;

use syn::{Item, TraitItem};

use crate::generate_files;

#[test]
fn added_operation_adds_exactly_one_method() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../petstore-api/src/openapi.yaml");
    let text = fs::read_to_string(path).unwrap();
    let added = "
  /feeding-times:
    get:
      operationId: listFeedingTimes
      tags: [Pets]
      summary: List feeding times
      responses:
        \"200\":
          description: The times of day.
          content:
            application/json:
              schema: { type: array, items: { type: string } }
        \"500\": { $ref: \"#/components/responses/InternalError\" }

components:
";
    let longer = text.replacen("\ncomponents:\n", added, 1);
    let before = methods(&text);
    let after = methods(&longer);
    let new: Vec<&String> = after
        .iter()
        .filter(|method| !before.contains(method))
        .collect();
    assert_eq!(new, ["list_feeding_times"]);
    assert_eq!(after.len(), before.len() + 1);
}

fn methods(document: &str) -> Vec<String> {
    let files = generate_files(document);
    let api = files.iter().find(|file| file.name == "api.rs").unwrap();
    let items = syn::parse_file(&api.content).unwrap().items;
    let traits = items.into_iter().filter_map(|item| match item {
        Item::Trait(item) => Some(item),
        _ => None,
    });
    let methods = traits
        .flat_map(|item| item.items)
        .filter_map(|item| match item {
            TraitItem::Fn(method) => Some(method.sig.ident.to_string()),
            _ => None,
        });
    methods.collect()
}
