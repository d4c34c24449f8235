//! Templates of paths.

/// The template without the names of its parameters, and the names. `{+name}` differs from `{name}`.
pub(crate) fn split_template(template: &str) -> (String, Vec<String>) {
    let mut shape = String::new();
    let mut names = Vec::new();
    let mut rest = template;
    while let Some((before, (name, behind))) = rest
        .split_once('{')
        .and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        shape.push_str(before);
        let reserved = name.strip_prefix('+');
        shape.push_str(reserved.map_or("{}", |_| "{+}"));
        names.push(reserved.unwrap_or(name).to_owned());
        rest = behind;
    }
    (shape + rest, names)
}
