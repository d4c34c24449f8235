//! The client generator: `client.rs` with the modules `client/…`, over the crate `spec-client`.
//!
//! Generated code is short: a table for each operation says what `spec-client` does at run time. There is nothing in a
//! plan that it could not express.

use proc_macro2::TokenStream;
use quote::quote;
use spec_model::{Diagnostic, Spec};

use crate::model::Api;
use crate::sections::Sections;
use crate::settings::Settings;
use crate::{GeneratedFile, Part};

mod answers;
mod bodies;
mod builders;
mod calls;
mod client_builder;
mod client_struct;
mod pages;
mod paths;
mod responses;
mod security;
mod setters;
mod styles;
mod types;

use calls::ClientPlan;

/// The files of a client, and what is lost or changed in it.
pub(crate) fn render(
    spec: &Spec,
    api: &Api,
    settings: &Settings,
    sections: &Sections,
) -> (Vec<GeneratedFile>, Vec<Diagnostic>) {
    let plan = ClientPlan::new(spec, api, settings);
    let types = types::adapt_types(api);
    let mut files = types::items(&types, sections).into_files(settings, sections);
    let mut modules = vec!["types"];
    if !plan.enums.is_empty() {
        modules.push("responses");
        files.extend(responses::items(&plan.enums, sections).into_files(settings, sections));
    }
    let rust = |name: &str, tokens| settings.rust_file(Part::Client, name, paths::relocate(tokens));
    if !api.body_choices.is_empty() || !api.multiparts.is_empty() {
        modules.push("bodies");
        files.push(rust("client/bodies.rs", bodies::render(api, &plan)));
    }
    files.extend(builders::items(&plan, sections).into_files(settings, sections));
    if plan.state.is_none() {
        let builder = client_builder::render(&plan);
        files.push(rust("client/client_builder.rs", builder));
    }
    files.push(rust("client.rs", client_struct::render(&plan, &modules)));
    (files, plan.warnings)
}

/// `operation_table.rs`: the table of each operation, for the hooks of a client by progenitor.
pub(crate) fn render_operations(spec: &Spec, api: &Api, settings: &Settings) -> TokenStream {
    let plan = ClientPlan::new(spec, api, settings);
    let operations = plan.calls.iter().map(builders::write_operation);
    quote! {
        //! What the document says about each operation, for the hooks of the client.

        pub(crate) static OPERATIONS: &[spec_client::Operation] = &[#(#operations),*];
    }
}
