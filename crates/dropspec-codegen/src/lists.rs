//! `lists.rs`: for every operation that returns a page, the stream over all of its pages.
//!
//! Such an operation is a `GET` without path parameters that has the query parameter of pages, and whose success is an array
//! and declares a `Link` header (RFC 8288).

use dropspec_model::{
    Method, Operation, Parameter, ParameterLocation, Response, SchemaRef, SchemaType, Spec,
};
use proc_macro2::TokenStream;
use quote::quote;

use crate::names;
use crate::source::{docs, ident};

/// Writes the streams of the lists of a document, whose links to the next page set the query parameter `parameter`.
pub(crate) fn render(spec: &Spec, parameter: &str) -> TokenStream {
    let operations = spec.operations.iter();
    let lists = operations.filter_map(|operation| write_list(spec, operation, parameter));
    let (methods, builders): (Vec<_>, Vec<_>) = lists.unzip();
    let items = (!methods.is_empty()).then(|| {
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

/// Writes the methods for a list: that of the client, and that of the builder of its requests.
fn write_list(
    spec: &Spec,
    operation: &Operation,
    parameter: &str,
) -> Option<(TokenStream, TokenStream)> {
    let success = operation.responses.get("200")?;
    let mut parameters = operation.parameters.iter();
    let in_path = |of: &Parameter| of.location == ParameterLocation::Path;
    let is_paged = success
        .headers
        .keys()
        .any(|name| name.eq_ignore_ascii_case("link"));
    if operation.method != Method::Get || parameters.clone().any(in_path) || !is_paged {
        return None;
    }
    let id = &operation.id.as_ref()?.value;
    let name = names::field_name(id)?;
    let page =
        parameters.find(|of| of.location == ParameterLocation::Query && of.name == parameter)?;
    let is_integer = spec.resolve(page.schema.as_ref()?)?.schema_type == Some(SchemaType::Integer);
    let ty = if is_integer {
        quote!(i64)
    } else {
        quote!(String)
    };
    let all = format!("{}_all", name.strip_prefix("list_").unwrap_or(&name));
    let (method, all) = (ident(&name), ident(&all));
    let item = ident(&find_record_type(spec, success)?);
    let (builder, setter) = (
        ident(&names::type_name(id)?),
        ident(&names::field_name(parameter)?),
    );
    let docs = docs(&format!(
        "Every record of `{method}`, page after page.\n\n\
         Pages are requested when the records before them are consumed. \
         An error ends the stream. For a filtered list, call `{method}().….all()`."
    ));
    let of_client = quote! {
        #docs
        pub fn #all(&self) -> AllPages<'_, types::#item> {
            self.#method().all()
        }
    };
    let of_builder = quote! {
        impl<'a> builder::#builder<'a> {
            /// Every record of the list from the requested page on, as long as there is a next page.
            ///
            /// Pages are requested when the records before them are consumed. An error ends the stream.
            pub fn all(self) -> AllPages<'a, types::#item> {
                dropspec_client::follow_links(
                    self,
                    #parameter,
                    |request| request.send(),
                    |request, value: #ty| request.#setter(value),
                )
            }
        }
    };
    Some((of_client, of_builder))
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
