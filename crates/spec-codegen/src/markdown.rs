//! Doc comments: escapes Markdown that rustdoc would misread.

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

#[cfg(test)]
mod tests {
    use super::*;

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
