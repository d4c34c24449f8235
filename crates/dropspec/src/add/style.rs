//! How the text of a document is written: indentation, quotes, and what is in one line.

/// The style of a YAML or JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Style {
    /// What ends a line.
    pub(super) line_end: &'static str,
    /// The spaces of one level.
    pub(super) indent: usize,
    /// Whether the items of an array are one level deeper than its key.
    pub(super) indents_items: bool,
    /// The quote of texts that need one.
    pub(super) quote: char,
    /// How the keys of statuses are quoted.
    pub(super) status_quote: Option<char>,
    /// Whether an object with a `$ref` is in one line with its key.
    pub(super) has_references_in_line: bool,
    /// Whether an array of plain values is in one line with its key.
    pub(super) has_arrays_in_line: bool,
    /// Whether braces have spaces inside.
    pub(super) has_spaced_braces: bool,
}

impl Style {
    /// Reads the style of a text.
    pub(super) fn of(text: &str) -> Style {
        let lines = || text.lines().map(str::trim_end);
        let count = |is_so: &dyn Fn(&str) -> bool| lines().filter(|line| is_so(line)).count();
        let quoted = |quote: char| {
            let mark = format!("$ref: {quote}");
            text.matches(&mark).count()
        };
        let all_quotes = |quote: char| text.matches(&format!(": {quote}")).count();
        let is_single = match (quoted('\''), quoted('"')) {
            (0, 0) => all_quotes('\'') > all_quotes('"'),
            (single, double) => single > double,
        };
        let in_line = text.matches("{ $ref").count() + text.matches("{$ref").count();
        let behind_key = |line: &str| line.trim_start().starts_with("$ref:");
        let arrays = ["tags:", "required:"];
        let starts = |line: &str, end: &str| {
            let line = line.trim_start();
            arrays.iter().any(|key| {
                line.strip_prefix(key)
                    .is_some_and(|rest| rest.trim_start().starts_with(end))
            })
        };
        let is_block = |line: &str| arrays.contains(&line.trim_start());
        Style {
            line_end: if text.contains("\r\n") { "\r\n" } else { "\n" },
            indent: indent_of(text),
            indents_items: indents_items(text),
            quote: if is_single { '\'' } else { '"' },
            status_quote: status_quote(text),
            has_references_in_line: in_line > count(&behind_key),
            has_arrays_in_line: count(&|line| starts(line, "[")) > count(&is_block),
            has_spaced_braces: has_spaced_braces(text),
        }
    }
}

/// Whether most braces of objects have a space inside. Those of paths have none, and belong to no object.
fn has_spaced_braces(text: &str) -> bool {
    let mut spaced = 0_i64;
    for (at, _) in text.match_indices(": {").chain(text.match_indices("- {")) {
        spaced += match text[at + 3..].chars().next() {
            Some(' ') => 1,
            Some('}' | '\n') | None => 0,
            Some(_) => -1,
        };
    }
    spaced > 0
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The indentation of the first line that has one; JSON and YAML begin with an object.
fn indent_of(text: &str) -> usize {
    let lines = text.lines().filter(|line| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with(['#', '-'])
    });
    let depths = lines.map(depth).filter(|depth| *depth > 0);
    // The first indented line can be in a text; the paths are not.
    let after_paths = text.split_once("\npaths:").map(|(_, rest)| rest);
    let in_paths = after_paths.and_then(|rest| {
        let mut lines = rest.lines().skip(1);
        lines
            .find(|line| line.trim_start().starts_with(['/', '"', '\'']))
            .map(depth)
    });
    in_paths
        .filter(|it| *it > 0)
        .or_else(|| depths.min())
        .unwrap_or(2)
}

/// Whether most arrays are deeper than their keys.
fn indents_items(text: &str) -> bool {
    let mut deeper = 0_i64;
    let mut previous: Option<&str> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(key) = previous.filter(|it| it.trim_end().ends_with(':'))
            && line.trim_start().starts_with("- ")
            && !key.trim_start().starts_with('-')
        {
            deeper += if depth(line) > depth(key) { 1 } else { -1 };
        }
        previous = Some(line);
    }
    deeper >= 0
}

/// The quote of the first status.
fn status_quote(text: &str) -> Option<char> {
    let statuses = ["200", "201", "204", "400", "404", "500"];
    text.lines().find_map(|line| {
        let key = line.trim().split_once(':')?.0;
        let bare = key.trim_matches(['"', '\'']);
        statuses
            .contains(&bare)
            .then(|| key.chars().next().filter(|sign| !sign.is_ascii_digit()))
    })?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_is_read_from_the_text() {
        let text = "openapi: 3.0.3\npaths:\n    /a:\n        get:\n            tags:\n            - A\n            responses:\n                '200':\n                    $ref: '#/b'\n";
        let style = Style::of(text);
        assert_eq!(
            (style.indent, style.indents_items, style.quote),
            (4, false, '\'')
        );
        assert_eq!(style.status_quote, Some('\''));
        assert!(!style.has_references_in_line && !style.has_arrays_in_line);
        let text = "paths:\r\n  /a:\r\n    get:\r\n      tags: [A]\r\n      parameters:\r\n        - $ref: \"#/b\"\r\n      responses:\r\n        200: { $ref: \"#/a\" }\r\n        201: { $ref: \"#/a\" }\r\n";
        let style = Style::of(text);
        assert_eq!(
            (style.line_end, style.indent, style.quote),
            ("\r\n", 2, '"')
        );
        assert_eq!(style.status_quote, None);
        assert!(style.indents_items && style.has_references_in_line);
        assert!(style.has_arrays_in_line && style.has_spaced_braces);
    }
}
