//! Reads a document into the model of the generated code, or reports everything that the code could not express.

use dropspec_model::{Diagnostic, Spec};

use crate::model::Api;
use crate::names;
use crate::plan::defaults::Defaults;
use crate::plan::problems::{Found, Problems};
use crate::plan::types::Types;
use crate::settings::Settings;

mod all_of;
mod base_paths;
mod blame;
mod bodies;
mod cycles;
mod defaults;
mod docs;
mod errors;
mod extensions;
mod fields;
mod headers;
mod items;
mod media_types;
mod multipart;
mod named_operation;
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
mod webhooks;

pub(crate) use routes::UNREACHABLE;

/// Plans the generated code for a document: decides every name and type.
///
/// # Errors
///
/// Everything that is wrong in the document, in its order. With [`Settings::partial`] only what does not concern single
/// operations; these are left out, as are always those that no request can reach.
pub fn plan(spec: &Spec, settings: &Settings) -> Result<Api, Vec<Diagnostic>> {
    let problems = Problems::new(spec);
    base_paths::warn(spec, &problems);
    let mut types = Types::new(spec, &problems);
    types.read_components();
    types.break_endless_names();
    let stem = name_stem(&spec.info.title);
    let (mut operations, mut parameters) =
        operations::plan_operations(spec, settings, &problems, &mut types);
    let webhooks = webhooks::plan_webhooks(&mut types);
    let plans = extensions::read_plans(spec, &problems);
    let error_codes = extensions::read_error_codes(spec, &problems);
    let mut named = types.finish();
    let fields = parameters.iter_mut().flat_map(|of| &mut of.fields);
    let handled = operations.iter_mut().flat_map(|of| &mut of.handled);
    let fields = fields.chain(handled).map(|parameter| &mut parameter.field);
    cycles::break_cycles(&mut named);
    let defaults = Defaults::new(spec, &problems);
    let of_types = named.iter_mut().flat_map(|named| named.shape.fields_mut());
    defaults.check(of_types.chain(fields));
    let Found {
        errors,
        mut warnings,
    } = problems.finish();
    let is_fatal = |error: &Diagnostic| error.rule != routes::UNREACHABLE;
    if !settings.partial && errors.iter().any(is_fatal) {
        return Err(errors);
    }
    let mut blame = blame::assign(spec, &errors);
    if !blame.whole.is_empty() {
        return Err(errors);
    }
    warnings.extend(blame.unused);
    let of_webhooks = blame.operations.split_off(operations.len());
    let webhooks = webhooks.into_iter().zip(&of_webhooks);
    let webhooks = webhooks.filter_map(|(webhook, errors)| errors.is_empty().then_some(webhook));
    let webhooks = webhooks.collect();
    warnings.extend(of_webhooks.into_iter().flatten());
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
        webhooks,
        unreadable: blame.unreadable,
        warnings,
        plans,
        error_codes,
        security_schemes: spec.security_schemes.clone(),
    })
}

/// The beginning of the names of the trait and the interface, from the title of the document: `Petstore` for both
/// `Petstore` and `Petstore API`.
fn name_stem(title: &str) -> String {
    let name = names::type_name(title).unwrap_or_default();
    let stem = name.strip_suffix("Api").or(name.strip_suffix("API"));
    stem.unwrap_or(&name).to_owned()
}
