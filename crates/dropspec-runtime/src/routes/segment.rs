//! A segment of a path template: how exactly it names its texts, and what a text says of its parameters.

use super::Values;
use super::escapes::encode_literal;

/// The literals around the parameters: of `{a}-{b}` they are a text without characters, `-`, and another one without.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Segment {
    literals: Vec<String>,
    /// Whether its only parameter is `{+name}`.
    spans: bool,
}

impl Segment {
    /// Splits a segment, and returns the names of its parameters. None if braces do not form parameters.
    pub(super) fn parse(text: &'static str) -> Option<(Self, Vec<&'static str>)> {
        let mut parts = text.split('{');
        let mut literals = vec![parts.next().unwrap_or_default()];
        let mut names = Vec::new();
        let mut spans = false;
        for part in parts {
            let (name, literal) = part.split_once('}')?;
            let reserved = name.strip_prefix('+');
            spans |= reserved.is_some();
            names.push(reserved.unwrap_or(name));
            literals.push(literal);
        }
        let is_wrong = |literal: &&str| literal.contains('}');
        let is_beside = spans && names.len() > 1;
        if literals.iter().any(is_wrong) || names.contains(&"") || is_beside {
            return None;
        }
        let literals = literals.into_iter().map(encode_literal).collect();
        Some((Self { literals, spans }, names))
    }

    /// Whether it matches several segments of a path, too.
    pub(super) fn spans(&self) -> bool {
        self.spans
    }

    /// Whether it has no parameter, or none with several segments, and how long its text is. Of two segments that match a text,
    /// the larger one wins.
    pub(super) fn exactness(&self) -> (bool, bool, usize) {
        let length = self.literals.iter().map(String::len).sum();
        (self.literals.len() == 1, !self.spans, length)
    }

    /// Adds the values of the parameters, if a text matches this segment; if it does not, the caller removes what was added. A value
    /// has at least one character, and takes as much as it can from those behind it: of `report.2.csv`, the `{format}` in `{name}.{format}` is `csv`.
    ///
    /// Each literal is taken at its last place, which leaves the most text to those before it: if that does not match, nothing
    /// does, and a request costs no more than its length.
    pub(super) fn read<'p>(&self, text: &'p str, values: &mut Values<'p>) -> Option<()> {
        let (first, others) = self.literals.split_first()?;
        let Some((last, between)) = others.split_last() else {
            return (text == first).then_some(());
        };
        let mut rest = text.strip_prefix(first.as_str())?;
        rest = rest.strip_suffix(last.as_str())?;
        let index = values.len();
        for literal in between.iter().rev() {
            let (last_character, _) = rest.char_indices().next_back()?;
            let start = rest[..last_character].rfind(literal.as_str())?;
            values.insert(index, &rest[start + literal.len()..]);
            rest = &rest[..start];
        }
        values.insert(index, rest);
        (!rest.is_empty()).then_some(())
    }
}
