//! `lists.rs`: for every operation that returns a page, the stream over all of its pages.
//!
//! Such an operation is a `GET` without path parameters that has the query parameter of pages, and whose success is an array
//! and declares a `Link` header (RFC 8288).

use proc_macro2::TokenStream;
use quote::quote;
use spec_model::{Method, Operation, ParameterLocation, Response, SchemaRef, SchemaType, Spec};

use crate::names;
use crate::source::{docs, ident};

/// An operation that returns a list page by page, with the names of its stream.
struct List {
    /// The client's method, `list_pets`.
    method: String,
    /// The method of the stream, `pets_all`.
    all: String,
    /// The type that builds the request, `ListPets`.
    builder: String,
    /// The type of a record, `Pet`.
    item: String,
    /// The query parameter of pages, its setter, and whether it is an integer.
    parameter: String,
    setter: String,
    is_integer: bool,
}

/// Writes the streams of the lists of a document, whose links to the next page set the query parameter `parameter`.
pub(crate) fn render(spec: &Spec, parameter: &str) -> TokenStream {
    let operations = spec.operations.iter();
    let lists = operations.filter_map(|operation| read_list(spec, operation, parameter));
    let lists: Vec<List> = lists.collect();
    let items = (!lists.is_empty()).then(|| {
        let methods = lists.iter().map(write_method);
        let builders = lists.iter().map(write_builder);
        quote! {
            use crate::{AllPages, Client, builder, types};

            impl Client {
                #(#methods)*
            }

            #(#builders)*
        }
    });
    quote! {
        //! Streams over all pages of each list.

        #items
    }
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
    let (parameter, setter) = (&list.parameter, ident(&list.setter));
    let ty = if list.is_integer {
        quote!(i64)
    } else {
        quote!(String)
    };
    quote! {
        impl<'a> builder::#builder<'a> {
            /// Every record of the list from the requested page on, as long as there is a next page.
            ///
            /// Pages are requested when the records before them are consumed. An error ends the stream.
            pub fn all(self) -> AllPages<'a, types::#item> {
                spec_client::follow_links(
                    self,
                    #parameter,
                    |request| request.send(),
                    |request, value: #ty| request.#setter(value),
                )
            }
        }
    }
}

fn read_list(spec: &Spec, operation: &Operation, parameter: &str) -> Option<List> {
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
    let method = names::field_name(id)?;
    let mut parameters = operation.parameters.iter();
    let page =
        parameters.find(|of| of.location == ParameterLocation::Query && of.name == parameter)?;
    let schema = spec.resolve(page.schema.as_ref()?)?;
    let all = format!("{}_all", method.strip_prefix("list_").unwrap_or(&method));
    Some(List {
        all,
        method,
        builder: names::type_name(id)?,
        item: find_record_type(spec, success)?,
        parameter: parameter.to_owned(),
        setter: names::field_name(parameter)?,
        is_integer: schema.schema_type == Some(SchemaType::Integer),
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
