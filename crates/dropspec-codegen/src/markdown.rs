//! Doc comments from the Markdown of a document.

/// Formats text as inline code of Markdown; the text may contain backticks.
pub(crate) fn code(text: &str) -> String {
    match text {
        "" => "The empty string.".to_owned(),
        text if text.contains('`') => format!("`` {text} ``"),
        text => format!("`{text}`"),
    }
}

/// Marks blocks of code without a language as text: rustdoc would take them for Rust, and test them.
pub(crate) fn mark_code(markdown: &str) -> String {
    let mut fenced = false;
    let lines = markdown.lines().map(|line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        match line.trim() {
            "```" if fenced => line.replace("```", "```text"),
            _ => line.to_owned(),
        }
    });
    let mut lines: Vec<String> = lines.collect();
    if fenced {
        lines.push("```".to_owned());
    }
    lines.join("\n")
}
