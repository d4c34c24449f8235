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
            rest.is_some_and(|rest| find_values(&segment.literals[1..], rest, &mut values))
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

/// Finds the value of a parameter before each literal. A value has at least one character and is as short as possible.
fn find_values<'p>(literals: &[String], text: &'p str, values: &mut Vec<&'p str>) -> bool {
    let Some((literal, rest)) = literals.split_first() else {
        return text.is_empty();
    };
    let ends = text.char_indices().skip(1).map(|(end, _)| end);
    let ends = ends.chain([text.len()]).filter(|end| *end > 0);
    // The last literal is at the end only.
    let ends: Vec<usize> = match rest.is_empty() {
        true => text.len().checked_sub(literal.len()).into_iter().collect(),
        false => ends.collect(),
    };
    for end in ends {
        let Some((value, after)) = text.split_at_checked(end) else {
            continue;
        };
        let Some(after) = after.strip_prefix(literal.as_str()) else {
            continue;
        };
        if value.is_empty() {
            continue;
        }
        let count = values.len();
        values.push(value);
        if find_values(rest, after, values) {
            return true;
        }
        values.truncate(count);
    }
    false
}
