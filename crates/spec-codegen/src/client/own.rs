//! The client generator: `client.rs` with the modules `client/…`, over the crate `spec-client`.
//!
//! Generated code is short: a table for each operation says what `spec-client` does at run time. There is nothing in a
//! plan that it could not express.

use proc_macro2::TokenStream;
use spec_model::{Diagnostic, Spec};

use crate::model::Api;
use crate::settings::Settings;
use crate::{GeneratedFile, Part};

mod answers;
mod bodies;
mod builders;
mod calls;
mod client_struct;
mod modules;
mod pages;
mod paths;
mod responses;
mod security;
mod styles;
mod types;

use calls::ClientPlan;

/// The files of a client, and what is lost or changed in it.
pub(crate) fn render(
    spec: &Spec,
    api: &Api,
    settings: &Settings,
) -> (Vec<GeneratedFile>, Vec<Diagnostic>) {
    let plan = ClientPlan::new(spec, api, settings);
    let mut files = Vec::new();
    let mut module = |name: &str, tokens: TokenStream| {
        let tokens = paths::relocate(tokens);
        let path = format!("client/{name}.rs");
        files.push(settings.rust_file(Part::Client, &path, tokens));
        name.to_owned()
    };
    for (name, tokens) in types::render(api) {
        module(&name, tokens);
    }
    let mut names = vec!["types".to_owned()];
    if !plan.enums.is_empty() {
        names.push(module("responses", responses::render(&plan.enums)));
    }
    if !api.body_choices.is_empty() || !api.multiparts.is_empty() {
        names.push(module("bodies", bodies::render(api, &plan)));
    }
    let tokens = paths::relocate(client_struct::render(&plan, &names));
    files.extend(modules::split_builders(settings, &plan));
    files.push(settings.rust_file(Part::Client, "client.rs", tokens));
    (files, plan.warnings)
}
