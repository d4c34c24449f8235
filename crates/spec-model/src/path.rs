//! Path templates such as `/pets/{petId}` and their segments.

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
        let names: Vec<&str> = template.parameters().collect();
        for (index, name) in names.iter().enumerate() {
            if names[..index].contains(name) {
                return Err(format!("the path `{raw}` contains `{{{name}}}` twice"));
            }
        }
        Ok(template)
    }

    /// The names of the parameters, from left to right.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        let parts = self.segments.iter().flatten();
        parts.filter_map(|part| match part {
            PathPart::Literal(_) => None,
            PathPart::Parameter(name) => Some(name.as_str()),
        })
    }

    /// The template with its parameter names removed. Two paths with the same shape match the same requests.
    pub fn shape(&self) -> String {
        let mut shape = self.raw.clone();
        for name in self.parameters() {
            shape = shape.replace(&format!("{{{name}}}"), "{}");
        }
        shape
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
        if name.is_empty() || name.contains('{') {
            return Err("has a parameter without a name");
        }
        parts.push(PathPart::Parameter(name.to_owned()));
        rest = after;
    }
    Ok(parts)
}
