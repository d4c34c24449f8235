//! The builders of a generated client: which operation each calls, and what it takes.

use quote::ToTokens;
use syn::{
    FnArg, GenericArgument, ImplItem, ImplItemFn, Item, ItemImpl, PathArguments, ReturnType,
    Signature, Type, TypeParamBound,
};

/// The implementations of a client and its builders.
pub(super) struct Builders(Vec<ItemImpl>);

/// The builder of one operation.
pub(super) struct Builder {
    /// The method of HTTP.
    pub(super) verb: String,
    /// The path template.
    pub(super) path: String,
    /// The setters with their types, in the order of the parameters; `body` sets the body.
    pub(super) setters: Vec<(String, Type)>,
    /// The tokens of its `new`, which has the operation as a constant.
    new: String,
}

/// A parameter of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parameter<'n> {
    pub(super) location: &'n str,
    pub(super) name: &'n str,
    pub(super) is_required: bool,
}

impl Builders {
    /// Reads the generated files of a client, by their names.
    pub(super) fn read(files: &[(&str, &str)]) -> Builders {
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
        Builders(impls.collect())
    }

    /// Finds the builder that a method of the client returns.
    pub(super) fn find(&self, method: &str) -> Option<Builder> {
        let call = self.functions("Client").find(|it| it.sig.ident == method)?;
        let ReturnType::Type(_, builder) = &call.sig.output else {
            return None;
        };
        let name = last_segment_name(builder)?;
        let new = self.functions(&name).find(|it| it.sig.ident == "new")?;
        let new = spell(&new.block);
        let (verb, path) = verb_and_path(&new)?;
        let setters = self.functions(&name).filter_map(|it| {
            let name = it.sig.ident.to_string();
            Some((name, value_type(&it.sig)?))
        });
        Some(Builder {
            verb,
            path,
            setters: setters.collect(),
            new,
        })
    }

    /// The functions of the type with this name.
    fn functions<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'b ImplItemFn> {
        let named = self.0.iter().filter(move |item| {
            last_segment_name(&item.self_ty).is_some_and(|found| found == name)
        });
        let items = named.flat_map(|item| &item.items);
        items.filter_map(|item| match item {
            ImplItem::Fn(function) => Some(function),
            _ => None,
        })
    }
}

impl Builder {
    /// The parameters, in the order of their setters.
    pub(super) fn parameters(&self) -> impl Iterator<Item = Parameter<'_>> {
        let parameters = self.new.split("Parameter :: ").skip(1);
        parameters.filter_map(|text| {
            let (location, rest) = text.split_once(" (")?;
            Some(Parameter {
                location,
                name: rest.split('"').nth(1)?,
                is_required: location == "path" || text.contains(". required ("),
            })
        })
    }
}

/// The tokens of a piece of Rust as a text.
pub(super) fn spell(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

fn last_segment_name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else {
        return None;
    };
    Some(path.path.segments.last()?.ident.to_string())
}

/// The method and the path of the operation in a builder's `new`.
fn verb_and_path(new: &str) -> Option<(String, String)> {
    let (_, arguments) = new.split_once("Operation :: new (")?;
    let mut texts = arguments.split('"').skip(1).step_by(2);
    texts.next()?;
    Some((texts.next()?.to_owned(), texts.next()?.to_owned()))
}

/// The type `T` of a setter with the argument `value: impl TryInto<T>`.
fn value_type(signature: &Signature) -> Option<Type> {
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
    match arguments.args.first()? {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    }
}
