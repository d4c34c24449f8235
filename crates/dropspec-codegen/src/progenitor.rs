//! Runs progenitor. Its output passes unchanged; what a client needs beside it, its hooks do (`dropspec_client::Hooks`).

use std::thread;

use dropspec_model::{Diagnostic, Spec};
use progenitor_impl::{GenerationSettings, Generator, HooksMode, InterfaceStyle, TagStyle};
use quote::ToTokens;
use serde_json::Value as Json;
use syn::File;

use crate::settings::ClientLayer;
use crate::source::print;

/// The stack size of the thread that progenitor runs on, in bytes: progenitor recurses along the document.
const STACK_BYTES: usize = 64 << 20;

/// What the client begins with. Its code and the documentation in it are progenitor's.
const CLIENT_HEADER: &str = "//! The client: a method and a builder for each operation.\n\
                             #![allow(missing_docs, unused_imports, rustdoc::all, clippy::all, clippy::unwrap_used)]\n\n";

/// Generates `client.rs`, without the line that marks it as generated. The hooks of a client with a layer keep their state
/// in its type `state`.
///
/// # Errors
///
/// progenitor does not take the document. It does not say where; our own client takes every document.
pub(crate) fn render_client(
    spec: &Spec,
    layer: Option<&ClientLayer>,
) -> Result<String, Vec<Diagnostic>> {
    let state = layer.map(|layer| layer.state.clone());
    let mut document = spec.document.root().to_json();
    simplify(&mut document);
    // progenitor may panic: it runs on a thread of its own.
    let work = move || {
        let document = serde_json::from_value(document).map_err(|error| error.to_string())?;
        let mut settings = GenerationSettings::new();
        settings
            .with_interface(InterfaceStyle::Builder)
            .with_tag(TagStyle::Merged);
        if let Some(state) = state {
            let state = state
                .parse()
                .map_err(|_| format!("`{state}` is no Rust type"))?;
            settings
                .with_inner_type(state)
                .with_hooks(HooksMode::Expected);
        }
        let tokens = Generator::new(&settings).generate_tokens(&document);
        // Tokens cannot be sent to another thread, text can.
        let text = tokens.map(|tokens| tokens.to_string());
        text.map_err(|error| error.to_string())
    };
    let thread = thread::Builder::new()
        .name("progenitor".to_owned())
        .stack_size(STACK_BYTES);
    let generated: Result<String, String> = match thread.spawn(work) {
        Ok(running) => running
            .join()
            .unwrap_or_else(|_| Err("it panics".to_owned())),
        Err(error) => Err(error.to_string()),
    };
    let parse = |text: String| syn::parse_str::<File>(&text).map_err(|error| error.to_string());
    let file = generated.and_then(parse).map_err(|reason| {
        let reason = reason.lines().find(|line| !line.trim().is_empty());
        let reason: String = reason
            .unwrap_or("it panics")
            .trim()
            .chars()
            .take(200)
            .collect();
        let message = format!("progenitor does not take this document: {reason}");
        let help = "choose the generator's own client, which takes every document";
        vec![spec.diagnostic(&spec.info.at, message).with_help(help)]
    })?;
    let text = print(file.into_token_stream());
    Ok(format!("{CLIENT_HEADER}{text}"))
}

/// What the server checks, which typify would make types of: a name of at most 100 characters would be no `String`. And what only
/// servers say.
const LEFT_OUT: [&str; 9] = [
    "default",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxLength",
    "maximum",
    "minLength",
    "minimum",
    "pattern",
    "servers",
];

/// Removes the members of a document that the client does not need.
fn simplify(element: &mut Json) {
    match element {
        Json::Object(members) => {
            // A property or component of such a name is an object.
            members.retain(|name, value| {
                let is_value = !matches!(value, Json::Object(_));
                !(is_value && LEFT_OUT.contains(&name.as_str()))
            });
            members.values_mut().for_each(simplify);
        }
        Json::Array(elements) => elements.iter_mut().for_each(simplify),
        _ => {}
    }
}
