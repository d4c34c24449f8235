//! A segment of a path template: how exactly it names its texts, and what a text says of its parameters.

use super::encode_literal;

/// The literals around the parameters: of `{a}-{b}` they are a text without characters, `-`, and another one without.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Segment {
    literals: Vec<String>,
}

impl Segment {
    /// Splits a segment, and returns the names of its parameters. None if braces do not form parameters.
    pub(super) fn parse(text: &'static str) -> Option<(Self, Vec<&'static str>)> {
        let mut parts = text.split('{');
        let mut literals = vec![parts.next().unwrap_or_default()];
        let mut names = Vec::new();
        for part in parts {
            let (name, literal) = part.split_once('}')?;
            names.push(name);
            literals.push(literal);
        }
        let is_wrong = |literal: &&str| literal.contains('}');
        if literals.iter().any(is_wrong) || names.contains(&"") {
            return None;
        }
        let literals = literals.into_iter().map(encode_literal).collect();
        Some((Self { literals }, names))
    }

    /// Whether it has no parameter, and how long its text is. Of two segments that match a text, the larger one wins.
    pub(super) fn exactness(&self) -> (bool, usize) {
        let length = self.literals.iter().map(String::len).sum();
        (self.literals.len() == 1, length)
    }

    /// Adds the values of the parameters, if a text is one of this segment.
    pub(super) fn read<'p>(&self, text: &'p str, values: &mut Vec<&'p str>) -> Option<()> {
        let (first, others) = self.literals.split_first()?;
        if others.is_empty() {
            return (text == first).then_some(());
        }
        values.extend(find_values(others, text.strip_prefix(first.as_str())?)?);
        Some(())
    }
}

/// The values of the parameters before the literals, if text consists of these in turn. A value has at least one character,
/// and takes as much as it can from those behind it: of `report.2.csv`, the `{format}` in `{name}.{format}` is `csv`.
///
/// Each literal is taken at its last place, which leaves the most text to those before it: if that does not match, nothing
/// does, and a request costs no more than its length.
fn find_values<'p>(literals: &[String], text: &'p str) -> Option<Vec<&'p str>> {
    let Some((last, others)) = literals.split_last() else {
        return text.is_empty().then(Vec::new);
    };
    let mut rest = text.strip_suffix(last.as_str())?;
    let mut values = Vec::with_capacity(literals.len());
    for literal in others.iter().rev() {
        let (last_character, _) = rest.char_indices().next_back()?;
        let start = rest[..last_character].rfind(literal.as_str())?;
        values.push(&rest[start + literal.len()..]);
        rest = &rest[..start];
    }
    if rest.is_empty() {
        return None;
    }
    values.push(rest);
    values.reverse();
    Some(values)
}
