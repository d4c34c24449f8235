//! Reads a document into the model of the generated code, or reports everything that the code could not express.

use std::cell::RefCell;
use std::collections::HashMap;

use spec_model::{Diagnostic, Place, Spec};

use crate::model::{Api, NamedType, Tag};
use crate::names;
use crate::settings::Settings;

mod bodies;
mod cycles;
mod docs;
mod errors;
mod extensions;
mod fields;
mod headers;
mod members;
mod operations;
mod parameters;
mod responses;
mod routes;
mod scalars;
mod schemas;
mod unions;

/// The model of the code for a document.
///
/// # Errors
///
/// Everything that it cannot express, in the order of the document.
pub(crate) fn plan(spec: &Spec, settings: &Settings) -> Result<Api, Vec<Diagnostic>> {
    let problems = Problems::new(spec);
    for field in &spec.unknown_fields {
        let message = format!("`{}` has no meaning here in OpenAPI 3.0", field.name);
        problems.report(
            &field.at,
            message,
            "remove it; beside a `$ref`, wrap the `$ref` in an `allOf`",
        );
    }
    let mut types = Types::new(spec, &problems);
    types.read_components();
    types.report_endless_names();
    let stem = name_stem(&spec.info.title);
    let trait_name = format!("{stem}Api");
    if let Some(named) = types.find(&trait_name) {
        let message = format!(
            "a schema already has the name of the trait, `{}`",
            named.name
        );
        problems.report(&spec.info.at, message, "give the document another title");
    }
    let planned = operations::read_operations(spec, settings, &problems, &mut types);
    let plans = extensions::read_plans(spec, &problems);
    let error_codes = extensions::read_error_codes(spec, &problems);
    let mut named = types.finish();
    cycles::break_cycles(&mut named);
    problems.finish()?;
    Ok(Api {
        trait_name,
        interface_name: match stem.as_str() {
            "" => "ApiInterface".to_owned(),
            stem => format!("{stem}Interface"),
        },
        title: spec.info.title.clone(),
        description: docs::first_paragraph(spec.info.description.as_deref().unwrap_or_default()),
        tags: tags(spec),
        types: named,
        parameters: planned.parameters,
        operations: planned.operations,
        plans,
        error_codes,
    })
}

fn tags(spec: &Spec) -> Vec<Tag> {
    let tag = |tag: &spec_model::Tag| Tag {
        name: tag.name.clone(),
        description: tag
            .description
            .as_deref()
            .map(|text| text.trim().to_owned()),
    };
    spec.tags.iter().map(tag).collect()
}

/// What the names of the trait and the interface begin with: `Petstore` for both `Petstore` and `Petstore API`.
fn name_stem(title: &str) -> String {
    let name = names::type_name(title).unwrap_or_default();
    let stem = name.strip_suffix("Api").or(name.strip_suffix("API"));
    stem.unwrap_or(&name).to_owned()
}

/// The diagnostics of a document that are found so far.
pub(crate) struct Problems<'s> {
    spec: &'s Spec,
    found: RefCell<Vec<Diagnostic>>,
}

impl<'s> Problems<'s> {
    fn new(spec: &'s Spec) -> Problems<'s> {
        Problems {
            spec,
            found: RefCell::default(),
        }
    }

    pub(crate) fn report(&self, at: &Place, message: impl Into<String>, help: impl Into<String>) {
        let diagnostic = self.spec.diagnostic(at, message).with_help(help);
        let mut found = self.found.borrow_mut();
        if !found.contains(&diagnostic) {
            found.push(diagnostic);
        }
    }

    fn finish(self) -> Result<(), Vec<Diagnostic>> {
        let mut found = self.found.into_inner();
        found.sort_by(|a, b| a.location.cmp(&b.location));
        if found.is_empty() { Ok(()) } else { Err(found) }
    }
}

/// The named types that are found so far.
pub(crate) struct Types<'s> {
    spec: &'s Spec,
    problems: &'s Problems<'s>,
    /// Rust names of the components, by the document's names.
    components: HashMap<String, String>,
    /// Rust names of the schemas written inside others, by pointer.
    hoisted: HashMap<String, String>,
    taken: std::collections::HashSet<String>,
    types: Vec<NamedType>,
}
