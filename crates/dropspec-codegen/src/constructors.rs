//! How a struct is made without naming all of its fields, so that code by hand still compiles when
//! the document gets another optional property: `Default` if nothing is required, otherwise `new` with what is required.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Field, Type};
use crate::source::ident;
use crate::spelling::{Absent, spell};

/// The arguments of a function that clippy accepts.
const MAX_ARGUMENTS: usize = 7;

/// `Default` or `new` of a struct.
#[derive(Default)]
pub(crate) struct Constructor {
    /// `Default,` if the struct can derive it.
    pub(crate) derive: TokenStream,
    pub(crate) impls: TokenStream,
}

/// Writes the constructor of a struct. `rest` is the field of the properties that the schema does not name.
pub(crate) fn render(
    name: &str,
    fields: &[Field],
    absent: &[Option<Absent>],
    rest: Option<&str>,
) -> Constructor {
    let is_default = |value: &Option<Absent>| matches!(value, Some(Absent::Default(_)));
    if absent.iter().all(is_default) {
        return Constructor {
            derive: quote!(Default,),
            ..Constructor::default()
        };
    }
    let (arguments, values) = write_values(fields, absent);
    let is_whole = rest.is_none() && absent.iter().all(Option::is_none);
    let rest = rest.map(|rest| {
        let rest = ident(rest);
        quote!(#rest: Default::default(),)
    });
    let (name, value) = (ident(name), quote!(Self { #(#values)* #rest }));
    let impls = if arguments.is_empty() {
        quote! {
            impl Default for #name {
                fn default() -> Self {
                    #value
                }
            }
        }
    } else {
        let docs = if is_whole {
            " Makes a value of all fields."
        } else {
            " Makes a value of the required fields. The others are absent, or have the default of the document."
        };
        let many = (arguments.len() > MAX_ARGUMENTS).then(|| {
            let reason = "one for each required property";
            quote!(#[allow(clippy::too_many_arguments, reason = #reason)])
        });
        quote! {
            impl #name {
                #[doc = #docs]
                #many
                pub fn new(#(#arguments),*) -> Self {
                    #value
                }
            }
        }
    };
    Constructor {
        impls,
        ..Constructor::default()
    }
}

/// Writes the arguments of a function that makes a value, and the fields of the value.
fn write_values(
    fields: &[Field],
    absent: &[Option<Absent>],
) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let mut arguments = Vec::new();
    let values = fields.iter().zip(absent).map(|(field, absent)| {
        let name = ident(&field.name);
        match absent {
            Some(Absent::Default(value) | Absent::Declared(value)) => quote!(#name: #value,),
            None if field.ty == Type::String => {
                arguments.push(quote!(#name: impl Into<String>));
                quote!(#name: #name.into(),)
            }
            None => {
                let ty = spell(&field.ty);
                arguments.push(quote!(#name: #ty));
                quote!(#name,)
            }
        }
    });
    let values = values.collect();
    (arguments, values)
}
