//! `operations.rs`: the table of operations, and `dispatch`, which calls the trait's method for each.

use crate::model::{Api, Date, Deprecation, Operation};
use crate::source::{Source, WIDTH, literal};
use crate::spelling::{Home, Scope};

/// The file's text, without its header.
pub(crate) fn render(api: &Api) -> String {
    let mut scope = Scope::new(Home::Types);
    let mut items = Source::default();
    write_enum(&mut items, &api.operations);
    items.blank();
    write_table(&mut items, &mut scope, &api.operations);
    items.blank();
    write_dispatch(&mut items, &mut scope, api);

    let mut file = Source::default();
    file.line("//! The operations as data, and the way from a decoded request to the method that answers it.");
    file.blank();
    scope.imports.write(&mut file);
    file.into_text() + &items.into_text()
}

fn write_enum(source: &mut Source, operations: &[Operation]) {
    source.docs("An operation of the interface, in the order of the document.");
    source.line("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]");
    source.block("pub enum Operation", |source| {
        for operation in operations {
            source.line(format!("/// `{} {}`", operation.method, operation.path));
            source.line(format!("{},", operation.variant));
        }
    });
    source.blank();
    source.block("impl Operation", |source| {
        source.docs("Every operation, in the order of `OPERATIONS`.");
        let all: Vec<String> = operations
            .iter()
            .map(|o| format!("Self::{}", o.variant))
            .collect();
        source.array(&format!("pub const ALL: [Self; {}] =", all.len()), &all);
        source.blank();
        source.docs("What the document says of the operation.");
        source.block("pub fn info(self) -> &'static OperationInfo", |source| {
            source.line("&OPERATIONS[self as usize]");
        });
    });
}

fn write_table(source: &mut Source, scope: &mut Scope, operations: &[Operation]) {
    scope.imports.add("spec_runtime", "OperationInfo");
    if !operations.is_empty() {
        scope.imports.add("spec_runtime", "Method");
        scope.imports.add("spec_runtime", "Stability");
    }
    source.docs("What the document says of each operation.");
    source.line(format!(
        "pub static OPERATIONS: [OperationInfo; {}] = [",
        operations.len()
    ));
    source.indented(|source| {
        for operation in operations {
            source.line("OperationInfo {");
            source.indented(|source| write_row(source, scope, operation));
            source.line("},");
        }
    });
    source.line("];");
}

fn write_row(source: &mut Source, scope: &mut Scope, operation: &Operation) {
    let traits = &operation.traits;
    source.line(format!("operation_id: {},", literal(&operation.id)));
    source.line(format!(
        "method: Method::{},",
        camel_method(operation.method)
    ));
    source.line(format!("path: {},", literal(&operation.path)));
    source.line(format!("tag: {},", optional(operation.tags.first())));
    source.line(format!("stability: Stability::{},", traits.stability));
    match &traits.deprecation {
        None => source.line("deprecation: None,"),
        Some(deprecation) => write_deprecation(source, scope, deprecation),
    }
    source.line(format!(
        "required_access: {},",
        optional(traits.required_access.as_ref())
    ));
    source.line(format!("rate_limit_cost: {},", traits.rate_limit_cost));
    source.line(format!("public: {},", traits.public));
}

fn write_deprecation(source: &mut Source, scope: &mut Scope, deprecation: &Deprecation) {
    scope.imports.add("spec_runtime", "Deprecation");
    source.line("deprecation: Some(Deprecation {");
    source.indented(|source| {
        write_date(source, scope, "since", deprecation.since);
        write_date(source, scope, "sunset", deprecation.sunset);
        source.line(format!(
            "successor: {},",
            optional(deprecation.successor.as_ref())
        ));
    });
    source.line("}),");
}

fn write_date(source: &mut Source, scope: &mut Scope, name: &str, date: Option<Date>) {
    let Some(Date { year, month, day }) = date else {
        return source.line(format!("{name}: None,"));
    };
    scope.imports.add("chrono", "NaiveDate");
    source.line(format!(
        "{name}: NaiveDate::from_ymd_opt({year}, {month}, {day}),"
    ));
}

fn write_dispatch(source: &mut Source, scope: &mut Scope, api: &Api) {
    scope.imports.add("dropshot", "Body");
    scope.imports.add("dropshot", "RequestContext");
    scope.imports.add("http", "Response");
    for item in ["DecodedRequest", "DispatchError"] {
        scope.imports.add("spec_runtime", item);
    }
    if !api.operations.is_empty() {
        scope.imports.add("spec_runtime", "to_response");
    }
    scope.imports.add("crate::api", &api.trait_name);
    let uses_request = api
        .operations
        .iter()
        .any(|operation| !arguments(scope, operation).is_empty());
    let rqctx = if api.operations.is_empty() {
        "_rqctx"
    } else {
        "rqctx"
    };
    let request = if uses_request { "request" } else { "_request" };
    source.docs(
        "Calls the method for `operation` with what the request holds, and turns its result into a response.\n\n\
         # Errors\n\nThe request does not fit the method's types, or its result cannot be written.",
    );
    source.line(format!("pub async fn dispatch<A: {}>(", api.trait_name));
    source.indented(|source| {
        source.line("operation: Operation,");
        source.line(format!("{rqctx}: RequestContext<A::Context>,"));
        source.line(format!("{request}: DecodedRequest,"));
    });
    source.line(") -> Result<Response<Body>, DispatchError> {");
    source.indented(|source| {
        source.block("match operation", |source| {
            for operation in &api.operations {
                write_arm(source, scope, operation);
            }
        });
    });
    source.line("}");
}

fn write_arm(source: &mut Source, scope: &mut Scope, operation: &Operation) {
    let mut passed = vec!["rqctx".to_owned()];
    let mut bindings = Vec::new();
    for (name, ty) in arguments(scope, operation) {
        bindings.push(format!("let {name}: {ty} = request.{name}()?;"));
        passed.push(format!("{name}.into()"));
    }
    let call = format!("A::{}({}).await", operation.method_name, passed.join(", "));
    let head = format!("Operation::{} =>", operation.variant);
    let one_line = format!("{head} to_response({call}),");
    if bindings.is_empty() && source.indentation() + one_line.len() <= WIDTH {
        return source.line(one_line);
    }
    source.block(&head, |source| {
        for binding in bindings {
            source.line(binding);
        }
        source.line(format!("to_response({call})"));
    });
}

/// What the trait's method takes behind its context: name and type.
fn arguments(scope: &mut Scope, operation: &Operation) -> Vec<(&'static str, String)> {
    let mut arguments = Vec::new();
    let structs = [
        ("path", &operation.path_struct),
        ("query", &operation.query_struct),
        ("headers", &operation.header_struct),
    ];
    for (name, parameters) in structs {
        if let Some(parameters) = parameters {
            scope.imports.add("crate::parameters", parameters);
            arguments.push((name, parameters.clone()));
        }
    }
    if let Some(body) = &operation.body {
        arguments.push(("body", scope.spell(body)));
    }
    arguments
}

fn optional(text: Option<&String>) -> String {
    match text {
        None => "None".to_owned(),
        Some(text) => format!("Some({})", literal(text)),
    }
}

/// `GET` as the variant of `spec_runtime::Method`.
fn camel_method(method: &str) -> String {
    let (first, rest) = method.split_at(1);
    first.to_owned() + &rest.to_ascii_lowercase()
}
