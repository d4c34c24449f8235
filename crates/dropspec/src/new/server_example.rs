//! An example for the README of a new workspace, made of the user's own document: how a method of the server unpacks its
//! arguments and wraps its result.

use serde_json::Value;
use syn::{FnArg, GenericArgument, Pat, PathArguments, ReturnType, Signature, Type};

use super::builders::spell;
use super::sample_values::raw_string;

/// Types of arguments that hold one value, which `into_inner` returns.
const ARGUMENTS: [&str; 7] = [
    "Path",
    "Query",
    "Header",
    "TypedBody",
    "Body",
    "Form",
    "Cookies",
];

/// Types of bodies that a method reads as a stream.
const STREAMS: [&str; 3] = ["RawBody", "Multipart", "UntypedBody"];

/// Types of results that wrap a value, and those that wrap nothing.
const WRAPPERS: [&str; 3] = [
    "HttpResponseOk",
    "HttpResponseCreated",
    "HttpResponseAccepted",
];
const EMPTY: [&str; 2] = ["HttpResponseUpdatedNoContent", "HttpResponseDeleted"];

/// Stands in a method for the text of its result.
const RESULT: &str = "{result}";

/// The method of an operation, filled in with a result of the document.
pub(super) struct ServerExample {
    /// The name of the method.
    pub(super) method: String,
    /// The method, not formatted.
    pub(super) code: String,
    /// How much it shows.
    score: usize,
}

/// Writes the method that shows most, of those whose arguments are simple and whose result, by the name of the method, is known.
pub(super) fn find_server_example(
    signatures: &[Signature],
    result: impl Fn(&str) -> Option<Value>,
) -> Option<ServerExample> {
    let mut examples: Vec<ServerExample> = signatures.iter().filter_map(fill_in).collect();
    // Of several that show as much, the first.
    examples.sort_by_key(|example| std::cmp::Reverse(example.score));
    examples.into_iter().find_map(|example| {
        if !example.code.contains(RESULT) {
            return Some(example);
        }
        let text = raw_string(&result(&example.method)?.to_string());
        let code = example.code.replace(RESULT, &text);
        Some(ServerExample { code, ..example })
    })
}

fn fill_in(signature: &Signature) -> Option<ServerExample> {
    let mut lines = vec!["let app = rqctx.context().service();".to_owned()];
    for argument in signature.inputs.iter().skip(1) {
        let FnArg::Typed(argument) = argument else {
            return None;
        };
        let Pat::Ident(name) = &*argument.pat else {
            return None;
        };
        let (wrapper, inner) = last_segment(&argument.ty)?;
        let inner = match (wrapper.as_str(), inner) {
            ("Text", None) => "String".to_owned(),
            (known, Some(inner)) if ARGUMENTS.contains(&known) => spell(&inner),
            _ => return None,
        };
        // A stream has a value for each of its parts.
        if STREAMS.iter().any(|stream| inner.contains(stream)) {
            return None;
        }
        let name = &name.ident;
        lines.push(format!("let {name}: {inner} = {name}.into_inner();"));
    }
    let ReturnType::Type(_, output) = &signature.output else {
        return None;
    };
    let (_, success) = last_segment(output)?;
    let (wrapper, body) = last_segment(&success?)?;
    let has_body = match body {
        Some(body) if WRAPPERS.contains(&wrapper.as_str()) => {
            lines.push("// A sample of the document, until the work is written here.".to_owned());
            lines.push(format!("let sample = {RESULT};"));
            lines.push(format!(
                "let result: {} = serde_json::from_str(sample)\n\
                 .map_err(|error| dropshot::HttpError::for_internal_error(error.to_string()))?;",
                spell(&body)
            ));
            lines.push(format!("Ok({wrapper}(result))"));
            true
        }
        None if EMPTY.contains(&wrapper.as_str()) => {
            lines.push(format!("Ok({wrapper}())"));
            false
        }
        _ => return None,
    };
    Some(ServerExample {
        method: signature.ident.to_string(),
        code: format!("{} {{ {} }}", spell(signature), lines.join("\n")),
        score: signature.inputs.len() + usize::from(has_body),
    })
}

/// The name of a type, and its first argument.
fn last_segment(ty: &Type) -> Option<(String, Option<Type>)> {
    let Type::Path(path) = ty else {
        return None;
    };
    let segment = path.path.segments.last()?;
    let first = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            GenericArgument::Type(ty) => Some(ty.clone()),
            _ => return None,
        },
        _ => None,
    };
    Some((segment.ident.to_string(), first))
}

/// The methods whose arguments and results are simple, in the order of the interface.
pub(super) fn simple_methods(signatures: &[Signature]) -> Vec<String> {
    let examples = signatures.iter().filter_map(fill_in);
    examples.map(|example| example.method).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn signatures(texts: &[&str]) -> Vec<Signature> {
        let parse = |text: &&str| syn::parse_str::<Signature>(text).unwrap();
        texts.iter().map(parse).collect()
    }

    #[test]
    fn operation_that_shows_most_is_filled_in() {
        let known = |method: &str| (method != "patch").then(|| json!({ "title": "Emma" }));
        let texts = [
            "async fn stream(rqctx: R, body: RawBody) -> Result<HttpResponseOk<Book>, HttpError>",
            "async fn upload(rqctx: R, path: Path<P>, query: Query<Q>, body: Body<Option<RawBody>>) -> Result<HttpResponseOk<Book>, HttpError>",
            "async fn get(rqctx: R, path: Path<P>) -> Result<HttpResponseOk<Book>, HttpError>",
            "async fn put(rqctx: R, path: Path<P>, body: Body<Option<Book>>) -> Result<HttpResponseOk<Book>, HttpError>",
            "async fn set(rqctx: R, path: Path<P>, body: Text) -> Result<HttpResponseOk<Book>, HttpError>",
            "async fn patch(rqctx: R, path: Path<P>, query: Query<Q>, body: Text) -> Result<HttpResponseOk<Book>, HttpError>",
        ];
        let example = find_server_example(&signatures(&texts), known).unwrap();
        assert_eq!(example.method, "put");
        for line in [
            "let path: P = path.into_inner();",
            "let body: Option < Book > = body.into_inner();",
            "let sample = r#\"{\"title\":\"Emma\"}\"#;",
            "let result: Book = serde_json::from_str(sample)",
            "Ok(HttpResponseOk(result))",
        ] {
            assert!(example.code.contains(line), "{}", example.code);
        }
        let odd = ["async fn a(rqctx: R) -> Result<AnyResponse, HttpError>"];
        assert!(find_server_example(&signatures(&odd), known).is_none());
        let empty = ["async fn a(rqctx: R) -> Result<HttpResponseDeleted, HttpError>"];
        let example = find_server_example(&signatures(&empty), known).unwrap();
        assert!(example.code.contains("Ok(HttpResponseDeleted())"));
    }
}
