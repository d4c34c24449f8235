//! Says in plain words what is wrong where the YAML parser stops. The parser knows only which token it did not expect;
//! the lines around tell why.

use crate::node::Position;

/// What is wrong, where, and what to do.
pub(super) struct Explanation {
    pub(super) at: Position,
    pub(super) message: String,
    pub(super) help: String,
}

/// Explains the error `info` of the parser, which it found at `at`. `open` is where the innermost open list or object
/// begins.
pub(super) fn explain(text: &str, info: &str, at: Position, open: Option<Position>) -> Explanation {
    let lines = Lines(text.lines().collect());
    let explained = explain_tab(&lines, info, at)
        .or_else(|| explain_quotes(&lines, info, at))
        .or_else(|| explain_first_character(&lines, info, at))
        .or_else(|| explain_brackets(&lines, info, at, open))
        .or_else(|| explain_colon(&lines, info, at))
        .or_else(|| explain_layout(&lines, info, at));
    explained.unwrap_or_else(|| Explanation {
        at,
        message: format!("this is no YAML: {info}"),
        help: "look at this line and the one above: indentation, quotes, and `: ` behind each key"
            .to_owned(),
    })
}

/// The lines of a text.
struct Lines<'t>(Vec<&'t str>);

impl<'t> Lines<'t> {
    /// A line by its number, from 1; empty behind the end.
    fn get(&self, number: u32) -> &'t str {
        let index = (number as usize).checked_sub(1);
        index
            .and_then(|index| self.0.get(index))
            .copied()
            .unwrap_or_default()
    }

    /// The number of the last line before `number` that is neither empty nor a comment.
    fn before(&self, number: u32) -> Option<u32> {
        let is_content = |line: &u32| {
            let text = self.get(*line).trim_start();
            !text.is_empty() && !text.starts_with('#')
        };
        (1..number).rev().find(is_content)
    }

    /// What is at a position and behind it on its line.
    fn rest(&self, at: Position) -> &'t str {
        let line = self.get(at.line);
        let start = line
            .char_indices()
            .nth(at.column.saturating_sub(1) as usize);
        start.map_or("", |(start, _)| &line[start..])
    }
}

fn explanation(at: Position, message: impl Into<String>, help: impl Into<String>) -> Explanation {
    Explanation {
        at,
        message: message.into(),
        help: help.into(),
    }
}

/// The position of the first character of a line that is not a space.
fn start_of_line(lines: &Lines<'_>, line: u32) -> Position {
    let text = lines.get(line);
    let spaces = text.chars().take_while(|c| *c == ' ').count();
    Position {
        file: 0,
        line,
        column: u32::try_from(spaces + 1).unwrap_or(u32::MAX),
    }
}

/// A tab in the indentation of the line, or of the next one, which continues a text.
fn explain_tab(lines: &Lines<'_>, info: &str, at: Position) -> Option<Explanation> {
    let is_indented_by_tab = |line: &u32| {
        let text = lines.get(*line);
        let content = text.trim_start();
        text[..text.len() - content.len()].contains('\t')
    };
    let line = (at.line..=at.line + 1)
        .take(if info.contains("tab") { 2 } else { 1 })
        .find(is_indented_by_tab)?;
    let help = "YAML allows only spaces there: replace the tab by spaces";
    let at = start_of_line(lines, line);
    Some(explanation(at, "the line is indented by a tab", help))
}

fn explain_quotes(lines: &Lines<'_>, info: &str, at: Position) -> Option<Explanation> {
    let double = lines.rest(at).starts_with('"');
    let inside = if double {
        "`\\\"` is a quote inside the text"
    } else {
        "`''` is a quote inside the text"
    };
    if info.contains("quoted scalar")
        && (info.contains("indentation") || info.contains("unexpected"))
    {
        let help = format!("close it on this line, or indent the lines that continue it; {inside}");
        return Some(explanation(
            at,
            "the quote that opens here is not closed",
            help,
        ));
    }
    if info.contains("trailing content") {
        let help = "put all of the text in quotes; a quote inside it is `\\\"` in double and `''` in single quotes";
        return Some(explanation(
            at,
            "there is more text behind the closing quote",
            help,
        ));
    }
    if info.contains("quoted scalar") && (info.contains("escape") || info.contains("hexadecimal")) {
        let message = "the text in double quotes has a backslash that begins no escape";
        let help = "write `\\\\` for a backslash, or put the text in single quotes";
        return Some(explanation(at, message, help));
    }
    None
}

/// A character that begins no plain text.
fn explain_first_character(lines: &Lines<'_>, info: &str, at: Position) -> Option<Explanation> {
    let rest = lines.rest(at);
    let help = "put the text in quotes";
    if info.starts_with("unexpected character") {
        let first = rest.chars().next()?;
        let message = format!("a text without quotes cannot begin with {first:?}");
        return Some(explanation(at, message, help));
    }
    if info.contains("unknown anchor") {
        let name = rest.split_whitespace().next().unwrap_or(rest);
        let message = format!("`{name}` repeats an anchor that is not there");
        let help = format!("define `{}`, or {help}", name.replacen('*', "&", 1));
        return Some(explanation(at, message, help));
    }
    if info.starts_with("block sequence entries") {
        let message = "a list cannot begin on the line of its key";
        let help = format!("begin it on the next line; if it is a text, {help}");
        return Some(explanation(at, message, help));
    }
    None
}

fn explain_brackets(
    lines: &Lines<'_>,
    info: &str,
    at: Position,
    open: Option<Position>,
) -> Option<Explanation> {
    if info.contains("misplaced bracket") {
        let help = "remove it, or open it before; in a text, put the text in quotes";
        return Some(explanation(at, "the closing bracket closes nothing", help));
    }
    let open = open.filter(|open| lines.rest(*open).starts_with(['{', '[']))?;
    let (opening, closing, parts) = if lines.rest(open).starts_with('{') {
        ("{", "}", "members")
    } else {
        ("[", "]", "items")
    };
    let message = format!(
        "the `{opening}` of line {}, column {} is not closed before this place, or a comma is missing",
        open.line, open.column
    );
    let help = format!("write `{closing}` behind its last part, and `,` between its {parts}");
    Some(explanation(at, message, help))
}

/// A colon too many, or a missing one.
fn explain_colon(lines: &Lines<'_>, info: &str, at: Position) -> Option<Explanation> {
    let is_second = info.starts_with("mapping values are not allowed");
    if !is_second && !info.contains("simple key expect") {
        return None;
    }
    let line = lines.get(at.line);
    let before: String = line
        .chars()
        .take(at.column.saturating_sub(1) as usize)
        .collect();
    if is_second && before.contains(": ") {
        let (key, value) = line.trim_start().split_once(": ")?;
        let key = key.trim_start_matches("- ");
        let help = format!("put the value in quotes: `{key}: {:?}`", value.trim_end());
        return Some(explanation(at, "the line has a second `: `", help));
    }
    let above = lines.before(at.line)?;
    let text = lines.get(above).trim();
    let start = start_of_line(lines, above);
    let content = text.trim_start_matches("- ");
    if !content.contains(": ") && !content.ends_with(':') {
        let help = match content.split_once([':', ' ']) {
            Some((key, value)) => format!("write `{key}: {}`", value.trim_start()),
            None => format!("write `{content}:`, with its value"),
        };
        let message = format!("`{content}` is no key with a value: it has no `: `");
        return Some(explanation(start, message, help));
    }
    let message = "the line is indented deeper than the one above, which has a value already";
    let help = "indent the keys of one object by the same number of spaces";
    is_second.then(|| explanation(start_of_line(lines, at.line), message, help))
}

/// Indentation, and where texts and items begin.
fn explain_layout(lines: &Lines<'_>, info: &str, at: Position) -> Option<Explanation> {
    let line = start_of_line(lines, at.line);
    if info.contains("did not find expected key") {
        let message = "the indentation of this line fits no line above";
        let help =
            "indent the keys of one object, and the `-` of one list, by the same number of spaces";
        return Some(explanation(line, message, help));
    }
    if info.contains("expected '-' indicator") {
        let message = "this line is no item of the list above";
        let help = "begin it with `- `, or indent it like the key to which it belongs";
        return Some(explanation(line, message, help));
    }
    if info.contains("block scalar") && info.contains("line break") {
        let message = "there is text on the line of `|` or `>`";
        let help = "begin the text on the next line, indented";
        return Some(explanation(at, message, help));
    }
    None
}
