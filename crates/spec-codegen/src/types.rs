//! `types.rs`: one Rust type per schema that has a name.

use crate::error_impls;
use crate::model::{
    Api, NamedType, Origin, Shape, Struct, Tagging, Type, Union, UnionVariant, Variant, VariantBody,
};
use crate::rename_rule::RenameRule;
use crate::source::{Source, literal};
use crate::spelling::{Home, Scope, field_rule, write_serde};
use crate::text_enum;
use crate::traits::Derivable;

/// The file's text, without its header.
pub(crate) fn render(api: &Api) -> String {
    let mut scope = Scope::new(Home::Here);
    let mut items = Source::default();
    let derivable = Derivable::of(&api.types);
    for (index, named) in api.types.iter().enumerate() {
        if index > 0 {
            items.blank();
        }
        write_type(&mut items, &mut scope, &derivable, named);
    }
    scope.write_defaults(&mut items);
    write_tables(&mut items, &mut scope, &api.types);

    let mut file = Source::default();
    file.line("//! The types of the interface, one for each schema of the document.");
    file.blank();
    scope.imports.write(&mut file);
    file.into_text() + &items.into_text()
}

fn write_type(source: &mut Source, scope: &mut Scope, derivable: &Derivable, named: &NamedType) {
    source.docs(&named.docs);
    let mut derives = vec!["Clone", "Debug", "PartialEq"];
    if let Shape::Enum(_) = named.shape {
        derives = vec!["Clone", "Copy", "Debug", "PartialEq", "Eq", "Hash"];
    } else if derivable.eq(&named.name) {
        derives.push("Eq");
    }
    if derivable.default(&named.name) {
        derives.insert(2, "Default");
    }
    derives.extend(["Serialize", "Deserialize"]);
    scope.imports.add("serde", "Serialize");
    scope.imports.add("serde", "Deserialize");
    source.line(format!("#[derive({})]", derives.join(", ")));
    match &named.shape {
        Shape::Struct(shape) => write_struct(source, scope, &named.name, shape),
        Shape::Enum(variants) => write_enum(source, scope, &named.name, variants),
        Shape::Newtype(inner) => {
            let inner = scope.spell(inner);
            source.line(format!("pub struct {}(pub {inner});", named.name));
        }
        Shape::Union(union) => write_union(source, scope, &named.name, union),
    }
    if let Some(error) = &named.error {
        error_impls::write(source, scope, named, error);
    }
}

fn write_struct(source: &mut Source, scope: &mut Scope, name: &str, shape: &Struct) {
    let rule = field_rule(&shape.fields);
    let mut attributes = Vec::new();
    if let Some(rule) = rule {
        attributes.push(format!("rename_all = {}", literal(rule.as_str())));
    }
    if shape.closed {
        attributes.push("deny_unknown_fields".to_owned());
    }
    write_serde(source, &attributes);
    if shape.fields.is_empty() && shape.rest.is_none() {
        return source.line(format!("pub struct {name} {{}}"));
    }
    source.block(&format!("pub struct {name}"), |source| {
        scope.write_fields(source, name, &shape.fields, rule, "pub ");
        if let Some(rest) = &shape.rest {
            if !shape.fields.is_empty() {
                source.blank();
            }
            let taken = |candidate: &str| shape.fields.iter().any(|f| f.name == candidate);
            let field = if taken("rest") {
                "additional_properties"
            } else {
                "rest"
            };
            let map = scope.spell(&Type::Map(Box::new(rest.clone())));
            source.line("/// Properties that the schema does not name.");
            source.line("#[serde(flatten)]");
            source.line(format!("pub {field}: {map},"));
        }
    });
}

fn write_enum(source: &mut Source, scope: &mut Scope, name: &str, variants: &[Variant]) {
    let names = variants.iter().map(|v| (v.name.as_str(), v.wire.as_str()));
    let rule = RenameRule::of_variants(names);
    if let Some(rule) = rule.filter(|rule| *rule != RenameRule::Pascal) {
        write_serde(
            source,
            &[format!("rename_all = {}", literal(rule.as_str()))],
        );
    }
    source.block(&format!("pub enum {name}"), |source| {
        for (index, variant) in variants.iter().enumerate() {
            if index > 0 {
                source.blank();
            }
            if variant.docs.is_empty() {
                source.docs(&code(&variant.wire));
            } else {
                source.docs(&variant.docs);
            }
            if rule.is_none() && variant.name != variant.wire {
                write_serde(source, &[format!("rename = {}", literal(&variant.wire))]);
            }
            source.line(format!("{},", variant.name));
        }
    });
    scope.imports.add("std::fmt", "self");
    scope.imports.add("std::str", "FromStr");
    scope.imports.add("spec_runtime", "UnknownValue");
    let values: Vec<(&str, &str)> = variants
        .iter()
        .map(|v| (v.name.as_str(), v.wire.as_str()))
        .collect();
    text_enum::write_impls(source, name, &values, "As it stands in JSON.");
}

fn write_union(source: &mut Source, scope: &mut Scope, name: &str, union: &Union) {
    let mut attributes = Vec::new();
    let mut rule = None;
    match &union.tagging {
        Tagging::Untagged => attributes.push("untagged".to_owned()),
        tagged => {
            match tagged {
                Tagging::Internal { tag } => attributes.push(format!("tag = {}", literal(tag))),
                Tagging::Adjacent { tag, content } => {
                    attributes.push(format!("tag = {}", literal(tag)));
                    attributes.push(format!("content = {}", literal(content)));
                }
                Tagging::External | Tagging::Untagged => {}
            }
            let names = union
                .variants
                .iter()
                .map(|v| (v.name.as_str(), v.wire.as_str()));
            rule = RenameRule::of_variants(names);
            if let Some(rule) = rule.filter(|rule| *rule != RenameRule::Pascal) {
                attributes.push(format!("rename_all = {}", literal(rule.as_str())));
            }
        }
    }
    write_serde(source, &attributes);
    source.block(&format!("pub enum {name}"), |source| {
        for (index, variant) in union.variants.iter().enumerate() {
            if index > 0 {
                source.blank();
            }
            let tagged = union.tagging != Tagging::Untagged;
            if tagged && rule.is_none() && variant.name != variant.wire {
                source.docs(&variant_docs(variant));
                write_serde(source, &[format!("rename = {}", literal(&variant.wire))]);
            } else {
                source.docs(&variant_docs(variant));
            }
            write_union_variant(source, scope, name, variant);
        }
    });
}

fn variant_docs(variant: &UnionVariant) -> String {
    match (variant.docs.is_empty(), &variant.body) {
        (false, _) => variant.docs.clone(),
        (true, VariantBody::Newtype(ty)) if ty.named().is_some() => {
            format!("{}.", code(ty.named().unwrap_or_default()))
        }
        (true, _) => code(&variant.wire),
    }
}

fn write_union_variant(
    source: &mut Source,
    scope: &mut Scope,
    owner: &str,
    variant: &UnionVariant,
) {
    match &variant.body {
        VariantBody::Unit => source.line(format!("{},", variant.name)),
        VariantBody::Newtype(ty) => {
            let ty = scope.spell(ty);
            source.line(format!("{}({ty}),", variant.name));
        }
        VariantBody::Fields(fields) => {
            let rule = field_rule(fields);
            if let Some(rule) = rule {
                write_serde(
                    source,
                    &[format!("rename_all = {}", literal(rule.as_str()))],
                );
            }
            source.line(format!("{} {{", variant.name));
            let owner = format!("{owner}{}", variant.name);
            source.indented(|source| scope.write_fields(source, &owner, fields, rule, ""));
            source.line("},");
        }
    }
}

/// Text as inline code, whatever backticks it holds.
fn code(text: &str) -> String {
    match text {
        "" => "The empty string.".to_owned(),
        text if text.contains('`') => format!("`` {text} ``"),
        text => format!("`{text}`"),
    }
}

fn write_tables(source: &mut Source, scope: &mut Scope, types: &[NamedType]) {
    if types.is_empty() {
        return;
    }
    let tables = [
        ("document_schemas", Origin::Component),
        ("inline_schemas", Origin::Body),
    ];
    let mut explained = false;
    for (table, origin) in tables {
        let mut rows = types
            .iter()
            .filter(|named| named.origin == origin)
            .peekable();
        if rows.peek().is_none() {
            continue;
        }
        source.blank();
        if !explained {
            source.line(
                "// What each type says of itself in JSON Schema is what the document says of it.",
            );
            explained = true;
        }
        scope.imports.add("crate::document", "DOCUMENT");
        source.line(format!("spec_runtime::{table}! {{"));
        source.indented(|source| {
            source.line("DOCUMENT;");
            for named in rows {
                source.line(format!("{} => {};", named.name, literal(&named.pointer)));
            }
        });
        source.line("}");
    }
}
