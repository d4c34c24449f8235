//! Writes the names of a finding into the advice of its rule.

/// Replaces the parts of a message in the advice of its rule.
pub(crate) fn fill_in(advice: &str, message: &str) -> String {
    // Colons and arrows inside backticks are parts of names.
    let prose = message.split('`').step_by(2);
    let find = |separator: &str| {
        let part = prose.clone().position(|prose| prose.contains(separator))?;
        let before = message.split('`').take(2 * part).map(|it| it.len() + 1);
        let start: usize = before.sum();
        Some(start + message[start..].find(separator)?)
    };
    let (at, what) = find(": ").map_or(("", message), |end| (&message[..end], &message[end + 2..]));
    let start = message.len() - what.len();
    let ends = [" → ", " became ", " was "].map(find).into_iter().flatten();
    let end = ends.filter(|end| *end > start).min();
    let before = end.map_or(what, |end| &message[start..end]);
    let before = match before.strip_suffix(" none") {
        Some(keyword) => format!("no {keyword}"),
        None => before.to_owned(),
    };
    // A message about the whole operation names no place.
    let advice = match at {
        "" => advice.replace(" in {at}", ""),
        _ => advice.to_owned(),
    };
    let mut filled = advice.replace("{at}", at).replace("{before}", &before);
    for (name, place) in what.split('`').skip(1).step_by(2).zip(["{1}", "{2}"]) {
        filled = filled.replace(place, name);
    }
    filled
}
