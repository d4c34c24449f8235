//! Bodies of `multipart/form-data` (RFC 7578) as texts.

/// What separates the parts. Texts that contain it are not written.
pub(super) const BOUNDARY: &str = "part";

/// A part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    /// The media type; without one, the part is a plain text.
    pub(super) media_type: Option<String>,
    /// Whether the part is a file, which has a name of its own.
    pub(super) is_file: bool,
    pub(super) text: String,
}

/// Writes the parts. None if a text or a name cannot be a part.
pub(super) fn write_parts(parts: &[Part]) -> Option<String> {
    let mut body = String::new();
    for part in parts {
        let is_plain = |text: &str| !text.contains(char::is_control) && !text.contains(BOUNDARY);
        if !is_plain(&part.text) || !is_plain(&part.name) || part.name.contains('"') {
            return None;
        }
        body.push_str(&format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{}\"",
            part.name
        ));
        if part.is_file {
            body.push_str("; filename=\"file\"");
        }
        if let Some(media_type) = &part.media_type {
            body.push_str(&format!("\r\nContent-Type: {media_type}"));
        }
        body.push_str(&format!("\r\n\r\n{}\r\n", part.text));
    }
    Some(format!("{body}--{BOUNDARY}--\r\n"))
}

/// Reads what [`write_parts`] wrote.
pub(super) fn read_parts(body: &str) -> Option<Vec<Part>> {
    let body = body.strip_suffix(&format!("--{BOUNDARY}--\r\n"))?;
    let begin = format!("--{BOUNDARY}\r\n");
    let parts = body.split(&begin).skip(1);
    let parts = parts.map(|part| {
        let (head, text) = part.split_once("\r\n\r\n")?;
        let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
        let disposition = field("Content-Disposition: form-data; name=\"")?;
        let (name, rest) = disposition.split_once('"')?;
        Some(Part {
            name: name.to_owned(),
            media_type: field("Content-Type: ").map(str::to_owned),
            is_file: rest.contains("filename="),
            text: text.strip_suffix("\r\n")?.to_owned(),
        })
    });
    parts.collect()
}
