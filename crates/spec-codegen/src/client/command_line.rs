//! progenitor's command line, without what is unused: JSON schemas of the types and a template of the body.

use std::collections::HashSet;

use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprMethodCall, File, ImplItemFn, Item, ItemTrait, Pat, PredicateType, Stmt,
    Token, TraitItem, TypeParamBound, parse_quote,
};

/// Adapts the command line. The operations in `lists` can be read to their last page.
pub(super) fn adapt(file: &mut File, lists: &[String]) {
    if !lists.is_empty() {
        AllPages { lists }.visit_file_mut(file);
    }
    CommandLine.visit_file_mut(file);
    let mut calls = Calls::default();
    calls.visit_file_mut(file);
    for item in &mut file.items {
        if let Item::Trait(item) = item {
            item.items
                .retain(|member| !is_unused_list(member, &calls.0));
        }
    }
}

/// Adds to the command of each list the choice to read all of its pages.
struct AllPages<'a> {
    lists: &'a [String],
}

impl VisitMut for AllPages<'_> {
    fn visit_item_trait_mut(&mut self, item: &mut ItemTrait) {
        item.items.push(parse_quote! {
            fn wants_all_pages(&self) -> bool;
        });
        item.items.push(parse_quote! {
            async fn all_pages<T>(&self, records: AllPages<'_, T>) -> anyhow::Result<()>
            where
                T: ::serde::Serialize + std::fmt::Debug;
        });
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut ImplItemFn) {
        let name = item.sig.ident.to_string();
        let operation = name.strip_prefix("execute_");
        if !operation.is_some_and(|name| self.lists.iter().any(|list| list == name)) {
            return;
        }
        let statements = &mut item.block.stmts;
        let sends = |statement: &Stmt| matches!(statement, Stmt::Local(local) if matches!(&local.pat, Pat::Ident(name) if name.ident == "result"));
        if let Some(index) = statements.iter().position(sends) {
            let read_all = parse_quote! {
                if self.config.wants_all_pages() {
                    return self.config.all_pages(request.all()).await;
                }
            };
            statements.insert(index, read_all);
        }
    }
}

/// The methods that are called.
#[derive(Default)]
struct Calls(HashSet<String>);

impl VisitMut for Calls {
    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        visit_mut::visit_expr_method_call_mut(self, call);
        self.0.insert(call.method.to_string());
    }
}

/// Whether a method handles progenitor's own kind of lists and is never called.
fn is_unused_list(member: &TraitItem, calls: &HashSet<String>) -> bool {
    matches!(member, TraitItem::Fn(function) if {
        let name = function.sig.ident.to_string();
        name.starts_with("list_") && !calls.contains(&name)
    })
}

struct CommandLine;

impl VisitMut for CommandLine {
    fn visit_impl_item_fn_mut(&mut self, item: &mut ImplItemFn) {
        visit_mut::visit_impl_item_fn_mut(self, item);
        put_body_first(&mut item.block);
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
        if call.method == "arg" && call.args.first().is_some_and(is_template) {
            *expression = (*call.receiver).clone();
        }
    }
}

/// Reads the file of `--json-body` before the arguments of single properties, which would be lost otherwise.
fn put_body_first(block: &mut Block) {
    let statements = &mut block.stmts;
    let reads_body = |statement: &Stmt| {
        let mut literals = Literals::default();
        literals.visit_stmt_mut(&mut statement.clone());
        matches!(statement, Stmt::Expr(Expr::If(_), _)) && literals.0.contains("json-body")
    };
    if let Some(index) = statements.iter().position(reads_body) {
        // The first statement is `let mut request`.
        statements[1..=index].rotate_right(1);
    }
}

/// Whether an argument is `--json-body-template`, which is declared but never read.
fn is_template(argument: &Expr) -> bool {
    let mut literals = Literals::default();
    literals.visit_expr_mut(&mut argument.clone());
    literals.0.contains("json-body-template")
}

/// The texts in a piece of code.
#[derive(Default)]
struct Literals(HashSet<String>);

impl VisitMut for Literals {
    fn visit_lit_str_mut(&mut self, literal: &mut syn::LitStr) {
        self.0.insert(literal.value());
    }
}
