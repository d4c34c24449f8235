//! How types and fields are spelled in Rust, and what they need imported.

use crate::model::{Field, Literal, Presence, Type};
use crate::rename_rule::RenameRule;
use crate::source::{Imports, Source, WIDTH, literal};

/// rustfmt's `attr_fn_like_width`: longer arguments of an attribute stand one to a line.
const ATTRIBUTE_WIDTH: usize = 70;

/// Where a file finds the types that `types.rs` declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    /// The file is `types.rs` itself.
    Here,
    Types,
}

/// What a field becomes when it is serialized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    Json,
    /// The value of a header. dropshot takes none but text.
    Text,
}

/// A file's imports and defaults, gathered while its items are written.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) imports: Imports,
    home: Home,
    /// How the fields of the struct at hand are written.
    pub(crate) written: Written,
    /// Functions of `mod defaults`: name, type, value.
    defaults: Vec<(String, String, String)>,
}

impl Scope {
    pub(crate) fn new(home: Home) -> Scope {
        Scope {
            imports: Imports::default(),
            home,
            written: Written::Json,
            defaults: Vec::new(),
        }
    }

    /// A named type, imported.
    pub(crate) fn named(&mut self, name: &str) -> String {
        if self.home == Home::Types {
            self.imports.add("crate::types", name);
        }
        name.to_owned()
    }

    /// A type, everything in it imported.
    pub(crate) fn spell(&mut self, ty: &Type) -> String {
        let mut import = |module, item: &str| {
            self.imports.add(module, item);
            item.to_owned()
        };
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::Integer(name) => (*name).to_owned(),
            Type::F32 => "f32".to_owned(),
            Type::F64 => "f64".to_owned(),
            Type::String => "String".to_owned(),
            Type::Uuid => import("uuid", "Uuid"),
            Type::Date => import("chrono", "NaiveDate"),
            Type::DateTime => {
                import("chrono", "Utc");
                import("chrono", "DateTime") + "<Utc>"
            }
            Type::IpAddr => import("std::net", "IpAddr"),
            Type::Ipv4Addr => import("std::net", "Ipv4Addr"),
            Type::Ipv6Addr => import("std::net", "Ipv6Addr"),
            Type::Any => import("serde_json", "Value"),
            Type::Named(name) => self.named(name),
            Type::Vec(inner) => format!("Vec<{}>", self.spell(inner)),
            Type::Map(inner) => {
                self.imports.add("std::collections", "BTreeMap");
                format!("BTreeMap<String, {}>", self.spell(inner))
            }
            Type::Option(inner) => format!("Option<{}>", self.spell(inner)),
            Type::Box(inner) => format!("Box<{}>", self.spell(inner)),
        }
    }

    /// The fields of `owner`, one to a line, with their documentation and serde attributes.
    pub(crate) fn write_fields(
        &mut self,
        source: &mut Source,
        owner: &str,
        fields: &[Field],
        rule: Option<RenameRule>,
        visibility: &str,
    ) {
        let spaced = fields.iter().any(|field| !field.docs.is_empty());
        for (index, field) in fields.iter().enumerate() {
            if index > 0 && spaced {
                source.blank();
            }
            self.write_field(source, owner, field, rule, visibility);
        }
    }

    fn write_field(
        &mut self,
        source: &mut Source,
        owner: &str,
        field: &Field,
        rule: Option<RenameRule>,
        visibility: &str,
    ) {
        source.docs(&field.docs);
        let mut attributes = Vec::new();
        if rule.is_none() && field.name.trim_start_matches("r#") != field.wire {
            attributes.push(format!("rename = {}", literal(&field.wire)));
        }
        match &field.presence {
            Presence::Required => {}
            Presence::Optional => {
                attributes.push("skip_serializing_if = \"Option::is_none\"".to_owned());
            }
            Presence::Default(value) if value.is_types_own() => {
                attributes.push("default".to_owned());
            }
            Presence::Default(value) => {
                let function = self.default_function(owner, field, value);
                attributes.push(format!("default = \"defaults::{function}\""));
            }
        }
        if self.written == Written::Text && !field.ty.is_text() {
            attributes.push("serialize_with = \"spec_runtime::as_text\"".to_owned());
        }
        write_serde(source, &attributes);
        let ty = self.spell(&field.ty);
        source.line(format!("{visibility}{}: {ty},", field.name));
    }

    fn default_function(&mut self, owner: &str, field: &Field, value: &Literal) -> String {
        use heck::ToSnakeCase;
        let field_name = field.name.trim_start_matches("r#");
        let name = format!("{}_{field_name}", owner.to_snake_case());
        let spelled = match value {
            Literal::Bool(value) => value.to_string(),
            Literal::Integer(digits) | Literal::Float(digits) => digits.clone(),
            Literal::String(text) => format!("{}.to_owned()", literal(text)),
            Literal::Variant { ty, variant } => format!("super::{ty}::{variant}"),
            Literal::Empty => "Default::default()".to_owned(),
        };
        let ty = match (&field.ty, value) {
            (_, Literal::Variant { ty, .. }) => format!("super::{ty}"),
            (ty, _) => self.spell(ty),
        };
        self.defaults.push((name.clone(), ty, spelled));
        name
    }

    /// `mod defaults`, if any field has a default of its own.
    pub(crate) fn write_defaults(&self, source: &mut Source) {
        if self.defaults.is_empty() {
            return;
        }
        source.blank();
        source.line("/// What fields hold that the sender left out.");
        source.block("mod defaults", |source| {
            for (index, (name, ty, value)) in self.defaults.iter().enumerate() {
                if index > 0 {
                    source.blank();
                }
                source.block(&format!("pub(super) fn {name}() -> {ty}"), |source| {
                    source.line(value);
                });
            }
        });
    }
}

impl Literal {
    /// Whether `Default` gives the same.
    fn is_types_own(&self) -> bool {
        match self {
            Literal::Bool(value) => !value,
            Literal::Integer(digits) => digits == "0",
            Literal::Float(digits) => digits == "0.0",
            Literal::String(text) => text.is_empty(),
            Literal::Variant { .. } => false,
            Literal::Empty => true,
        }
    }
}

/// `#[serde(…)]`, one attribute to a line if they do not fit into one.
pub(crate) fn write_serde(source: &mut Source, attributes: &[String]) {
    if attributes.is_empty() {
        return;
    }
    let one_line = format!("#[serde({})]", attributes.join(", "));
    let fits = source.indentation() + one_line.len() <= WIDTH;
    if fits && attributes.join(", ").len() <= ATTRIBUTE_WIDTH {
        source.line(one_line);
    } else {
        source.line("#[serde(");
        source.indented(|source| {
            let last = attributes.len() - 1;
            for (index, attribute) in attributes.iter().enumerate() {
                let comma = if index == last { "" } else { "," };
                source.line(format!("{attribute}{comma}"));
            }
        });
        source.line(")]");
    }
}

/// The `rename_all` that spells every field, if names differ at all.
pub(crate) fn field_rule(fields: &[Field]) -> Option<RenameRule> {
    let names = fields.iter().map(|f| (f.name.as_str(), f.wire.as_str()));
    if names
        .clone()
        .all(|(rust, wire)| rust.trim_start_matches("r#") == wire)
    {
        return None;
    }
    RenameRule::of_fields(names)
}
