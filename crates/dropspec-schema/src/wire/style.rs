//! What each style writes around and between values: the table "Style Values" of OpenAPI 3.0.3, for both directions.

use crate::wire::parameter::Style;

/// How a style and `explode` write a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Notation {
    pub(crate) style: Style,
    pub(crate) explode: bool,
    /// Before the first piece.
    pub(crate) start: &'static str,
    /// Whether pieces begin with the name of the parameter.
    pub(crate) named: bool,
    /// Between the pieces of an exploded value.
    pub(crate) between_pieces: &'static str,
    /// Between the items of a value that is not exploded.
    pub(crate) between_items: &'static str,
    /// What is read as [`Notation::between_items`].
    separators: &'static [&'static str],
}

/// How the properties of an object are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectSyntax {
    /// `R,100,G,200`, separated as the items of an array.
    Alternating,
    /// `R=100,G=200`, separated by this text.
    Pairs(&'static str),
    /// `R=100&G=200`: each property is a parameter of its own.
    Names,
    /// `color[R]=100&color[G]=200`
    Brackets,
}

const COMMA: &[&str] = &[","];

impl Style {
    pub(crate) const fn notation(self, explode: bool) -> Notation {
        let (start, named, between_pieces, between_items, separators) = match self {
            Style::Matrix => (";", true, ";", ",", COMMA),
            // OpenAPI 3.0 writes dots, RFC 6570 and OpenAPI 3.1 write commas.
            Style::Label => (".", false, ".", ".", &[",", "."] as &[_]),
            Style::Form | Style::Cookie => ("", true, "&", ",", COMMA),
            Style::Simple => ("", false, ",", ",", COMMA),
            Style::SpaceDelimited => ("", true, "&", "%20", &["%20", "+"] as &[_]),
            Style::PipeDelimited => ("", true, "&", "|", &["|", "%7C", "%7c"] as &[_]),
            Style::DeepObject => ("", true, "&", ",", COMMA),
        };
        Notation {
            style: self,
            explode,
            start,
            named,
            between_pieces,
            between_items,
            separators,
        }
    }
}

impl Notation {
    pub(crate) const fn object(self) -> ObjectSyntax {
        match (self.style, self.explode) {
            (Style::DeepObject, _) => ObjectSyntax::Brackets,
            (_, false) => ObjectSyntax::Alternating,
            (Style::Matrix | Style::Label | Style::Simple, true) => {
                ObjectSyntax::Pairs(self.between_pieces)
            }
            (_, true) => ObjectSyntax::Names,
        }
    }

    /// Whether each property of an object is a parameter of its own.
    pub(crate) fn is_spread(self) -> bool {
        self.object() == ObjectSyntax::Names
    }

    /// Whether the parameter is repeated for each item of an array.
    const fn repeats(self) -> bool {
        self.named && (self.explode || matches!(self.style, Style::DeepObject))
    }

    /// Removes what the style writes before a scalar. The error is a phrase to follow the name of the parameter.
    pub(crate) fn strip_prefix<'r>(self, name: &str, raw: &'r str) -> Result<&'r str, String> {
        match self.style {
            Style::Label => raw
                .strip_prefix('.')
                .ok_or_else(|| "must begin with a dot".to_owned()),
            Style::Matrix => raw
                .strip_prefix(';')
                .and_then(|raw| strip_name(raw, name))
                .ok_or_else(|| format!("must begin with \";{name}=\"")),
            _ => Ok(raw),
        }
    }

    /// The items of an array in the raw values of a parameter. One empty value is an empty array, unless the parameter
    /// is repeated for each item.
    pub(crate) fn split_items<'r>(
        self,
        name: &str,
        raw: &[&'r str],
    ) -> Result<Vec<&'r str>, String> {
        if self.repeats() && self.style == Style::Matrix {
            return split_matrix(name, raw);
        }
        if self.repeats() {
            return Ok(raw.to_vec());
        }
        let separators = match (self.style, self.explode) {
            (Style::Label, true) => &["."],
            (Style::Label, false) => {
                // An item may contain the other one.
                let occurs = |separator: &&str| raw.iter().any(|text| text.contains(separator));
                let first = self.separators.iter().position(occurs);
                first.map_or(&[] as &[_], |first| &self.separators[first..=first])
            }
            _ => self.separators,
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

    /// Whether a raw value consists of `name=value`, as an exploded object does. With `matrix`, all values do.
    pub(crate) fn is_pairs(self, raw: &[&str]) -> bool {
        self.object() == ObjectSyntax::Pairs(self.between_pieces)
            && self.style != Style::Matrix
            && raw.iter().all(|text| {
                let mut pieces = text.split(self.between_pieces);
                pieces.all(|piece| piece.contains('=') || piece.is_empty())
            })
    }

    /// The properties of an object in the raw value of a parameter.
    pub(crate) fn split_properties<'r>(
        self,
        name: &str,
        raw: &[&'r str],
    ) -> Result<Vec<(&'r str, &'r str)>, String> {
        if let ObjectSyntax::Pairs(separator) = self.object() {
            let mut pairs = Vec::new();
            for text in raw {
                // With `matrix`, the properties stand in place of the name.
                let text = text.strip_prefix(self.start);
                let text = text.ok_or_else(|| format!("must begin with {separator:?}"))?;
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
