//! `parameters.rs`: the structs that hold the parameters of operations and the headers of responses.

use crate::model::{Api, ParameterKind, ParameterStruct, Presence};
use crate::source::{Source, literal};
use crate::spelling::{Home, Scope, Written, field_rule, write_serde};
use crate::traits::Derivable;

/// The file's text, without its header.
pub(crate) fn render(api: &Api) -> String {
    let mut scope = Scope::new(Home::Types);
    let derivable = Derivable::of(&api.types);
    let mut items = Source::default();
    for (index, parameters) in api.parameters.iter().enumerate() {
        if index > 0 {
            items.blank();
        }
        write_struct(&mut items, &mut scope, &derivable, parameters);
    }
    scope.write_defaults(&mut items);
    write_tables(&mut items, &mut scope, &api.parameters);

    let mut file = Source::default();
    file.line("//! The parameters of operations, and the response headers that their implementations supply.");
    file.blank();
    scope.imports.write(&mut file);
    file.into_text() + &items.into_text()
}

fn write_struct(
    source: &mut Source,
    scope: &mut Scope,
    derivable: &Derivable,
    parameters: &ParameterStruct,
) {
    source.docs(&parameters.docs);
    let direction = match parameters.kind {
        ParameterKind::ResponseHeader => "Serialize",
        _ => "Deserialize",
    };
    scope.imports.add("serde", direction);
    let mut derives = vec!["Clone", "Debug"];
    if parameters
        .fields
        .iter()
        .all(|field| field.presence == Presence::Optional)
    {
        derives.push("Default");
    }
    derives.push("PartialEq");
    if parameters
        .fields
        .iter()
        .all(|field| derivable.type_eq(&field.ty))
    {
        derives.push("Eq");
    }
    derives.push(direction);
    source.line(format!("#[derive({})]", derives.join(", ")));
    // Headers are spelled one by one: their names follow no rule of Rust's.
    let rule = match parameters.kind {
        ParameterKind::Path | ParameterKind::Query => field_rule(&parameters.fields),
        ParameterKind::RequestHeader | ParameterKind::ResponseHeader => None,
    };
    if let Some(rule) = rule {
        write_serde(
            source,
            &[format!("rename_all = {}", literal(rule.as_str()))],
        );
    }
    source.block(&format!("pub struct {}", parameters.name), |source| {
        let fields: Vec<_> = match parameters.kind {
            ParameterKind::ResponseHeader => parameters.fields.clone(),
            // What is only ever read needs no word on how it is written.
            _ => parameters
                .fields
                .iter()
                .cloned()
                .map(|mut field| {
                    if field.presence == Presence::Optional {
                        field.presence = Presence::Required;
                    }
                    field
                })
                .collect(),
        };
        scope.written = match parameters.kind {
            ParameterKind::ResponseHeader => Written::Text,
            _ => Written::Json,
        };
        scope.write_fields(source, &parameters.name, &fields, rule, "pub ");
    });
}

fn write_tables(source: &mut Source, scope: &mut Scope, structs: &[ParameterStruct]) {
    let is_response = |p: &&ParameterStruct| p.kind == ParameterKind::ResponseHeader;
    let requests: Vec<_> = structs.iter().filter(|p| !is_response(p)).collect();
    let responses: Vec<_> = structs.iter().filter(is_response).collect();
    if !structs.is_empty() {
        scope.imports.add("crate::document", "DOCUMENT");
        source.blank();
        source.line(
            "// What each struct says of itself in JSON Schema is what the document says of it.",
        );
    }
    let write = |source: &mut Source, name: &str, rows: Vec<String>| {
        if rows.is_empty() {
            return;
        }
        source.line(format!("spec_runtime::{name}! {{"));
        source.indented(|source| {
            source.line("DOCUMENT;");
            for row in rows {
                source.line(row);
            }
        });
        source.line("}");
    };
    let rows = requests.iter().map(|parameters| {
        let location = match parameters.kind {
            ParameterKind::Path => "path",
            ParameterKind::Query => "query",
            _ => "header",
        };
        format!(
            "{} => {}, {location};",
            parameters.name,
            literal(&parameters.pointer)
        )
    });
    write(source, "parameter_schemas", rows.collect());
    if !requests.is_empty() && !responses.is_empty() {
        source.blank();
    }
    let rows = responses
        .iter()
        .map(|parameters| format!("{} => {};", parameters.name, literal(&parameters.pointer)));
    write(source, "response_header_schemas", rows.collect());
}
