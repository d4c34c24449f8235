//! `lists.rs`: for every operation that answers with a page, the stream over all of its pages.
//!
//! Such an operation is a `GET` without path parameters whose success is an array and declares a `Link` header.

use spec_model::{Method, Operation, ParameterLocation, Response, SchemaRef, SchemaType, Spec};

use crate::names;
use crate::operation_traits::method_name;
use crate::source::{Source, literal};

/// A list of pages.
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

/// The client's methods that have such a stream.
pub(crate) fn method_names(spec: &Spec) -> Vec<String> {
    find_lists(spec).map(|list| list.method).collect()
}

/// The file's text, without its header.
pub(crate) fn render(spec: &Spec) -> String {
    let lists: Vec<List> = find_lists(spec).collect();
    let mut source = Source::default();
    source.line("//! Streams over all pages of each list.");
    if lists.is_empty() {
        return source.into_text();
    }
    source.blank();
    source.line("use crate::pages::{self, AllPages};");
    source.line("use crate::{Client, builder, types};");
    source.blank();
    source.block("impl Client", |source| {
        for (index, list) in lists.iter().enumerate() {
            if index > 0 {
                source.blank();
            }
            write_method(source, list);
        }
    });
    for list in &lists {
        source.blank();
        write_builder(&mut source, list);
    }
    source.into_text()
}

fn write_method(source: &mut Source, list: &List) {
    let List {
        method, all, item, ..
    } = list;
    source.docs(&format!(
        "Every record of `{method}`, page after page. A page is asked for when the one before it is used up; an error \
         ends the stream. A filtered list has it too, as `{method}().….all()`."
    ));
    source.block(
        &format!("pub fn {all}(&self) -> AllPages<'_, types::{item}>"),
        |source| {
            source.line(format!("self.{method}().all()"));
        },
    );
}

fn write_builder(source: &mut Source, list: &List) {
    let List {
        method,
        builder,
        path,
        item,
        ..
    } = list;
    source.block(&format!("impl<'a> builder::{builder}<'a>"), |source| {
        source.docs(
            "Every record of the list from here on, page after page, as long as the service names a next page. A page is \
             asked for when the one before it is used up; an error ends the stream.",
        );
        source.block(&format!("pub fn all(self) -> AllPages<'a, types::{item}>"), |source| {
            source.line("let client = self.client;");
            let call = format!("pages::all(client, {}, {}, self.send())", literal(method), literal(path));
            source.line(call);
        });
    });
}

fn find_lists(spec: &Spec) -> impl Iterator<Item = List> {
    let operations = spec.operations.iter();
    operations.filter_map(|operation| read(spec, operation))
}

fn read(spec: &Spec, operation: &Operation) -> Option<List> {
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
        item: item(spec, success)?,
    })
}

/// The component that the pages are arrays of.
fn item(spec: &Spec, success: &Response) -> Option<String> {
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
