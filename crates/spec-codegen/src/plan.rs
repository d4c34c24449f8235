//! Reads a document into the model of the generated code, or reports everything that the code could not express.

use spec_model::{Diagnostic, Spec};

use crate::model::{Api, Field, NamedType};
use crate::names;
use crate::plan::defaults::Defaults;
use crate::plan::problems::Problems;
use crate::plan::types::Types;
use crate::settings::Settings;

mod all_of;
mod bodies;
mod cycles;
mod defaults;
mod docs;
mod errors;
mod extensions;
mod fields;
mod headers;
mod operations;
mod parameter_fields;
mod parameters;
mod problems;
mod responses;
mod routes;
mod scalars;
mod schemas;
mod types;
mod unions;

pub(crate) use parameters::is_sent;

/// Plans the generated code for a document: decides every name and type.
///
/// # Errors
///
/// Everything that it cannot express, in the order of the document.
pub(crate) fn plan(spec: &Spec, settings: &Settings) -> Result<Api, Vec<Diagnostic>> {
    let problems = Problems::new(spec);
    for field in &spec.unknown_fields {
        // In the words of spec-lint, which reports it too.
        let message = format!("OpenAPI 3.0.3 does not define `{}` here", field.name);
        problems.warn(
            &field.at,
            message,
            "remove it; beside a `$ref`, wrap the `$ref` in an `allOf`",
        );
    }
    let mut types = Types::new(spec, &problems);
    types.read_components();
    types.break_endless_names();
    let stem = name_stem(&spec.info.title);
    let trait_name = format!("{stem}Api");
    if types.get(&trait_name).is_some() {
        let message = format!("a schema already has the name of the trait, `{trait_name}`");
        problems.report(&spec.info.at, message, "give the document another title");
    }
    let (operations, mut parameters) =
        operations::read_operations(spec, settings, &problems, &mut types);
    let plans = extensions::read_plans(spec, &problems);
    let error_codes = extensions::read_error_codes(spec, &problems);
    let mut named = types.finish();
    let fields = parameters
        .iter_mut()
        .flat_map(|parameters| &mut parameters.fields);
    finish_types(spec, &problems, &mut named, fields);
    problems.finish()?;
    Ok(Api {
        trait_name,
        interface_name: match stem.as_str() {
            "" => "ApiInterface".to_owned(),
            stem => format!("{stem}Interface"),
        },
        title: spec.info.title.clone(),
        description: docs::first_paragraph(spec.info.description.as_deref().unwrap_or_default()),
        tags: spec.tags.clone(),
        types: named,
        parameters,
        operations,
        plans,
        error_codes,
    })
}

/// Decides what depends on all types: cycles, and the defaults of their fields and of parameters.
fn finish_types<'f>(
    spec: &Spec,
    problems: &Problems<'_>,
    named: &mut [NamedType],
    parameters: impl Iterator<Item = &'f mut Field>,
) {
    cycles::break_cycles(named);
    let defaults = Defaults::new(spec, problems, named);
    defaults.decide_types(named);
    defaults.decide(parameters);
}

/// The beginning of the names of the trait and the interface, from the title of the document: `Petstore` for both
/// `Petstore` and `Petstore API`.
fn name_stem(title: &str) -> String {
    let name = names::type_name(title).unwrap_or_default();
    let stem = name.strip_suffix("Api").or(name.strip_suffix("API"));
    stem.unwrap_or(&name).to_owned()
}
