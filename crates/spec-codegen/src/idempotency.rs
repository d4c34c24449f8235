//! `idempotency.rs`: which operations take an `Idempotency-Key`, by the names that progenitor's hooks hear.

use spec_model::{Operation, ParameterLocation, Spec};

use crate::names;
use crate::source::{Source, WIDTH, literal};

/// The header that makes a repeated request the same request.
const HEADER: &str = "Idempotency-Key";

/// The file's text, without its header.
pub(crate) fn render(spec: &Spec) -> String {
    let taking = spec
        .operations
        .iter()
        .filter(|operation| takes_key(operation));
    let names: Vec<String> = taking
        .filter_map(method_name)
        .map(|name| literal(&name))
        .collect();

    let mut source = Source::default();
    source.line("//! The operations that can be repeated without being done twice.");
    source.blank();
    source.docs(&format!("Whether the operation takes an `{HEADER}`."));
    source.block(
        "pub(crate) fn takes_key(operation_id: &str) -> bool",
        |source| {
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
        },
    );
    source.into_text()
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
