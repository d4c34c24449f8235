//! Checks the entries `[[severity]]`: each names a rule, and can apply to something.

use spec_model::{Severity, did_you_mean};

/// Checks that each entry can apply.
///
/// # Errors
/// One cannot; the error has its index, and what is wrong with it.
pub(super) fn check(entries: &[Severity]) -> Result<(), (usize, String)> {
    for (index, entry) in entries.iter().enumerate() {
        let wrong = check_rule(entry).or_else(|| check_path(entry));
        if let Some(message) = wrong {
            return Err((index, message));
        }
    }
    Ok(())
}

fn check_rule(entry: &Severity) -> Option<String> {
    let pattern = entry.rule.as_ref()?;
    let known = || {
        let of_diff = spec_diff::rules::all().iter().map(|rule| &*rule.id);
        of_diff.chain(spec_lint::RULES.iter().map(|rule| rule.id))
    };
    let mut named = known().filter(|id| entry.names(id)).peekable();
    if named.peek().is_none() {
        return Some(format!(
            "no rule has the id `{pattern}`: {}docs/rules.md lists those of `diff`, `lint --rules` those of `lint`",
            did_you_mean(pattern, known())
        ));
    }
    let is_of_operations = |id: &str| {
        let mut of_lint = spec_lint::RULES.iter();
        spec_diff::rules::find(id).is_none_or(|id| !id.rule().whole_document)
            && !of_lint.any(|rule| rule.id == id && rule.whole_document)
    };
    let filters = [
        entry.path.as_ref().map(|_| "path"),
        entry.tag.as_ref().map(|_| "tag"),
        entry.stability.as_ref().map(|_| "stability"),
    ];
    let filters: Vec<&str> = filters.into_iter().flatten().collect();
    if filters.is_empty() || named.any(is_of_operations) {
        return None;
    }
    Some(format!(
        "`{pattern}` is about the whole document and at no operation, so this entry never applies: remove `{}`",
        filters.join("` and `")
    ))
}

fn check_path(entry: &Severity) -> Option<String> {
    let pattern = entry.path.as_ref()?;
    if pattern.starts_with(['/', '*', '?']) {
        return None;
    }
    Some(format!(
        "no path matches `{pattern}`, so this entry never applies: paths begin with `/`, write `/{pattern}`"
    ))
}
