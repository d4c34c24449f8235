//! A small page for people who look at the server with a browser: an error of the gate or of the panel, or the login of the
//! operator.

/// Writes the page. `title` is text; `content` is HTML, in which every text that others wrote must be escaped.
pub fn message_page(title: &str, content: &str) -> String {
    include_str!("../assets/message.html")
        .replace("TITLE", &escape(title))
        // The last one, as it may contain what the client sent.
        .replace("CONTENT", content)
}

/// Escapes a text for HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
