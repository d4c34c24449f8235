//! Path templates: their segments, how exactly each names its paths, and matching of what the router cannot.

use super::encode_literal;

/// A path template, split at its slashes.
#[derive(Clone, Debug)]
pub(super) struct Template {
    segments: Vec<Segment>,
}

/// Literals and parameters in turn: `{a}-{b}` is a literal without text, a parameter, `-`, a parameter, and a literal
/// without text.
#[derive(Clone, Debug)]
struct Segment {
    literals: Vec<String>,
    names: Vec<&'static str>,
}

/// How exactly a template names its paths: for each segment, whether it has no parameter, and how long its text is. Of two
/// templates that match a path, the larger one wins.
pub(super) type Exactness = Vec<(bool, usize)>;

impl Template {
    /// Splits a template. None if it does not begin with a slash, or braces do not form parameters.
    pub(super) fn parse(template: &'static str) -> Option<Self> {
        let segments = template.strip_prefix('/')?.split('/').map(Segment::parse);
        let segments = segments.collect::<Option<_>>()?;
        Some(Self { segments })
    }

    /// The template for the router: parameters numbered, so that `/pets/{id}` and `/pets/{petId}/food` do not conflict.
    pub(super) fn numbered(&self) -> String {
        let mut numbered = String::new();
        let mut count = 0;
        for segment in &self.segments {
            numbered.push('/');
            numbered.push_str(&segment.literals[0]);
            for literal in &segment.literals[1..] {
                numbered.push_str(&format!("{{p{count}}}{literal}"));
                count += 1;
            }
        }
        numbered
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        let names = self.segments.iter().flat_map(|segment| &segment.names);
        names.copied().collect()
    }

    /// Whether the router can match it: at most one parameter in a segment.
    pub(super) fn is_simple(&self) -> bool {
        self.segments.iter().all(|segment| segment.names.len() <= 1)
    }

    pub(super) fn exactness(&self) -> Exactness {
        let segments = self.segments.iter();
        let text = |segment: &Segment| segment.literals.iter().map(String::len).sum();
        segments
            .map(|segment| (segment.names.is_empty(), text(segment)))
            .collect()
    }

    /// The values of the parameters, if the template matches a path.
    pub(super) fn find<'p>(&self, path: &'p str) -> Option<Vec<&'p str>> {
        let parts: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
        if parts.len() != self.segments.len() {
            return None;
        }
        let mut values = Vec::new();
        let mut pairs = self.segments.iter().zip(parts);
        let matches = pairs.all(|(segment, part)| {
            let rest = part.strip_prefix(segment.literals[0].as_str());
            let found = rest.and_then(|rest| find_values(&segment.literals[1..], rest));
            let matches = found.is_some();
            values.extend(found.into_iter().flatten());
            matches
        });
        matches.then_some(values)
    }
}

impl Segment {
    fn parse(text: &'static str) -> Option<Self> {
        let mut parts = text.split('{');
        let first = parts.next().unwrap_or_default();
        let mut literals = vec![first];
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
        let literals = literals.into_iter();
        let literals = literals.map(encode_literal).collect();
        Some(Self { literals, names })
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
