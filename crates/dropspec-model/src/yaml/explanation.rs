//! Says in plain words what is wrong where the YAML parser stops. The parser knows only which token it did not expect;
//! the lines around tell why.

use crate::node::Position;

/// What is wrong, where, and what to do.
pub(super) struct Explanation {
    pub(super) at: Position,
    pub(super) message: String,
    pub(super) help: String,
}

impl Explanation {
    fn new(at: Position, message: impl Into<String>, help: impl Into<String>) -> Explanation {
        Explanation {
            at,
            message: message.into(),
            help: help.into(),
        }
    }
}

/// What is wrong where the parser says this, in its words; with the help.
const SAID: [(&[&str], &str, &str); 4] = [
    (
        &["trailing content"],
        "there is more text behind the closing quote",
        "put all of the text in quotes; a quote inside it is `\\\"` in double and `''` in single quotes",
    ),
    (
        &["quoted scalar", "escape"],
        "the text in double quotes has a backslash that begins no escape",
        "write `\\\\` for a backslash, or put the text in single quotes",
    ),
    (
        &["block sequence entries"],
        "a list cannot begin on the line of its key",
        "begin it on the next line; if it is a text, put the text in quotes",
    ),
    (
        &["misplaced bracket"],
        "the closing bracket closes nothing",
        "remove it, or open it before; in a text, put the text in quotes",
    ),
];
/// The same of the beginning of a line.
const SAID_OF_LINE: [(&str, &str, &str); 2] = [
    (
        "did not find expected key",
        "the indentation of this line fits no line above",
        "indent the keys of one object, and the `-` of one list, by the same number of spaces",
    ),
    (
        "expected '-' indicator",
        "this line is no item of the list above",
        "begin it with `- `, or indent it like the key to which it belongs",
    ),
];

/// Explains the error `info` of the parser, which it found at `at`. `open` is where the innermost open list or object
/// begins.
pub(super) fn explain(text: &str, info: &str, at: Position, open: Option<Position>) -> Explanation {
    let lines = Lines(text.lines().collect());
    let explained = explain_tab(&lines, info, at)
        .or_else(|| explain_text(&lines, info, at))
        .or_else(|| {
            let mut said = SAID.iter();
            let found = said.find(|(words, ..)| words.iter().all(|word| info.contains(word)));
            found.map(|(_, message, help)| Explanation::new(at, *message, *help))
        })
        .or_else(|| explain_brackets(&lines, at, open))
        .or_else(|| explain_colon(&lines, info, at));
    explained.unwrap_or_else(|| {
        let mut said = SAID_OF_LINE.iter();
        if let Some((_, message, help)) = said.find(|(words, ..)| info.contains(words)) {
            return Explanation::new(lines.start(at.line), *message, *help);
        }
        if info.contains("block scalar") && info.contains("line break") {
            let message = "there is text on the line of `|` or `>`";
            return Explanation::new(at, message, "begin the text on the next line, indented");
        }
        let message = format!("this is no YAML: {info}");
        let help =
            "look at this line and the one above: indentation, quotes, and `: ` behind each key";
        Explanation::new(at, message, help)
    })
}

/// The lines of a text.
struct Lines<'t>(Vec<&'t str>);

impl<'t> Lines<'t> {
    /// A line by its number, from 1; empty behind the end.
    fn get(&self, number: u32) -> &'t str {
        let index = (number as usize).checked_sub(1);
        let line = index.and_then(|index| self.0.get(index));
        line.copied().unwrap_or_default()
    }

    /// The number of the last line before `number` that is neither empty nor a comment.
    fn before(&self, number: u32) -> Option<u32> {
        let is_content = |line: &u32| {
            let text = self.get(*line).trim_start();
            !text.is_empty() && !text.starts_with('#')
        };
        (1..number).rev().find(is_content)
    }

    /// What is before a position on its line, and what is at it and behind it.
    fn split(&self, at: Position) -> (&'t str, &'t str) {
        let line = self.get(at.line);
        let mut starts = line.char_indices();
        let start = starts.nth(at.column.saturating_sub(1) as usize);
        line.split_at(start.map_or(line.len(), |(start, _)| start))
    }

    /// The position of the first character of a line that is not a space.
    fn start(&self, line: u32) -> Position {
        let text = self.get(line);
        let spaces = text.chars().take_while(|c| *c == ' ').count();
        Position {
            file: 0,
            line,
            column: u32::try_from(spaces + 1).unwrap_or(u32::MAX),
        }
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
    let message = "the line is indented by a tab";
    Some(Explanation::new(lines.start(line), message, help))
}

/// A quote that is not closed, or a character that begins no plain text.
fn explain_text(lines: &Lines<'_>, info: &str, at: Position) -> Option<Explanation> {
    let (_, rest) = lines.split(at);
    let is_open = info.contains("indentation") || info.contains("unexpected");
    if info.contains("quoted scalar") && is_open {
        let quote = if rest.starts_with('"') { "\\\"" } else { "''" };
        let help = format!(
            "close it on this line, or indent the lines that continue it; `{quote}` is a quote inside the text"
        );
        let message = "the quote that opens here is not closed";
        return Some(Explanation::new(at, message, help));
    }
    if info.starts_with("unexpected character") {
        let first = rest.chars().next()?;
        let message = format!("a text without quotes cannot begin with {first:?}");
        return Some(Explanation::new(at, message, "put the text in quotes"));
    }
    let name = rest.split_whitespace().next().unwrap_or(rest);
    info.contains("unknown anchor").then(|| {
        let message = format!("`{name}` repeats an anchor that is not there");
        let anchor = name.replacen('*', "&", 1);
        let help = format!("define `{anchor}`, or put the text in quotes");
        Explanation::new(at, message, help)
    })
}

fn explain_brackets(
    lines: &Lines<'_>,
    at: Position,
    open: Option<Position>,
) -> Option<Explanation> {
    let open = open?;
    let (_, rest) = lines.split(open);
    let (opening, closing, parts) = match rest.chars().next()? {
        '{' => ("{", "}", "members"),
        '[' => ("[", "]", "items"),
        _ => return None,
    };
    let Position { line, column, .. } = open;
    let message = format!(
        "the `{opening}` of line {line}, column {column} is not closed before this place, or a comma is missing"
    );
    let help = format!("write `{closing}` behind its last part, and `,` between its {parts}");
    Some(Explanation::new(at, message, help))
}

/// A colon too many, or a missing one.
fn explain_colon(lines: &Lines<'_>, info: &str, at: Position) -> Option<Explanation> {
    let is_second = info.starts_with("mapping values are not allowed");
    if !is_second && !info.contains("simple key expect") {
        return None;
    }
    let (before, _) = lines.split(at);
    if is_second && before.contains(": ") {
        let (key, value) = lines.get(at.line).trim_start().split_once(": ")?;
        let key = key.trim_start_matches("- ");
        let help = format!("put the value in quotes: `{key}: {:?}`", value.trim_end());
        return Some(Explanation::new(at, "the line has a second `: `", help));
    }
    let above = lines.before(at.line)?;
    let content = lines.get(above).trim().trim_start_matches("- ");
    if !content.contains(": ") && !content.ends_with(':') {
        let help = match content.split_once([':', ' ']) {
            Some((key, value)) => format!("write `{key}: {}`", value.trim_start()),
            None => format!("write `{content}:`, with its value"),
        };
        let message = format!("`{content}` is no key with a value: it has no `: `");
        return Some(Explanation::new(lines.start(above), message, help));
    }
    let message = "the line is indented deeper than the one above, which has a value already";
    let help = "indent the keys of one object by the same number of spaces";
    is_second.then(|| Explanation::new(lines.start(at.line), message, help))
}
