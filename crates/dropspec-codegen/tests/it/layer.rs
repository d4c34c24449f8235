//! What is generated for a client crate with a hand-written layer, as far as the checked-in code of the petstore does not show it.

use dropspec_codegen::{ClientLayer, GeneratedFile, Settings, generate};
use dropspec_model::Spec;

use crate::{formatted, settings};

const DOCUMENT: &str = include_str!("../documents/layer.yaml");

fn files() -> Vec<GeneratedFile> {
    let spec = Spec::parse("books.yaml", DOCUMENT).unwrap();
    let layer = ClientLayer {
        state: "crate::Shelf".to_owned(),
        page_parameter: "after".to_owned(),
    };
    let settings = Settings {
        client_layer: Some(layer),
        ..settings()
    };
    generate(&spec, &settings).unwrap().files
}

fn file(name: &str) -> String {
    formatted(&files(), name)
}

#[test]
fn only_lists_without_path_parameters_have_streams() {
    let lists = file("lists.rs");
    assert!(lists.contains("pub fn books_all(&self)"), "{lists}");
    assert!(!lists.contains("notes_all"), "{lists}");
}

#[test]
fn client_is_what_progenitor_writes_with_hooks_of_the_crate() {
    let client = file("client.rs");
    assert!(client.contains("pub(crate) inner: crate::Shelf"));
    assert!(client.contains("pub fn list_books(&self)"));
    assert!(
        client.contains("pub title: ::std::string::String"),
        "no type of its own for a text with a limit: {client}"
    );
    assert!(
        !client.contains("impl ClientHooks"),
        "the hooks are the crate's, and their absence an error"
    );
}
