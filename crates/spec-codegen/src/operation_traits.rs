//! `operation_traits.rs`: what the layer of a client has to know of an operation, by the names that
//! progenitor's hooks hear.

use spec_model::{Operation, ParameterLocation, Spec};

use crate::model::Api;
use crate::names;
use crate::source::{Source, WIDTH, literal};

/// The header that makes a repeated request the same request.
const HEADER: &str = "Idempotency-Key";

/// The file's text, without its header.
pub(crate) fn render(spec: &Spec, api: &Api) -> String {
    let taking_a_key = spec
        .operations
        .iter()
        .filter(|operation| takes_key(operation));
    let free = api
        .operations
        .iter()
        .filter(|operation| operation.traits.rate_limit_cost == 0);

    let mut source = Source::default();
    source.line("//! What sets some operations apart.");
    source.blank();
    source.docs(&format!("Whether the operation takes an `{HEADER}`."));
    let names: Vec<String> = taking_a_key.filter_map(method_name).collect();
    write_question(&mut source, "takes_key", &names);
    source.blank();
    source
        .docs("Whether the operation costs nothing, and so is answered even when nothing is left.");
    let names: Vec<String> = free
        .filter_map(|operation| names::field_name(&operation.id))
        .collect();
    write_question(&mut source, "is_free", &names);
    source.into_text()
}

/// A function that is true of these operations.
fn write_question(source: &mut Source, function: &str, operations: &[String]) {
    let names: Vec<String> = operations.iter().map(|name| literal(name)).collect();
    let signature = format!("pub(crate) fn {function}(operation_id: &str) -> bool");
    source.block(&signature, |source| {
        let one_line = format!("matches!(operation_id, {})", names.join(" | "));
        if names.is_empty() {
            source.line("let _ = operation_id;");
            source.line("false");
        } else if source.indentation() + one_line.len() <= WIDTH {
            source.line(one_line);
        } else {
            source.line("matches!(");
            source.indented(|source| {
                source.line("operation_id,");
                for (index, name) in names.iter().enumerate() {
                    let bar = if index == 0 { "" } else { "| " };
                    source.line(format!("{bar}{name}"));
                }
            });
            source.line(")");
        }
    });
}

fn takes_key(operation: &Operation) -> bool {
    operation.parameters.iter().any(|parameter| {
        parameter.location == ParameterLocation::Header
            && parameter.name.eq_ignore_ascii_case(HEADER)
    })
}

/// The client's method for the operation.
pub(crate) fn method_name(operation: &Operation) -> Option<String> {
    names::field_name(&operation.id.as_ref()?.value)
}
