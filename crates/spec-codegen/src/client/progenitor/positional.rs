//! Lets the commands of progenitor's command line take path parameters by their position: `get-pet 7` beside
//! `get-pet --pet-id 7`.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprMethodCall, File, Ident, ImplItemFn, Lit, parse_quote};

use crate::model::{Api, Operation};
use crate::source::ident;

/// Adapts the commands and what sends their requests.
pub(super) fn adapt_positions(file: &mut File, api: &Api) {
    Positions { api }.visit_file_mut(file);
}

struct Positions<'a> {
    api: &'a Api,
}

impl VisitMut for Positions<'_> {
    fn visit_impl_item_fn_mut(&mut self, item: &mut ImplItemFn) {
        let name = item.sig.ident.to_string();
        let Some(method) = name.strip_prefix("cli_").or(name.strip_prefix("execute_")) else {
            return;
        };
        let Some(operation) = find_operation(self.api, &ident(method)) else {
            return;
        };
        let names = path_parameters(self.api, operation);
        let names = names.iter().map(|name| name.replace('_', "-")).collect();
        Command { operation, names }.visit_block_mut(&mut item.block);
    }
}

/// A command, and the ids of the arguments for its path parameters.
struct Command<'a> {
    operation: &'a Operation,
    names: Vec<String>,
}

impl VisitMut for Command<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        let Expr::MethodCall(call) = expression else {
            return;
        };
        let replaced = match call.method.to_string().as_str() {
            "arg" => self.add_position(call),
            "get_one" => self.read_position(call),
            _ => self.begin_request(call),
        };
        if let Some(replaced) = replaced {
            *expression = replaced;
        }
    }
}

impl Command<'_> {
    /// The argument of this position, after `.arg(Arg::new("pet-id").long("pet-id")…)`.
    fn add_position(&self, call: &ExprMethodCall) -> Option<Expr> {
        let name = self.names.iter().find(|name| declares(&call.args, name))?;
        let (position, receiver) = (name.to_uppercase(), &call.receiver);
        let mut argument = call.args.first()?.clone();
        remove_calls(&mut argument, "required");
        let mut by_position = argument.clone();
        remove_calls(&mut by_position, "long");
        rename(&mut by_position, &position);
        Some(parse_quote! {
            #receiver
                .arg(#by_position.required_unless_present(#name))
                .arg(#argument.hide(true).conflicts_with(#position))
        })
    }

    /// `matches.get_one::<i64>("pet-id")`, or else the argument of this position.
    fn read_position(&self, call: &ExprMethodCall) -> Option<Expr> {
        let id = literal(call.args.first()?)?;
        let name = self.names.iter().find(|name| **name == id)?;
        let (position, receiver, turbofish) =
            (name.to_uppercase(), &call.receiver, &call.turbofish);
        Some(parse_quote! {
            #call.or_else(|| #receiver.get_one #turbofish (#position))
        })
    }

    /// `self.client.get_pet()`, whose path parameters are set later, as all others.
    fn begin_request(&self, call: &ExprMethodCall) -> Option<Expr> {
        let begins = call.method == self.operation.method_name.as_str() && call.args.is_empty();
        let (builder, client) = (ident(&self.operation.variant), &call.receiver);
        (begins && !self.names.is_empty()).then(|| parse_quote!(builder::#builder::new(&#client)))
    }
}

/// Whether these arguments are `Arg::new(name)…`.
fn declares(arguments: &syn::punctuated::Punctuated<Expr, syn::Token![,]>, name: &str) -> bool {
    let mut next = arguments.first();
    while let Some(Expr::MethodCall(call)) = next {
        next = Some(&call.receiver);
    }
    matches!(next, Some(Expr::Call(call)) if call.args.first().and_then(literal).as_deref() == Some(name))
}

/// Takes the calls of a method out of a chain.
fn remove_calls(chain: &mut Expr, method: &str) {
    while let Expr::MethodCall(call) = chain {
        if call.method != method {
            return remove_calls(&mut call.receiver, method);
        }
        *chain = (*call.receiver).clone();
    }
}

/// Changes the text in `Arg::new(text)`, with which a chain begins.
fn rename(chain: &mut Expr, id: &str) {
    match chain {
        Expr::MethodCall(call) => rename(&mut call.receiver, id),
        Expr::Call(call) => call.args = parse_quote!(#id),
        _ => {}
    }
}

fn literal(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(of) => match &of.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// The fields of an operation's path parameters, in the order of the path.
fn path_parameters<'a>(api: &'a Api, operation: &Operation) -> Vec<&'a str> {
    let fields = api.path_fields(operation);
    fields.map(|of| of.field.name.as_str()).collect()
}

/// The operation that a method of the client begins.
fn find_operation<'a>(api: &'a Api, method: &Ident) -> Option<&'a Operation> {
    let mut operations = api.operations.iter();
    operations.find(|of| method == of.method_name.as_str())
}
