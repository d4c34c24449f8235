//! Runs progenitor, which generates the client and its mocks.

use std::thread;

use openapiv3::OpenAPI;
use serde_json::Value as Json;
use spec_model::{Diagnostic, Spec};
use syn::File;

use crate::model::Api;
use crate::source::print;

mod artifact;
mod collisions;
mod document;
mod documentation;
mod errors;
mod layered;
mod methods;
mod mock;
mod polish;
mod schema;

pub(crate) use artifact::Artifact;

/// The name of the thread that progenitor runs on. Panics of this thread become diagnostics, so a panic hook may ignore
/// them.
pub const PROGENITOR_THREAD: &str = "progenitor";

/// The stack size of the thread that progenitor runs on, in bytes: progenitor recurses along the document.
const STACK_BYTES: usize = 64 << 20;

/// Generates one of progenitor's files and adapts it. The result is its text without the line that marks it as
/// generated.
///
/// # Errors
///
/// progenitor does not support the document. It does not say where; our own client takes every document.
pub(crate) fn render_artifact(
    spec: &Spec,
    api: &Api,
    artifact: &Artifact,
) -> Result<String, Vec<Diagnostic>> {
    match run_progenitor(document::write_document(spec), artifact) {
        Ok(mut file) => {
            polish::polish(&mut file);
            artifact.adapt(&mut file, api);
            Ok(print(file))
        }
        Err(Unsupported { reason, help }) => {
            let message = format!("the client cannot express this document: {reason}");
            Err(vec![
                spec.diagnostic(&spec.info.at, message).with_help(help),
            ])
        }
    }
}

/// The reason why progenitor cannot generate code for a document, with help.
struct Unsupported {
    reason: String,
    help: &'static str,
}

impl From<String> for Unsupported {
    /// The error for a message of progenitor.
    fn from(reason: String) -> Self {
        let help = "write it in a simpler way, or choose the generator's own client";
        Self { reason, help }
    }
}

/// Runs progenitor on a thread of its own, where it may panic.
fn run_progenitor(document: Json, artifact: &Artifact) -> Result<File, Unsupported> {
    let thread = thread::Builder::new()
        .name(PROGENITOR_THREAD.to_owned())
        .stack_size(STACK_BYTES);
    let artifact = artifact.clone();
    // A tree of syntax cannot be sent to another thread, text can.
    let running = thread
        .spawn(move || generate(document, &artifact))
        .map_err(|error| error.to_string())?;
    let text = running.join().unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text
            .or(panic.downcast_ref::<&str>().copied())
            .unwrap_or("it panics");
        Err(first_line(text))
    })?;
    let file = syn::parse_str(&text).map_err(|error| error.to_string())?;
    match collisions::find_collision(&file) {
        None => Ok(file),
        Some(reason) => {
            let help = "give one of them another name";
            Err(Unsupported { reason, help })
        }
    }
}

fn generate(document: Json, artifact: &Artifact) -> Result<String, String> {
    let document: OpenAPI = serde_json::from_value(document).map_err(|error| error.to_string())?;
    let tokens = artifact.generate_tokens(&document);
    let tokens = tokens.map_err(|error| first_line(&error.to_string()))?;
    Ok(tokens.to_string())
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
