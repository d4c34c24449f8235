//! Doc comments: escapes Markdown that rustdoc would misread, and wraps it to a width.

/// Formats text as inline code of Markdown; the text may contain backticks.
pub(crate) fn code(text: &str) -> String {
    match text {
        "" => "The empty string.".to_owned(),
        text if text.contains('`') => format!("`` {text} ``"),
        text => format!("`{text}`"),
    }
}

/// Escapes what rustdoc would take for a link, HTML or a bare URL.
pub(crate) fn escape(markdown: &str) -> String {
    let mut result = String::new();
    let mut fenced = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            // Without a language rustdoc would take the block for Rust and test it.
            if !fenced && line.trim() == "```" {
                result.push_str(&line.replace("```", "```text"));
            } else {
                result.push_str(line);
            }
            fenced = !fenced;
        } else if fenced {
            result.push_str(line);
        } else {
            escape_line(line, &mut result);
        }
        result.push('\n');
    }
    if fenced {
        result.push_str("```\n");
    }
    result
}

fn escape_line(line: &str, result: &mut String) {
    let mut rest = line;
    let mut in_code = false;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        match c {
            '`' => {
                // A lone backtick opens no code.
                if !in_code && !after.contains('`') {
                    result.push('\\');
                } else {
                    in_code = !in_code;
                }
                result.push(c);
            }
            _ if in_code => result.push(c),
            'h' if rest.starts_with("http://") || rest.starts_with("https://") => {
                let bare = !result.ends_with(['<', '(', '"']);
                let end = rest
                    .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | ')' | '"' | '`'))
                    .unwrap_or(rest.len());
                let url = rest[..end].trim_end_matches(['.', ',', ';', ':']);
                if bare {
                    result.push_str(&format!("<{url}>"));
                } else {
                    result.push_str(url);
                }
                rest = &rest[url.len()..];
                continue;
            }
            '[' if !is_inline_link(rest) => result.push_str("\\["),
            '<' if !(after.starts_with("http://") || after.starts_with("https://")) => {
                result.push_str("\\<");
            }
            c if c.is_control() && c != '\t' => result.push(' '),
            c => result.push(c),
        }
        rest = after;
    }
}

/// Whether the text starts with `[text](http…)`.
fn is_inline_link(rest: &str) -> bool {
    rest.find(']')
        .is_some_and(|end| rest[end + 1..].starts_with("(http"))
}

/// Breaks lines of prose that are longer than `width`. Code, tables and headings keep their lines.
pub(crate) fn wrap(markdown: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut fenced = false;
    for line in markdown.lines().map(str::trim_end) {
        let trimmed = line.trim_start();
        let fence = trimmed.starts_with("```");
        if fence || fenced || trimmed.starts_with(['#', '|']) || line.starts_with("    ") {
            fenced ^= fence;
            lines.push(line.to_owned());
        } else if !trimmed.is_empty() {
            break_line(line, width, &mut lines);
        } else if lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(String::new());
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

fn break_line(line: &str, width: usize, lines: &mut Vec<String>) {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let mut broken = " ".repeat(indent);
    for word in text.split_whitespace() {
        // A line that begins with a marker would be taken for a list. dropshot joins lines: after a hyphen without a
        // space.
        let breaks = broken.chars().count() + 1 + word.chars().count() > width
            && !broken.ends_with('-')
            && list_marker(&format!("{word} x")).is_none()
            && !word.starts_with(['#', '|']);
        if breaks {
            lines.push(broken);
            broken = " ".repeat(indent + list_marker(text).unwrap_or(0));
        } else if broken.len() > indent {
            broken.push(' ');
        }
        broken.push_str(word);
    }
    lines.push(broken);
}

/// The width of the list marker, such as `- ` or `1. `, that a line begins with.
fn list_marker(line: &str) -> Option<usize> {
    if line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ") {
        return Some(2);
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    (digits > 0 && (rest.starts_with(". ") || rest.starts_with(") "))).then_some(digits + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_prose_and_keeps_the_lines_of_lists() {
        let text = "One two three four.\nFive six.\n\n- a list\n- of two items that are long\n";
        assert_eq!(
            wrap(text, 20),
            [
                "One two three four.",
                "Five six.",
                "",
                "- a list",
                "- of two items that",
                "  are long"
            ]
        );
    }

    #[test]
    fn escapes_brackets_html_and_urls_outside_of_code() {
        let mut escaped = String::new();
        escape_line(
            "see [1], <T>, `[0]<T>`, https://a.b/c. [x](https://y)",
            &mut escaped,
        );
        assert_eq!(
            escaped,
            "see \\[1], \\<T>, `[0]<T>`, <https://a.b/c>. [x](https://y)"
        );
    }
}
