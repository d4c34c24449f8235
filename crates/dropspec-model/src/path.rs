//! Path templates such as `/pets/{petId}` and their segments.

use std::collections::HashSet;

/// A parsed path of the document with its parameters, such as `/pets/{id}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PathTemplate {
    /// As written, beginning with `/`.
    pub raw: String,
    /// The parts between the slashes. `/` has none; a trailing slash adds an empty segment.
    pub segments: Vec<PathSegment>,
}

/// A part of a path between two slashes: texts and parameters, such as `{name}.json`. Without any, it is empty.
pub type PathSegment = Vec<PathPart>;

/// A part of a path segment: a literal text or a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathPart {
    /// Text.
    Literal(String),
    /// A parameter's name.
    Parameter(String),
    /// The name of a parameter whose value may have several segments: `{+name}` (RFC 6570, section 3.2.3).
    Reserved(String),
}

impl PathTemplate {
    /// Parses a path template such as `/pets/{id}`.
    ///
    /// # Errors
    /// A message that says why `raw` is not a path template.
    pub fn parse(raw: &str) -> Result<PathTemplate, String> {
        let Some(relative) = raw.strip_prefix('/') else {
            return Err(format!("the path `{raw}` does not begin with `/`"));
        };
        let mut expressions = raw.split('{').skip(1).filter_map(|it| it.split_once('}'));
        if let Some((name, help)) = expressions.find_map(|(it, _)| help_for_other_operator(it)) {
            return Err(format!(
                "the path `{raw}` has an operator of RFC 6570 other than `{{+{name}}}`; {}",
                help.replace("NAME", name)
            ));
        }
        let mut segments = Vec::new();
        if !relative.is_empty() {
            for text in relative.split('/') {
                segments
                    .push(parse_segment(text).map_err(|why| format!("the path `{raw}` {why}"))?);
            }
        }
        let template = PathTemplate {
            raw: raw.to_owned(),
            segments,
        };
        let count = |segment: &PathSegment, is_counted: fn(&PathPart) -> bool| {
            segment.iter().filter(|part| is_counted(part)).count()
        };
        let spans = |segment: &&PathSegment| count(segment, PathPart::is_reserved) > 0;
        let mut spanning = template.segments.iter().filter(spans);
        let is_beside = |segment: &PathSegment| count(segment, |part| part.name().is_some()) > 1;
        if spanning.next().is_some_and(is_beside) || spanning.next().is_some() {
            return Err(format!(
                "the path `{raw}` does not show where a `{{+name}}` ends; let it be the only one of the path, and the only \
                 parameter of its segment"
            ));
        }
        let mut names = HashSet::new();
        if let Some(name) = template.parameters().find(|name| !names.insert(*name)) {
            return Err(format!("the path `{raw}` contains `{{{name}}}` twice"));
        }
        Ok(template)
    }

    /// The names of the parameters, from left to right.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().flatten().filter_map(PathPart::name)
    }

    /// The template with its parameter names removed. Two paths with the same shape match the same requests.
    pub fn shape(&self) -> String {
        let mut shape = self.raw.clone();
        for name in self.parameters() {
            shape = shape
                .replace(&format!("{{{name}}}"), "{}")
                .replace(&format!("{{+{name}}}"), "{+}");
        }
        shape
    }
}

impl PathPart {
    /// The name of a parameter.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Literal(_) => None,
            Self::Parameter(name) | Self::Reserved(name) => Some(name),
        }
    }

    fn is_reserved(&self) -> bool {
        matches!(self, Self::Reserved(_))
    }
}

impl std::fmt::Display for PathTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.raw)
    }
}

fn parse_segment(text: &str) -> Result<PathSegment, &'static str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(['{', '}']).unwrap_or(rest.len());
        if end > 0 {
            parts.push(PathPart::Literal(rest[..end].to_owned()));
            rest = &rest[end..];
            continue;
        }
        let Some(inner) = rest.strip_prefix('{') else {
            return Err("has a `}` without a `{`");
        };
        let Some((name, after)) = inner.split_once('}') else {
            return Err("has a `{` without a `}`");
        };
        let reserved = name.strip_prefix('+');
        if reserved.unwrap_or(name).is_empty() || name.contains('{') {
            return Err("has a parameter without a name");
        }
        parts.push(match reserved {
            Some(name) => PathPart::Reserved(name.to_owned()),
            None => PathPart::Parameter(name.to_owned()),
        });
        rest = after;
    }
    Ok(parts)
}

/// The name in an expression of RFC 6570 that OpenAPI writes otherwise, and what to do about it.
fn help_for_other_operator(expression: &str) -> Option<(&str, &'static str)> {
    let name = expression.trim_matches(['/', '?', '&', ';', '.', '#', '*']);
    if let Some(name) = name.strip_suffix('+').filter(|it| !it.is_empty()) {
        return Some((name, "write `{+NAME}` for several segments"));
    }
    if let Some((name, _)) = name.split_once('=') {
        return Some((
            name,
            "write `{NAME}`, and declare the `pattern` of `NAME`, or write `{+NAME}` for several segments",
        ));
    }
    let help = match (expression.chars().next()?, expression.ends_with('*')) {
        ('/', _) => "write `/{NAME}`",
        ('?' | '&', _) => "remove it, and declare `NAME` with `in: query`",
        (';', _) => "write `{NAME}`, and declare `NAME` with `style: matrix`",
        ('.', _) => "write `{NAME}`, and declare `NAME` with `style: label`",
        ('#', _) => "remove it; a client keeps a fragment to itself",
        (_, true) => {
            "write `{NAME}`, and declare `NAME` with `explode: true`, or write `{+NAME}` for several segments"
        }
        _ => return None,
    };
    Some((name, help))
}
