//! How `style` and `explode` write arrays and objects as text: the table "Style Examples" of OpenAPI 3.0.3.

use serde_json::Value;

use crate::rejection::ParameterLocation;

/// The notation of a parameter for arrays and objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Syntax {
    prefix: Prefix,
    array: Separator,
    pub(super) object: ObjectSyntax,
}

/// What stands before a value in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefix {
    None,
    /// `.`
    Label,
    /// `;name=`
    Matrix,
}

/// What separates the items of an array before they are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    /// The parameter is repeated for each item.
    Repetition,
    /// Any of these texts. An encoded comma is part of an item.
    AnyOf(&'static [&'static str]),
    /// The first of these texts that occurs.
    FirstOf(&'static [&'static str]),
}

/// How the properties of an object are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectSyntax {
    /// `R,100,G,200`, separated as the items of an array.
    Alternating,
    /// `R=100,G=200`, separated by this text.
    Pairs(&'static str),
    /// `R=100&G=200`: each property is a parameter of its own.
    Names,
    /// `color[R]=100&color[G]=200`
    Brackets,
}

const COMMA: Separator = Separator::AnyOf(&[","]);
const SPACE: Separator = Separator::AnyOf(&["%20", "+"]);
const PIPE: Separator = Separator::AnyOf(&["|", "%7C", "%7c"]);
const DOT: Separator = Separator::AnyOf(&["."]);
/// OpenAPI 3.0 writes dots without `explode`, RFC 6570 and OpenAPI 3.1 write commas.
const COMMA_OR_DOT: Separator = Separator::FirstOf(&[",", "."]);

type Row = (&'static str, bool, Prefix, Separator, ObjectSyntax);

/// The notation of each style without and with `explode`.
#[rustfmt::skip]
const STYLES: [Row; 14] = [
    ("simple",         false, Prefix::None,   COMMA,                 ObjectSyntax::Alternating),
    ("simple",         true,  Prefix::None,   COMMA,                 ObjectSyntax::Pairs(",")),
    ("label",          false, Prefix::Label,  COMMA_OR_DOT,          ObjectSyntax::Alternating),
    ("label",          true,  Prefix::Label,  DOT,                   ObjectSyntax::Pairs(".")),
    ("matrix",         false, Prefix::Matrix, COMMA,                 ObjectSyntax::Alternating),
    ("matrix",         true,  Prefix::Matrix, Separator::Repetition, ObjectSyntax::Pairs(";")),
    ("form",           false, Prefix::None,   COMMA,                 ObjectSyntax::Alternating),
    ("form",           true,  Prefix::None,   Separator::Repetition, ObjectSyntax::Names),
    ("spaceDelimited", false, Prefix::None,   SPACE,                 ObjectSyntax::Alternating),
    ("spaceDelimited", true,  Prefix::None,   Separator::Repetition, ObjectSyntax::Names),
    ("pipeDelimited",  false, Prefix::None,   PIPE,                  ObjectSyntax::Alternating),
    ("pipeDelimited",  true,  Prefix::None,   Separator::Repetition, ObjectSyntax::Names),
    ("deepObject",     false, Prefix::None,   Separator::Repetition, ObjectSyntax::Brackets),
    ("deepObject",     true,  Prefix::None,   Separator::Repetition, ObjectSyntax::Brackets),
];

/// The styles of each location; the first is the default.
const fn styles_of(location: ParameterLocation) -> &'static [&'static str] {
    match location {
        ParameterLocation::Path => &["simple", "label", "matrix"],
        ParameterLocation::Header => &["simple"],
        ParameterLocation::Cookie => &["form"],
        ParameterLocation::Query => &["form", "spaceDelimited", "pipeDelimited", "deepObject"],
    }
}

impl Syntax {
    /// The notation that the definition of a parameter declares by `style` and `explode`. A style that OpenAPI does not
    /// define for the location counts as the default style.
    pub(crate) fn of_definition(location: ParameterLocation, definition: &Value) -> Self {
        let styles = styles_of(location);
        let style = definition.get("style").and_then(Value::as_str);
        let style = style.filter(|style| styles.contains(style));
        let style = style.unwrap_or(styles[0]);
        let explode = definition.get("explode").and_then(Value::as_bool);
        let explode = explode.unwrap_or(style == "form");
        let row = STYLES.iter().find(|row| row.0 == style && row.1 == explode);
        let (_, _, prefix, array, object) = *row.unwrap_or(&STYLES[0]);
        Self {
            prefix,
            array,
            object,
        }
    }

    /// Removes what the style writes before a scalar. The error is a phrase to follow the name of the parameter.
    pub(super) fn strip_prefix<'r>(self, name: &str, raw: &'r str) -> Result<&'r str, String> {
        match self.prefix {
            Prefix::None => Ok(raw),
            Prefix::Label => raw
                .strip_prefix('.')
                .ok_or_else(|| "must begin with a dot".to_owned()),
            Prefix::Matrix => raw
                .strip_prefix(';')
                .and_then(|raw| strip_name(raw, name))
                .ok_or_else(|| format!("must begin with \";{name}=\"")),
        }
    }

    /// The items of an array in the raw values of a parameter. One empty value is an empty array, unless the parameter
    /// is repeated for each item.
    pub(super) fn split_items<'r>(
        self,
        name: &str,
        raw: &[&'r str],
    ) -> Result<Vec<&'r str>, String> {
        let separators = match (self.prefix, self.array) {
            (Prefix::Matrix, Separator::Repetition) => return split_matrix(name, raw),
            (_, Separator::Repetition) => return Ok(raw.to_vec()),
            (_, Separator::AnyOf(separators)) => separators,
            (_, Separator::FirstOf(separators)) => {
                let occurs = |separator: &&str| raw.iter().any(|text| text.contains(separator));
                let first = separators.iter().position(occurs);
                first.map_or(&[] as &[_], |first| &separators[first..=first])
            }
        };
        let mut items = Vec::with_capacity(raw.len());
        for text in raw {
            items.push(self.strip_prefix(name, text)?);
        }
        if items == [""] {
            return Ok(Vec::new());
        }
        for separator in separators {
            items = items
                .iter()
                .flat_map(|text| text.split(separator))
                .collect();
        }
        Ok(items)
    }

    /// The properties of an object in the raw value of a parameter.
    pub(super) fn split_properties<'r>(
        self,
        name: &str,
        raw: &[&'r str],
    ) -> Result<Vec<(&'r str, &'r str)>, String> {
        if let ObjectSyntax::Pairs(separator) = self.object {
            let mut pairs = Vec::new();
            for text in raw {
                // With `matrix`, the properties stand in place of the name.
                let text = match self.prefix {
                    Prefix::None => Some(*text),
                    Prefix::Label => text.strip_prefix('.'),
                    Prefix::Matrix => text.strip_prefix(';'),
                };
                let text = text.ok_or_else(|| format!("must begin with {:?}", &separator))?;
                let parts = text.split(separator).filter(|part| !part.is_empty());
                pairs.extend(parts.map(|part| part.split_once('=').unwrap_or((part, ""))));
            }
            return Ok(pairs);
        }
        let items = self.split_items(name, raw)?;
        match items.as_chunks() {
            (pairs, []) => Ok(pairs.iter().map(|[name, value]| (*name, *value)).collect()),
            _ => Err("must list the names and values of its properties in turn".to_owned()),
        }
    }
}

/// The items of an exploded array with style `matrix`: `;name=a;name=b`.
fn split_matrix<'r>(name: &str, raw: &[&'r str]) -> Result<Vec<&'r str>, String> {
    let parts = raw.iter().flat_map(|text| text.split(';'));
    let parts = parts.filter(|part| !part.is_empty());
    let items: Option<Vec<&str>> = parts.map(|part| strip_name(part, name)).collect();
    match items {
        Some(items) if items == [""] => Ok(Vec::new()),
        Some(items) => Ok(items),
        None => Err(format!("must begin with \";{name}=\"")),
    }
}

/// Removes `name=` from the beginning of a text. Without a value, `=` may be absent.
fn strip_name<'r>(text: &'r str, name: &str) -> Option<&'r str> {
    match text.strip_prefix(name)? {
        "" => Some(""),
        rest => rest.strip_prefix('='),
    }
}
