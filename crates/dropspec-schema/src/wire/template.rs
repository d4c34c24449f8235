//! Path templates, and the values that stand in them.

/// What a parameter begins with whose value may have several segments.
const RESERVED: char = '+';

/// Whether a path template has a parameter as `{+name}`: its value may have several segments (RFC 6570, section 3.2.3).
pub(crate) fn is_reserved(template: &str, name: &str) -> bool {
    expressions(template).any(|it| it.strip_prefix(RESERVED) == Some(name))
}

/// The names of the parameters of a path template, in its order.
pub fn template_parameters(template: &str) -> impl Iterator<Item = &str> {
    expressions(template).map(|it| it.strip_prefix(RESERVED).unwrap_or(it))
}

/// What stands between the braces of a path template.
fn expressions(template: &str) -> impl Iterator<Item = &str> {
    let mut rest = template;
    std::iter::from_fn(move || {
        let (_, found, after) = split_parameter(rest)?;
        rest = after;
        Some(found)
    })
}

/// Replaces each `{name}` and `{+name}` of a path template by its value, which is encoded.
///
/// # Errors
///
/// A parameter has no value, or one that no path can show.
pub fn fill_template(template: &str, values: &[(&str, String)]) -> Result<String, String> {
    let mut path = String::new();
    for (index, segment) in template.split('/').enumerate() {
        if index > 0 {
            path.push('/');
        }
        let start = path.len();
        let (mut last, mut empty) = (None, None);
        let mut rest = segment;
        while let Some((before, name, after)) = split_parameter(rest) {
            path.push_str(before);
            let name = name.strip_prefix(RESERVED).unwrap_or(name);
            let value = values.iter().find(|(known, _)| *known == name);
            let (_, value) =
                value.ok_or_else(|| format!("the path parameter `{name}` has no value"))?;
            path.push_str(value);
            empty = empty.or(value.is_empty().then_some(name));
            last = Some(name);
            rest = after;
        }
        path.push_str(rest);
        if let Some(name) = last
            && let Some(dropped) = path[start..].split('/').find(|it| is_dropped(it))
        {
            return Err(format!(
                "the path parameter `{name}` makes the segment {dropped:?}, which a URL cannot contain"
            ));
        }
        if let Some(name) = empty {
            // Beside other text of its segment, no server finds where it was.
            return Err(format!(
                "the path parameter `{name}` is empty, which no path can show"
            ));
        }
    }
    Ok(path)
}

/// The text before the first `{name}`, the name, and what follows.
fn split_parameter(segment: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = segment.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

/// Whether a segment is empty, or one that URLs resolve (RFC 3986, section 5.2.4).
pub fn is_dropped(segment: &str) -> bool {
    matches!(segment, "" | "." | "..")
}
