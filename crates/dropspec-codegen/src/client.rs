//! The client generator: `client.rs` with the modules `client/…`, over the crate `dropspec-client`.
//!
//! Generated code is short: a table for each operation says what `dropspec-client` does at run time. There is nothing in a
//! plan that it could not express.

use dropspec_model::{Diagnostic, Spec};
use proc_macro2::TokenStream;
use quote::quote;

use crate::files::{GeneratedFile, Part};
use crate::model::Api;
use crate::settings::Settings;

mod answers;
mod bodies;
mod builders;
mod calls;
mod client_builder;
mod client_struct;
mod responses;
mod security;
mod setters;
mod types;

pub use answers::Reader;
pub use calls::{Call, ClientPlan};

/// The files of a client. Adds what is changed in it to the warnings.
pub(crate) fn files(
    spec: &Spec,
    api: &Api,
    settings: &Settings,
    warnings: &mut Vec<Diagnostic>,
) -> Vec<GeneratedFile> {
    let mut plan = ClientPlan::new(spec, api, settings);
    warnings.append(&mut plan.warnings);
    let rust = |name: &str, tokens| settings.rust_file(Part::Client, name, tokens);
    let mut files = vec![rust("client/types.rs", types::render(api))];
    let mut modules = vec!["types"];
    if !plan.enums.is_empty() {
        modules.push("responses");
        files.push(rust("client/responses.rs", responses::render(&plan.enums)));
    }
    if api.has_bodies() {
        modules.push("bodies");
        files.push(rust("client/bodies.rs", bodies::render(&plan)));
    }
    files.extend([
        rust("client/builder.rs", builders::render(&plan)),
        rust("client/client_builder.rs", client_builder::render(&plan)),
        rust("client.rs", client_struct::render(&plan, &modules)),
    ]);
    files
}

/// `operation_table.rs`: the table of each operation, for the hooks of a client by progenitor.
pub(crate) fn render_operations(spec: &Spec, api: &Api, settings: &Settings) -> TokenStream {
    let plan = ClientPlan::new(spec, api, settings);
    let operations = plan.calls.iter().map(builders::write_operation);
    quote! {
        //! What the document says about each operation, for the hooks of the client.

        pub(crate) static OPERATIONS: &[dropspec_client::Operation] = &[#(#operations),*];
    }
}
