//! Templates of paths.

/// The template without the names of its parameters, and the names.
pub(crate) fn split_template(template: &str) -> (String, Vec<String>) {
    let mut shape = String::new();
    let mut names = Vec::new();
    let mut rest = template;
    while let Some((before, (name, behind))) = rest
        .split_once('{')
        .and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        shape.push_str(before);
        shape.push_str("{}");
        names.push(name.to_owned());
        rest = behind;
    }
    (shape + rest, names)
}
