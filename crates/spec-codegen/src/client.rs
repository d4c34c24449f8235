//! `client.rs`: progenitor's client in builder style, formatted.

use std::thread;

use openapiv3::OpenAPI;
use serde_json::Value as Json;
use spec_model::{Diagnostic, Spec};

mod artifact;
mod collisions;
mod command_line;
mod document;
mod layered;
mod mock;
mod polish;
mod schema;

pub(crate) use artifact::Artifact;

/// The thread that progenitor runs on. It may panic there; whoever prints panics can tell them by this name.
pub const PROGENITOR_THREAD: &str = "progenitor";

/// progenitor and what it is built on recurse along the document.
const STACK_BYTES: usize = 64 << 20;

/// The client's text, without its header.
///
/// # Errors
///
/// What progenitor refuses, located as closely as it can be: at the schemas or operations that it refuses by themselves.
pub(crate) fn render(spec: &Spec) -> Result<String, Vec<Diagnostic>> {
    render_artifact(spec, &Artifact::Client)
}

/// The text of one of the files that progenitor makes, without its header.
///
/// # Errors
///
/// As [`render`].
pub(crate) fn render_artifact(spec: &Spec, artifact: &Artifact) -> Result<String, Vec<Diagnostic>> {
    match run(document::whole(spec), artifact) {
        Ok(text) => Ok(text),
        Err(Refusal { reason, help }) => {
            let mut found = culprits(spec, artifact);
            if found.is_empty() {
                let message = format!("the client cannot express this document: {reason}");
                found.push(spec.diagnostic(&spec.info.at, message).with_help(help));
            }
            Err(found)
        }
    }
}

/// The schemas that fail by themselves, or else the operations.
fn culprits(spec: &Spec, artifact: &Artifact) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (name, schema) in &spec.schemas {
        if let Err(Refusal { reason, help }) = run(document::of_schema(spec, name), artifact) {
            let message = format!("the client cannot express the schema `{name}`: {reason}");
            found.push(spec.diagnostic(schema.at(), message).with_help(help));
        }
    }
    if !found.is_empty() {
        return found;
    }
    for operation in &spec.operations {
        if let Err(Refusal { reason, help }) =
            run(document::of_operation(spec, operation), artifact)
        {
            let message = format!("the client cannot express this operation: {reason}");
            found.push(spec.diagnostic(&operation.at, message).with_help(help));
        }
    }
    found
}

/// Why there is no client, and what to do about it.
struct Refusal {
    reason: String,
    help: &'static str,
}

impl From<String> for Refusal {
    /// What progenitor says.
    fn from(reason: String) -> Self {
        let help = "progenitor makes the client; write this in a simpler way";
        Self { reason, help }
    }
}

/// Runs progenitor, whatever it does.
fn run(document: Json, artifact: &Artifact) -> Result<String, Refusal> {
    let thread = thread::Builder::new()
        .name(PROGENITOR_THREAD.to_owned())
        .stack_size(STACK_BYTES);
    let artifact = artifact.clone();
    let running = thread
        .spawn(move || generate(document, &artifact))
        .map_err(|error| error.to_string())?;
    running.join().unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text
            .or(panic.downcast_ref::<&str>().copied())
            .unwrap_or("it panics");
        Err(first_line(text).into())
    })
}

fn generate(document: Json, artifact: &Artifact) -> Result<String, Refusal> {
    let document: OpenAPI = serde_json::from_value(document).map_err(|error| error.to_string())?;
    let tokens = artifact
        .tokens(&document)
        .map_err(|error| first_line(&error.to_string()))?;
    let mut file = syn::parse2(tokens).map_err(|error| error.to_string())?;
    if let Some(reason) = collisions::find(&file) {
        let help = "give one of them another name";
        return Err(Refusal { reason, help });
    }
    artifact.adapt(&mut file);
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
