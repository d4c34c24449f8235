//! `api.rs`: the dropshot trait, a method per operation.

use crate::model::{AnswerBody, AnswerKind, Api, ErrorType, Operation};
use crate::source::{Source, WIDTH, escaped, literal};
use crate::spelling::{Home, Scope};

/// The file's text, without its header.
pub(crate) fn render(api: &Api) -> String {
    let mut scope = Scope::new(Home::Types);
    let mut items = Source::default();
    let docs = if api.description.is_empty() {
        &api.title
    } else {
        &api.description
    };
    items.docs(docs);
    write_description(&mut items, api);
    items.block(&format!("pub trait {}", api.trait_name), |source| {
        source.docs("The state that every handler can reach.");
        source.line("type Context;");
        for operation in &api.operations {
            source.blank();
            write_method(source, &mut scope, operation);
        }
    });

    let mut file = Source::default();
    file.line("//! What a server of this interface implements.");
    file.blank();
    if api.operations.iter().any(misread_by_rustdoc) {
        file.line("// dropshot emits the comments of methods as descriptions, so they stay as the document has them.");
        file.line("#![allow(rustdoc::bare_urls, rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]");
        file.blank();
    }
    scope.imports.write(&mut file);
    file.into_text() + &items.into_text()
}

fn write_description(source: &mut Source, api: &Api) {
    if api.tags.is_empty() {
        return source.line("#[dropshot::api_description]");
    }
    let declared = |tag: &String| api.tags.iter().any(|known| known.name == *tag);
    let others = api
        .operations
        .iter()
        .flat_map(|operation| &operation.tags)
        .any(|tag| !declared(tag));
    source.line("#[dropshot::api_description {");
    source.indented(|source| {
        source.line("tag_config = {");
        source.indented(|source| {
            source.line(format!("allow_other_tags = {others},"));
            source.line("tags = {");
            source.indented(|source| {
                for tag in &api.tags {
                    let name = literal(&tag.name);
                    match &tag.description {
                        None => source.line(format!("{name} = {{}},")),
                        Some(text) => {
                            source.line(format!("{name} = {{ description = {} }},", literal(text)));
                        }
                    }
                }
            });
            source.line("},");
        });
        source.line("},");
    });
    source.line("}]");
}

/// Whether a method's documentation would have to be escaped for rustdoc.
fn misread_by_rustdoc(operation: &Operation) -> bool {
    [&operation.summary, &operation.description]
        .into_iter()
        .any(|text| escaped(text).trim() != text.trim())
}

fn write_method(source: &mut Source, scope: &mut Scope, operation: &Operation) {
    source.docs_verbatim(&operation.summary);
    if !operation.description.is_empty() {
        source.line("///");
        source.docs_verbatim(&operation.description);
    }
    write_endpoint(source, operation);
    scope.imports.add("dropshot", "RequestContext");
    let mut arguments = vec!["rqctx: RequestContext<Self::Context>".to_owned()];
    let extractors = [
        ("path", "Path", operation.path_struct.as_ref()),
        ("query", "Query", operation.query_struct.as_ref()),
        ("headers", "Header", operation.header_struct.as_ref()),
    ];
    for (name, extractor, parameters) in extractors {
        if let Some(parameters) = parameters {
            scope.imports.add("dropshot", extractor);
            scope.imports.add("crate::parameters", parameters);
            arguments.push(format!("{name}: {extractor}<{parameters}>"));
        }
    }
    if let Some(body) = &operation.body {
        scope.imports.add("dropshot", "TypedBody");
        let body = scope.spell(body);
        arguments.push(format!("body: TypedBody<{body}>"));
    }
    let answer = spell_answer(scope, operation);
    let error = spell_error(scope, &operation.error);
    write_signature(source, &operation.method_name, &arguments, &answer, &error);
}

fn write_endpoint(source: &mut Source, operation: &Operation) {
    let mut arguments = vec![
        format!("method = {}", operation.method),
        format!("path = {}", literal(&operation.path)),
        format!("operation_id = {}", literal(&operation.id)),
    ];
    if !operation.tags.is_empty() {
        let tags: Vec<String> = operation.tags.iter().map(|tag| literal(tag)).collect();
        arguments.push(format!("tags = [{}]", tags.join(", ")));
    }
    if operation.deprecated {
        arguments.push("deprecated = true".to_owned());
    }
    let one_line = format!("#[endpoint {{ {} }}]", arguments.join(", "));
    if source.indentation() + one_line.len() <= WIDTH {
        return source.line(one_line);
    }
    source.line("#[endpoint {");
    source.indented(|source| {
        for argument in arguments {
            source.line(format!("{argument},"));
        }
    });
    source.line("}]");
}

fn spell_answer(scope: &mut Scope, operation: &Operation) -> String {
    let bare = match &operation.answer.kind {
        AnswerKind::Body { wrapper, body } => {
            scope.imports.add("dropshot", *wrapper);
            let body = match body {
                AnswerBody::Json(ty) => scope.spell(ty),
                AnswerBody::Bytes => {
                    scope.imports.add("dropshot", "FreeformBody");
                    "FreeformBody".to_owned()
                }
            };
            format!("{wrapper}<{body}>")
        }
        AnswerKind::Empty { wrapper } => {
            scope.imports.add("dropshot", *wrapper);
            (*wrapper).to_owned()
        }
        AnswerKind::Freeform => {
            scope.imports.add("dropshot", "Body");
            scope.imports.add("http", "Response");
            "Response<Body>".to_owned()
        }
    };
    match &operation.answer.headers {
        None => bare,
        Some(headers) => {
            scope.imports.add("dropshot", "HttpResponseHeaders");
            scope.imports.add("crate::parameters", headers);
            format!("HttpResponseHeaders<{bare}, {headers}>")
        }
    }
}

fn spell_error(scope: &mut Scope, error: &ErrorType) -> String {
    match error {
        ErrorType::Itself(name) => scope.named(name),
        ErrorType::HttpError => {
            scope.imports.add("dropshot", "HttpError");
            "HttpError".to_owned()
        }
        ErrorType::Failure(body) => {
            scope.imports.add("spec_runtime", "OperationError");
            format!("OperationError<{}>", scope.spell(body))
        }
    }
}

fn write_signature(source: &mut Source, name: &str, arguments: &[String], ok: &str, err: &str) {
    let tail = format!(") -> Result<{ok}, {err}>;");
    let one_line = format!("async fn {name}({}{tail}", arguments.join(", "));
    if source.indentation() + one_line.len() <= WIDTH {
        return source.line(one_line);
    }
    source.line(format!("async fn {name}("));
    source.indented(|source| {
        for argument in arguments {
            source.line(format!("{argument},"));
        }
    });
    // rustfmt counts neither the parenthesis nor the semicolon here.
    if source.indentation() + tail.len() <= WIDTH + 3 {
        return source.line(tail);
    }
    source.line(") -> Result<");
    source.indented(|source| {
        let wrapper = "HttpResponseHeaders<";
        match ok
            .strip_prefix(wrapper)
            .and_then(|inner| inner.strip_suffix('>')?.rsplit_once(", "))
        {
            Some((body, headers)) if source.indentation() + ok.len() + 1 > WIDTH => {
                source.line(wrapper);
                source.indented(|source| {
                    source.line(format!("{body},"));
                    source.line(format!("{headers},"));
                });
                source.line(">,");
            }
            _ => source.line(format!("{ok},")),
        }
        source.line(format!("{err},"));
    });
    source.line(">;");
}
