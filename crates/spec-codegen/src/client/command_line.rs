//! progenitor's command line, without what this client has no use for: schemas of its types, and a template of a body
//! that nothing prints.

use std::collections::HashSet;

use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprMethodCall, File, ImplItemFn, Item, ItemEnum, ItemStruct, ItemTrait,
    PredicateType, Stmt, Token, TraitItem, TypeParamBound, Visibility,
};

use crate::client::polish::{begin, describe};

/// Adapts and documents every item.
pub(super) fn adapt(file: &mut File) {
    begin(
        file,
        "A clap command for each operation of the client, and how its arguments become a request.",
    );
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

/// The methods that are called.
#[derive(Default)]
struct Calls(HashSet<String>);

impl VisitMut for Calls {
    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        visit_mut::visit_expr_method_call_mut(self, call);
        self.0.insert(call.method.to_string());
    }
}

/// Whether a method is for lists in progenitor's own shape, and there are none.
fn is_unused_list(member: &TraitItem, calls: &HashSet<String>) -> bool {
    matches!(member, TraitItem::Fn(function) if {
        let name = function.sig.ident.to_string();
        name.starts_with("list_") && !calls.contains(&name)
    })
}

/// Words for what progenitor leaves without documentation.
const DOCS: &[(&str, &str)] = &[
    ("Cli", "Runs commands with a client."),
    ("CliCommand", "An operation as a command."),
    ("CliConfig", "What becomes of requests and answers."),
    (
        "new",
        "Commands that are sent by `client` and shown by `config`.",
    ),
    (
        "get_command",
        "The arguments of a command. Its name is for the caller to choose.",
    ),
    ("execute", "Sends the request that the arguments describe."),
    ("iter", "Every command, in the order of the document."),
    ("operation_id", "The operation that the command stands for."),
    ("success_item", "An answer with a body."),
    ("success_no_item", "An answer without a body."),
    ("error", "An answer that is an error, or none at all."),
    ("list_start", "Begins a list of several pages."),
    ("list_item", "One record of such a list."),
    ("list_end_success", "The list is complete."),
    ("list_end_error", "The list broke off."),
];

fn docs_of(name: &str) -> String {
    let known = DOCS.iter().find(|(item, _)| *item == name);
    known.map_or_else(
        || match (name.strip_prefix("cli_"), name.strip_prefix("execute_")) {
            (Some(operation), _) => format!("The arguments of `{operation}`."),
            (_, Some(operation)) => format!("The request of `{operation}`."),
            _ => format!("`{name}`"),
        },
        |(_, docs)| (*docs).to_owned(),
    )
}

struct CommandLine;

impl VisitMut for CommandLine {
    fn visit_item_struct_mut(&mut self, item: &mut ItemStruct) {
        visit_mut::visit_item_struct_mut(self, item);
        describe(&mut item.attrs, &docs_of(&item.ident.to_string()));
    }

    fn visit_item_enum_mut(&mut self, item: &mut ItemEnum) {
        visit_mut::visit_item_enum_mut(self, item);
        describe(&mut item.attrs, &docs_of(&item.ident.to_string()));
    }

    fn visit_item_trait_mut(&mut self, item: &mut ItemTrait) {
        visit_mut::visit_item_trait_mut(self, item);
        describe(&mut item.attrs, &docs_of(&item.ident.to_string()));
        for member in &mut item.items {
            if let TraitItem::Fn(function) = member {
                let mut docs = docs_of(&function.sig.ident.to_string());
                if let Some(operation) = function.sig.ident.to_string().strip_prefix("execute_") {
                    docs = format!("May change the request of `{operation}` before it is sent.");
                }
                describe(&mut function.attrs, &docs);
            }
        }
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut ImplItemFn) {
        visit_mut::visit_impl_item_fn_mut(self, item);
        if matches!(item.vis, Visibility::Public(_)) {
            describe(&mut item.attrs, &docs_of(&item.sig.ident.to_string()));
        }
        put_body_first(&mut item.block);
    }

    /// The bounds without `schemars::JsonSchema`: output is made of JSON, not of schemas.
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
        // Behind `let mut request`.
        statements[1..=index].rotate_right(1);
    }
}

/// Whether an argument is `--json-body-template`, which is declared but read by nobody.
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
