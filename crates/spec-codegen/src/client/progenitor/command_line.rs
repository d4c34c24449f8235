//! progenitor's command line, without what is unused: JSON schemas of the types, a template of the body, and a hook for
//! errors. Path parameters may be positional, and deprecated commands say so.

use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, File, GenericArgument, ImplItemFn, Item, ItemTrait, Pat, PathArguments,
    PathSegment, PredicateType, Stmt, Token, TraitItem, TypeParamBound, parse_quote,
};

use crate::client::deprecation;
use crate::client::progenitor::positional;
use crate::model::Api;
use crate::source::ident;

/// Adapts the command line. The operations in `lists` can be read to their last page.
pub(super) fn adapt_command_line(file: &mut File, lists: &[String], api: &Api) {
    CommandLine { lists }.visit_file_mut(file);
    positional::adapt_positions(file, api);
    file.items.push(write_deprecations(api));
    file.items.push(write_tags(api));
    let code = file.to_token_stream().to_string();
    // progenitor needs it to read a body.
    file.items
        .retain(|item| !matches!(item, Item::Use(item) if mentions_name(item, "Context")));
    for item in &mut file.items {
        if let Item::Trait(item) = item {
            item.items
                .retain(|member| !is_unused_list(member, &code) && !is_error_hook(member));
            if code.contains(". read_body ::") {
                item.items.push(parse_quote! {
                    fn read_body<T>(&self, file: &std::path::Path) -> anyhow::Result<T>
                    where
                        T: ::serde::de::DeserializeOwned;
                });
            }
        }
    }
}

/// Whether a trait method is one of progenitor's `list_…` hooks and `code` does not call it.
fn is_unused_list(member: &TraitItem, code: &str) -> bool {
    matches!(member, TraitItem::Fn(function) if {
        let name = function.sig.ident.to_string();
        name.starts_with("list_") && !code.contains(&format!(". {name}"))
    })
}

/// Whether a trait method is the hook for errors, which commands return as well.
fn is_error_hook(member: &TraitItem) -> bool {
    matches!(member, TraitItem::Fn(function) if function.sig.ident == "error")
}

/// The note about each deprecated command.
fn write_deprecations(api: &Api) -> Item {
    let operations = api.operations.iter();
    let arms = operations.filter_map(|operation| {
        let note = deprecation::note(operation, deprecation::command)?;
        let variant = ident(&operation.variant);
        Some(quote!(CliCommand::#variant => Some(#note),))
    });
    parse_quote! {
        impl CliCommand {
            /// Until when a deprecated command works, and what replaces it.
            pub fn deprecation(&self) -> Option<&'static str> {
                match self {
                    #(#arms)*
                    _ => None,
                }
            }
        }
    }
}

/// The first tag of each command.
fn write_tags(api: &Api) -> Item {
    let operations = api.operations.iter();
    let arms = operations.map(|operation| {
        let variant = ident(&operation.variant);
        match operation.tags.first() {
            Some(tag) => quote!(CliCommand::#variant => Some(#tag),),
            None => quote!(CliCommand::#variant => None,),
        }
    });
    parse_quote! {
        impl CliCommand {
            /// The group of the command in help: the first tag of its operation.
            pub fn tag(&self) -> Option<&'static str> {
                match self {
                    #(#arms)*
                }
            }
        }
    }
}

/// Changes the commands of operations; those of lists can read all pages.
struct CommandLine<'a> {
    /// The client's methods for lists, such as `list_pets`.
    lists: &'a [String],
}

impl VisitMut for CommandLine<'_> {
    /// Declares the methods that decide about all pages and print them.
    fn visit_item_trait_mut(&mut self, item: &mut ItemTrait) {
        visit_mut::visit_item_trait_mut(self, item);
        if self.lists.is_empty() {
            return;
        }
        item.items.push(parse_quote! {
            fn wants_all_pages(&self) -> bool;
        });
        item.items.push(parse_quote! {
            async fn all_pages<T>(&self, records: AllPages<'_, T>) -> anyhow::Result<()>
            where
                T: ::serde::Serialize + std::fmt::Debug;
        });
    }

    /// Removes the calls of the hook for errors.
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        block.stmts.retain(|statement| !calls_error_hook(statement));
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut ImplItemFn) {
        visit_mut::visit_impl_item_fn_mut(self, item);
        read_body_first(&mut item.block);
        let name = item.sig.ident.to_string();
        let operation = name.strip_prefix("execute_");
        if operation.is_some_and(|name| self.lists.iter().any(|list| list == name)) {
            read_all_pages(&mut item.block);
        }
    }

    /// Removes the bound `schemars::JsonSchema`, which the types of the client do not have.
    fn visit_predicate_type_mut(&mut self, predicate: &mut PredicateType) {
        visit_mut::visit_predicate_type_mut(self, predicate);
        let kept: Punctuated<TypeParamBound, Token![+]> = std::mem::take(&mut predicate.bounds)
            .into_iter()
            .filter(|bound| {
                !matches!(bound, TypeParamBound::Trait(bound) if
                bound.path.segments.last().is_some_and(|name| name.ident == "JsonSchema"))
            })
            .collect();
        predicate.bounds = kept;
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        let Expr::MethodCall(call) = expression else {
            return;
        };
        // `--json-body-template` is declared but never read.
        let is_template = |argument: &Expr| mentions(argument, "json-body-template");
        if call.method == "arg" && call.args.first().is_some_and(is_template) {
            *expression = (*call.receiver).clone();
        }
    }
}

/// Reads the body of `--json-body` by a method of the configuration, and before the arguments of single properties,
/// which would be lost otherwise.
fn read_body_first(block: &mut Block) {
    let statements = &mut block.stmts;
    let reads_body = |statement: &Stmt| {
        matches!(statement, Stmt::Expr(Expr::If(_), _)) && mentions(statement, "json-body")
    };
    let Some(index) = statements.iter().position(reads_body) else {
        return;
    };
    let mut parsed = ParsedType(None);
    parsed.visit_stmt(&statements[index]);
    if let Some(body) = parsed.0 {
        statements[index] = parse_quote! {
            if let Some(file) = matches.get_one::<std::path::PathBuf>("json-body") {
                request = request.body(self.config.read_body::<#body>(file)?);
            }
        };
    }
    // The first statement is `let mut request`.
    statements[1..=index].rotate_right(1);
}

/// Finds the type that `serde_json::from_str` reads.
struct ParsedType(Option<GenericArgument>);

impl<'ast> Visit<'ast> for ParsedType {
    fn visit_path_segment(&mut self, segment: &'ast PathSegment) {
        if let PathArguments::AngleBracketed(arguments) = &segment.arguments
            && segment.ident == "from_str"
        {
            self.0 = arguments.args.first().cloned();
        }
        visit::visit_path_segment(self, segment);
    }
}

/// Reads a list to its last page, if the command asks for it, before the request for one page is sent.
fn read_all_pages(block: &mut Block) {
    let sends = |statement: &Stmt| matches!(statement, Stmt::Local(local) if matches!(&local.pat, Pat::Ident(name) if name.ident == "result"));
    if let Some(index) = block.stmts.iter().position(sends) {
        let read_all = parse_quote! {
            if self.config.wants_all_pages() {
                return self.config.all_pages(request.all()).await;
            }
        };
        block.stmts.insert(index, read_all);
    }
}

fn calls_error_hook(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(Expr::MethodCall(call), _) if
        call.method == "error" && mentions_name(&call.receiver, "config"))
}

/// Whether a piece of code has this identifier.
fn mentions_name(code: &impl ToTokens, name: &str) -> bool {
    let code = code.to_token_stream().to_string();
    code.split(' ').any(|token| token == name)
}

/// Whether a piece of code has a string literal of this value.
fn mentions(code: &impl ToTokens, value: &str) -> bool {
    let code = code.to_token_stream().to_string();
    code.contains(&format!("{value:?}"))
}
