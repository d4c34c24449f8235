//! `client.rs`: progenitor's client in builder style, formatted.

use std::thread;

use openapiv3::OpenAPI;
use progenitor_impl::{GenerationSettings, Generator, InterfaceStyle, TagStyle};
use serde_json::Value as Json;
use spec_model::{Diagnostic, Spec};

mod document;
mod polish;
mod schema;

/// The thread that progenitor runs on. It may panic there; whoever prints panics can tell them by this name.
pub const PROGENITOR_THREAD: &str = "progenitor";

/// progenitor and what it is built on recurse along the document.
const STACK_BYTES: usize = 64 << 20;

/// The file's text, without its header.
///
/// # Errors
///
/// What progenitor refuses, located as closely as it can be: at the schemas or operations that it refuses by themselves.
pub(crate) fn render(spec: &Spec) -> Result<String, Vec<Diagnostic>> {
    match run(document::whole(spec)) {
        Ok(text) => Ok(text),
        Err(reason) => {
            let mut found = culprits(spec);
            if found.is_empty() {
                let help = "simplify the schemas that the operations use";
                let message = format!("progenitor makes no client of this document: {reason}");
                found.push(spec.diagnostic(&spec.info.at, message).with_help(help));
            }
            Err(found)
        }
    }
}

/// The schemas that fail by themselves, or else the operations.
fn culprits(spec: &Spec) -> Vec<Diagnostic> {
    let help = "progenitor makes the client; write this in a simpler way";
    let mut found = Vec::new();
    for (name, schema) in &spec.schemas {
        if let Err(reason) = run(document::of_schema(spec, name)) {
            let message = format!("the client cannot express the schema `{name}`: {reason}");
            found.push(spec.diagnostic(schema.at(), message).with_help(help));
        }
    }
    if !found.is_empty() {
        return found;
    }
    for operation in &spec.operations {
        if let Err(reason) = run(document::of_operation(spec, operation)) {
            let message = format!("the client cannot express this operation: {reason}");
            found.push(spec.diagnostic(&operation.at, message).with_help(help));
        }
    }
    found
}

/// Runs progenitor, whatever it does.
fn run(document: Json) -> Result<String, String> {
    let thread = thread::Builder::new()
        .name(PROGENITOR_THREAD.to_owned())
        .stack_size(STACK_BYTES);
    let running = thread
        .spawn(move || generate(document))
        .map_err(|error| error.to_string())?;
    running.join().unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text
            .or(panic.downcast_ref::<&str>().copied())
            .unwrap_or("it panics");
        Err(first_line(text))
    })
}

fn generate(document: Json) -> Result<String, String> {
    let document: OpenAPI = serde_json::from_value(document).map_err(|error| error.to_string())?;
    let mut settings = GenerationSettings::new();
    settings
        .with_interface(InterfaceStyle::Builder)
        .with_tag(TagStyle::Merged);
    let mut generator = Generator::new(&settings);
    let tokens = generator
        .generate_tokens(&document)
        .map_err(|error| first_line(&error.to_string()))?;
    let file = syn::parse2(tokens).map_err(|error| error.to_string())?;
    Ok(polish::text(file))
}

fn first_line(text: &str) -> String {
    let line = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it panics");
    let mut line: String = line.trim().chars().take(200).collect();
    if line.ends_with(':') {
        line.pop();
    }
    line
}
