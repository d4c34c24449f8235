//! Reads a document into the model of the generated code, or reports everything that the code could not express.

use spec_model::{Diagnostic, Spec};

use crate::model::{Api, Field, NamedType, Type};
use crate::names;
use crate::plan::defaults::Defaults;
use crate::plan::problems::{Found, Problems};
use crate::plan::types::Types;
use crate::settings::Settings;

mod all_of;
mod blame;
mod bodies;
mod cycles;
mod defaults;
mod docs;
mod errors;
mod extensions;
mod fields;
mod headers;
mod media_types;
mod multipart;
mod operations;
mod parameters;
mod problems;
mod responses;
mod routes;
mod scalars;
mod schemas;
mod statuses;
mod types;
mod unions;
mod unreachable;

pub use unreachable::page_paths;

/// Plans the generated code for a document: decides every name and type.
///
/// # Errors
///
/// Everything that is wrong in the document, in its order. With [`Settings::partial`] only what does not concern single
/// operations; these are left out.
pub(crate) fn plan(spec: &Spec, settings: &Settings) -> Result<Api, Vec<Diagnostic>> {
    let problems = Problems::new(spec);
    unreachable::warn_of_base_paths(spec, &problems);
    unreachable::warn_of_impossible_security(spec, &problems);
    unreachable::warn_of_replaced_pages(spec, &problems);
    let mut types = Types::new(spec, &problems);
    types.read_components();
    types.break_endless_names();
    let stem = name_stem(&spec.info.title);
    let (mut operations, mut parameters) =
        operations::plan_operations(spec, settings, &problems, &mut types);
    let plans = extensions::read_plans(spec, &problems);
    let error_codes = extensions::read_error_codes(spec, &problems);
    let mut named = types.finish();
    let fields = parameters.iter_mut().flat_map(|of| &mut of.fields);
    let handled = operations.iter_mut().flat_map(|of| &mut of.handled);
    let fields = fields.chain(handled).map(|parameter| &mut parameter.field);
    finish_types(spec, &problems, &mut named, fields);
    let Found {
        errors,
        mut warnings,
    } = problems.finish();
    if !settings.partial && !errors.is_empty() {
        return Err(errors);
    }
    let blame = blame::assign(spec, &errors);
    if !blame.whole.is_empty() {
        return Err(errors);
    }
    warnings.extend(blame.unused);
    for (operation, problems) in operations.iter_mut().zip(blame.operations) {
        operation.problems = problems;
    }
    Ok(Api {
        trait_name: format!("{stem}Api"),
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
        unreadable: blame.unreadable,
        warnings,
        plans,
        error_codes,
        security_schemes: spec.security_schemes.clone(),
    })
}

/// The types of all schemas, and which one each schema has.
pub(crate) struct PlannedTypes {
    pub(crate) types: Vec<NamedType>,
    /// By the JSON pointer of a component, or of a schema that an operation uses.
    pub(crate) schemas: Vec<(String, Type)>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Plans the types of all schemas alone, without the operations.
pub(crate) fn plan_types(spec: &Spec) -> Result<PlannedTypes, Vec<Diagnostic>> {
    let problems = Problems::new(spec);
    let mut types = Types::new(spec, &problems);
    types.read_components();
    types.break_endless_names();
    let mut schemas = types.component_types();
    for operation in &spec.operations {
        let bodies = operation.request_body.iter().map(|body| &body.content);
        let contents = bodies.chain(
            operation
                .responses
                .values()
                .map(|response| &response.content),
        );
        let bodies = contents.flat_map(|content| content.values());
        let parameters = operation
            .parameters
            .iter()
            .map(|parameter| &parameter.schema);
        for schema in bodies.map(|body| &body.schema).chain(parameters).flatten() {
            let pointer = schema.at().pointer.clone();
            let hint = names::type_name(&pointer).unwrap_or_default();
            if schema.name().is_none() {
                schemas.push((pointer, types.resolve_type(schema, &hint)));
            }
        }
    }
    let mut named = types.finish();
    finish_types(spec, &problems, &mut named, std::iter::empty());
    let found = problems.finish();
    if found.errors.is_empty() {
        Ok(PlannedTypes {
            types: named,
            schemas,
            warnings: found.warnings,
        })
    } else {
        Err(found.errors)
    }
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
    defaults.check_types(named);
    defaults.check(parameters);
}

/// The beginning of the names of the trait and the interface, from the title of the document: `Petstore` for both
/// `Petstore` and `Petstore API`.
fn name_stem(title: &str) -> String {
    let name = names::type_name(title).unwrap_or_default();
    let stem = name.strip_suffix("Api").or(name.strip_suffix("API"));
    stem.unwrap_or(&name).to_owned()
}
