//! Tests of `operations`.

use super::*;

#[test]
fn each_method_answers_501_and_only_used_names_are_imported() {
    let api = Api::parse(&[(
        "api.rs",
        "use dropshot::{HttpError, HttpResponseOk, Path, RequestContext};
         use crate::types::{Book, Unused};
         #[dropshot::api_description]
         pub trait BooksApi {
             type Context;
             #[endpoint { method = GET, path = \"/a\" }]
             async fn get_a(rqctx: RequestContext<Self::Context>) -> Result<HttpResponseOk<Book>, HttpError>;
             async fn put_b(rqctx: RequestContext<Self::Context>) -> Result<HttpResponseOk<Book>, VendorHttpError>;
             async fn put_a(rqctx: RequestContext<Self::Context>) -> Result<HttpResponseOk<Book>, Error>;
             fn get_b(rqctx: RequestContext<Self::Context>) -> impl Future<Output = Result<HttpResponseOk<Book>, HttpError>> + Send;
             fn get_long(rqctx: RequestContext<Self::Context>) -> impl Future<
                 Output = Result<
                     HttpResponseOk<Book>,
                     HttpError,
                 >,
             > + Send;
         }",
    )]);
    let api = api.unwrap();
    let files = api.render_stubs("books_api");
    assert_eq!(files.len(), 1);
    let text = dropspec_codegen::rustfmt(&files[0].1).unwrap();
    for expected in [
        "use books_api::types::Book;",
        "use dropshot::{HttpError, HttpResponseOk, RequestContext};",
        "impl BooksApi for crate::App {",
        "async fn get_b(",
        "async fn get_long(\n        rqctx: RequestContext<Self::Context>,\n    ) -> Result<HttpResponseOk<Book>, HttpError> {\n        Err(not_implemented())\n",
        "Err(not_implemented().into())\n",
    ] {
        assert!(text.contains(expected), "{expected} is not in:\n{text}");
    }
    assert!(!text.contains("Unused"), "{text}");
    assert_eq!(text.matches(".into())").count(), 2, "{text}");
    let client = "pub fn put_a(&self) -> PutA<'_>";
    assert_eq!(api.simplest_method(client).unwrap(), "put_a");
}

#[test]
fn each_trait_is_implemented_in_a_file_of_its_own() {
    let api = Api::parse(&[
        ("types.rs", "pub struct Book;"),
        (
            "api/type.rs",
            "use dropshot::RequestContext;
             #[dropshot::api_description]
             pub trait TypeApi {
                 type Context;
                 async fn get_type(rqctx: RequestContext<Self::Context>) -> Result<HttpResponseOk<u8>, HttpError>;
             }",
        ),
        (
            "api.rs",
            "use dropshot::ServerContext;
             mod books_api;
             mod r#gen;
             mod dropspec_gate;
             mod r#type;
             pub use r#type::*;
             pub trait BooksApi: TypeApi<Context = <Self as BooksApi>::Context> {
                 type Context: ServerContext;
             }",
        ),
    ]);
    let api = api.unwrap();
    let files = api.render_stubs("books_api");
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["operations.rs", "operations/type.rs"]);
    let [all, of_type] = [0, 1].map(|at| dropspec_codegen::rustfmt(&files[at].1).unwrap());
    for expected in [
        "mod r#gen;\n",
        "mod r#type;\n",
        "use ::books_api::api::BooksApi;\n",
        "Arc<::dropspec_gate::Gate<",
    ] {
        assert!(all.contains(expected), "{expected} is not in:\n{all}");
    }
    assert!(
        !all.contains("::*"),
        "the modules of the interface are no imports: {all}"
    );
    assert!(
        all.contains("impl BooksApi for crate::App {\n    type Context"),
        "{all}"
    );
    assert!(
        of_type.contains("impl TypeApi for crate::App {"),
        "{of_type}"
    );
    assert!(of_type.contains("async fn get_type("), "{of_type}");
}
