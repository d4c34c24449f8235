//! Examples for the README of a new workspace, made of the user's own document: how a method of the server unpacks its
//! arguments and wraps its result, and how the client calls the same operation.

use quote::ToTokens;
use syn::{
    FnArg, GenericArgument, ImplItem, ImplItemFn, Item, ItemImpl, Pat, PathArguments, ReturnType,
    Signature, Type, TypeParamBound,
};

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

/// The method of an operation, filled in except for its work.
pub(super) struct ServerExample {
    /// The name of the method.
    pub(super) method: String,
    /// The method, not formatted.
    pub(super) code: String,
    /// How much it shows.
    score: usize,
}

/// Writes the method that shows most, of those whose arguments and results are simple.
pub(super) fn find_server_example(signatures: &[Signature]) -> Option<ServerExample> {
    let examples = signatures.iter().filter_map(fill_in);
    // Of several that show as much, the first.
    examples.rev().max_by_key(|example| example.score)
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
            let work = "todo!(\"what does the work\")";
            lines.push(format!("let result: {} = {work};", spell(&body)));
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

fn spell(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// Writes a program that calls the operation with this method by the generated client, not formatted. `files` are those of the
/// client; `variables` are the environment variables with credentials, by the positions of their security schemes.
pub(super) fn find_client_example(
    files: &[(&str, &str)],
    crate_name: &str,
    method: &str,
    variables: &[String],
) -> Option<String> {
    let client = files.iter().find(|(name, _)| *name == "client.rs")?.1;
    let files = files
        .iter()
        .filter(|(name, _)| name.starts_with("client/builder"));
    let impls = files
        .filter_map(|(_, text)| syn::parse_file(text).ok())
        .flat_map(|file| file.items)
        .filter_map(|item| match item {
            Item::Impl(item) if item.trait_.is_none() => Some(item),
            _ => None,
        });
    let impls: Vec<ItemImpl> = impls.collect();
    let call = functions(&impls, "Client").find(|function| function.sig.ident == method)?;
    let ReturnType::Type(_, builder) = &call.sig.output else {
        return None;
    };
    let builder = last_segment_name(builder)?;
    let new = functions(&impls, &builder).find(|function| function.sig.ident == "new")?;
    let new = spell(&new.block);
    let credentials = credentials(&new, client, variables);
    let mut required = required_parameters(&new).into_iter();
    let (mut values, mut calls) = (String::new(), String::new());
    for setter in functions(&impls, &builder) {
        let Some(ty) = value_type(&setter.sig) else {
            continue;
        };
        let name = setter.sig.ident.to_string();
        if name != "body" && required.next() != Some(true) {
            continue;
        }
        let value = match ty.as_str() {
            "String" => format!("{name:?}"),
            "bool" => "true".to_owned(),
            "f64" | "f32" => "1.0".to_owned(),
            number if number.starts_with(['i', 'u']) && number[1..].parse::<u8>().is_ok() => {
                "1".to_owned()
            }
            other => {
                values.push_str(&format!("let {name}: {other} = todo!(\"your value\");\n"));
                name.clone()
            }
        };
        calls.push_str(&format!(".{name}({value})"));
    }
    let types = match values.is_empty() {
        true => String::new(),
        false => format!("use {crate_name}::types::*;\n"),
    };
    Some(format!(
        "use {crate_name}::Client;\n{types}\n\
         #[tokio::main(flavor = \"current_thread\")]\n\
         async fn main() -> Result<(), Box<dyn std::error::Error>> {{\n\
         let client = Client::new(\"http://127.0.0.1:8080\"){credentials};\n{values}\
         let response = client.{method}(){calls}.send().await?;\n\
         println!(\"{{}}: {{:?}}\", response.status(), response.into_inner());\nOk(())\n}}\n"
    ))
}

/// The functions of the type with this name.
fn functions<'i>(impls: &'i [ItemImpl], name: &'i str) -> impl Iterator<Item = &'i ImplItemFn> {
    let named = impls
        .iter()
        .filter(move |item| last_segment_name(&item.self_ty).is_some_and(|found| found == name));
    let items = named.flat_map(|item| &item.items);
    items.filter_map(|item| match item {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    })
}

fn last_segment_name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else {
        return None;
    };
    Some(path.path.segments.last()?.ident.to_string())
}

/// Whether each parameter of the constant in a builder's `new` is required.
fn required_parameters(new: &str) -> Vec<bool> {
    let parameters = new.split("Parameter ::").skip(1);
    let required =
        parameters.map(|text| text.starts_with(" path") || text.contains(". required ("));
    required.collect()
}

/// The calls that set the credentials of the first alternative of a builder's `new`, from environment variables, which are
/// listed by the positions of the security schemes.
fn credentials(new: &str, client: &str, variables: &[String]) -> String {
    let numbers = |text: &str| -> Vec<usize> {
        let parts = text.split(|c: char| !c.is_ascii_digit());
        parts.filter_map(|part| part.parse().ok()).collect()
    };
    let alternative = new.split(". security (").nth(1);
    let alternative = alternative.and_then(|text| text.split(']').next());
    let methods = client.split("CREDENTIAL_METHODS").nth(1);
    let methods = methods.and_then(|text| text.split_once('=')?.1.split(';').next());
    let methods: Vec<&str> = methods
        .unwrap_or_default()
        .split('"')
        .skip(1)
        .step_by(2)
        .collect();
    let calls = numbers(alternative.unwrap_or_default()).into_iter();
    let calls = calls.filter_map(|position| {
        let (method, variable) = (methods.get(position)?, variables.get(position)?);
        let takes_password = client.contains(&format!("fn {method}(mut self, user"));
        Some(match takes_password {
            true => format!(".{method}(&std::env::var(\"{variable}\")?, \"\")"),
            false => format!(".{method}(std::env::var(\"{variable}\")?)"),
        })
    });
    calls.collect()
}

/// The type `T` of a setter with the argument `value: impl TryInto<T>`.
fn value_type(signature: &Signature) -> Option<String> {
    let FnArg::Typed(argument) = signature.inputs.iter().nth(1)? else {
        return None;
    };
    let Type::ImplTrait(value) = &*argument.ty else {
        return None;
    };
    let TypeParamBound::Trait(bound) = value.bounds.first()? else {
        return None;
    };
    let PathArguments::AngleBracketed(arguments) = &bound.path.segments.last()?.arguments else {
        return None;
    };
    arguments.args.first().map(spell)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn signatures(texts: &[&str]) -> Vec<Signature> {
        let parse = |text: &&str| syn::parse_str::<Signature>(text).unwrap();
        texts.iter().map(parse).collect()
    }

    #[test]
    fn operation_that_shows_most_is_filled_in() {
        let example = find_server_example(&signatures(&[
            "async fn stream(rqctx: R, body: RawBody) -> Result<HttpResponseOk<Book>, HttpError>",
            "async fn upload(rqctx: R, path: Path<P>, query: Query<Q>, body: Body<Option<RawBody>>) -> Result<HttpResponseOk<Book>, HttpError>",
            "async fn get(rqctx: R, path: Path<P>) -> Result<HttpResponseOk<Book>, HttpError>",
            "async fn put(rqctx: R, path: Path<P>, body: Body<Option<Book>>) -> Result<HttpResponseOk<Book>, HttpError>",
            "async fn set(rqctx: R, path: Path<P>, body: Text) -> Result<HttpResponseOk<Book>, HttpError>",
        ]));
        let example = example.unwrap();
        assert_eq!(example.method, "put");
        for line in [
            "let path: P = path.into_inner();",
            "let body: Option < Book > = body.into_inner();",
            "Ok(HttpResponseOk(result))",
        ] {
            assert!(example.code.contains(line), "{}", example.code);
        }
        let odd = ["async fn a(rqctx: R) -> Result<AnyResponse, HttpError>"];
        assert!(find_server_example(&signatures(&odd)).is_none());
        let empty = ["async fn a(rqctx: R) -> Result<HttpResponseDeleted, HttpError>"];
        let example = find_server_example(&signatures(&empty)).unwrap();
        assert!(example.code.contains("Ok(HttpResponseDeleted())"));
    }

    #[test]
    fn client_sets_what_the_operation_requires() {
        let builder = "impl Client { pub fn put(&self) -> Put<'_> { Put::new(self) } }
            impl<'a> Put<'a> {
                pub fn new(client: &'a Client) -> Self {
                    static OPERATION: Operation = Operation::new(\"put\", \"PUT\", \"/{id}\").parameters(&[
                        Parameter::path(\"id\"), Parameter::query(\"q\"), Parameter::header(\"n\").required()])
                        .body_required().security(&[&[1, 0], &[2]]);
                }
                pub fn id(mut self, value: impl TryInto<String>) -> Self {}
                pub fn q(mut self, value: impl TryInto<bool>) -> Self {}
                pub fn n(mut self, value: impl TryInto<u32>) -> Self {}
                pub fn body(mut self, value: impl TryInto<Book>) -> Self {}
                pub async fn send(self) -> Result<(), Error> {}
            }";
        let client =
            "impl Client { pub fn with_user(mut self, user: &str, password: &str) -> Self {} }
            const CREDENTIAL_METHODS: &'static [&'static str] = &[\"with_user\", \"with_key\"];";
        let text = find_client_example(
            &[("client.rs", client), ("client/builder.rs", builder)],
            "books_client",
            "put",
            &["B_USER".to_owned(), "B_KEY".to_owned()],
        );
        let text = text.unwrap();
        for part in [
            "8080\").with_key(std::env::var(\"B_KEY\")?).with_user(&std::env::var(\"B_USER\")?, \"\");",
            "use books_client::types::*;",
            "let body: Book = todo!(",
            "client.put().id(\"id\").n(1).body(body).send()",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(find_client_example(&[], "a", "put", &[]).is_none());
    }
}
