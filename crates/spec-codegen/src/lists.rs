//! `lists.rs`: for every operation that returns a page, the stream over all of its pages.
//!
//! Such an operation is a `GET` without path parameters whose success is an array and declares a `Link` header
//! (RFC 8288).

use proc_macro2::TokenStream;
use quote::quote;
use spec_model::{Method, Operation, ParameterLocation, Response, SchemaRef, SchemaType, Spec};

use crate::names;
use crate::operation_traits::method_name;
use crate::source::{docs, ident};

/// An operation that returns a list page by page, with the names of its stream.
struct List {
    /// The client's method, `list_pets`.
    method: String,
    /// The method of the stream, `pets_all`.
    all: String,
    /// The type that builds the request, `ListPets`.
    builder: String,
    path: String,
    /// The type of a record, `Pet`.
    item: String,
}

pub(crate) fn render(spec: &Spec) -> TokenStream {
    let lists: Vec<List> = find_lists(spec).collect();
    if lists.is_empty() {
        return quote! {
            //! Streams over all pages of each list.
        };
    }
    let methods = lists.iter().map(write_method);
    let builders = lists.iter().map(write_builder);
    quote! {
        //! Streams over all pages of each list.

        use crate::pages::{self, AllPages};
        use crate::{Client, builder, types};

        impl Client {
            #(#methods)*
        }

        #(#builders)*
    }
}

fn find_lists(spec: &Spec) -> impl Iterator<Item = List> {
    let operations = spec.operations.iter();
    operations.filter_map(|operation| read_list(spec, operation))
}

fn write_method(list: &List) -> TokenStream {
    let (method, all, item) = (ident(&list.method), ident(&list.all), ident(&list.item));
    let docs = docs(&format!(
        "Every record of `{method}`, page after page.

Pages are requested when the records before them are consumed. \
         An error ends the stream. For a filtered list, call `{method}().….all()`."
    ));
    quote! {
        #docs
        pub fn #all(&self) -> AllPages<'_, types::#item> {
            self.#method().all()
        }
    }
}

fn write_builder(list: &List) -> TokenStream {
    let (builder, item) = (ident(&list.builder), ident(&list.item));
    let (method, path) = (&list.method, &list.path);
    quote! {
        impl<'a> builder::#builder<'a> {
            /// Every record of the list from the requested page on, as long as there is a next page.
            ///
            /// Pages are requested when the records before them are consumed. An error ends the stream.
            pub fn all(self) -> AllPages<'a, types::#item> {
                let client = self.client;
                pages::all(client, #method, #path, self.send())
            }
        }
    }
}

fn read_list(spec: &Spec, operation: &Operation) -> Option<List> {
    let success = operation.responses.get("200")?;
    let in_path = operation
        .parameters
        .iter()
        .any(|of| of.location == ParameterLocation::Path);
    let paged = success
        .headers
        .keys()
        .any(|name| name.eq_ignore_ascii_case("link"));
    if operation.method != Method::Get || in_path || !paged {
        return None;
    }
    let id = &operation.id.as_ref()?.value;
    let method = method_name(operation)?;
    let all = format!("{}_all", method.strip_prefix("list_").unwrap_or(&method));
    Some(List {
        all,
        method,
        builder: names::type_name(id)?,
        path: operation.path.raw.clone(),
        item: find_record_type(spec, success)?,
    })
}

/// The Rust name of the component schema whose records a page contains.
fn find_record_type(spec: &Spec, success: &Response) -> Option<String> {
    let schema = success
        .content
        .values()
        .find_map(|media| media.schema.as_ref())?;
    let page = spec.resolve(schema)?;
    match (page.schema_type, page.items.as_ref()?) {
        (Some(SchemaType::Array), SchemaRef::Ref { name, .. }) => names::type_name(name),
        _ => None,
    }
}
