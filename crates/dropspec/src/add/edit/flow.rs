//! Insertions into JSON, and into YAML that is written with brackets.

use anyhow::Context;
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::add::resource::Addition;
use crate::add::style::Style;

/// Where and what to insert into the object or array whose bracket is at `offset`.
pub(super) fn insertion(
    text: &str,
    offset: usize,
    style: &Style,
    additions: &[Addition],
) -> anyhow::Result<(usize, String)> {
    let found = scan(text, offset).context("a bracket is not closed")?;
    let is_json = text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('{');
    let first = text[offset + 1..found.content_end].find(|sign: char| !sign.is_whitespace());
    let lead = first.map(|at| &text[offset + 1..offset + 1 + at]);
    // The white space before the first member says how members begin.
    let begins_lines = lead.is_some_and(|it| it.contains('\n'));
    let is_in_lines = match lead {
        Some(_) => begins_lines,
        None => is_json && text.trim_end().contains('\n'),
    };
    let own = line_indent(text, offset);
    let unit = unit(text);
    let depth = match lead.filter(|_| begins_lines) {
        Some(lead) => lead.rsplit('\n').next().unwrap_or_default().to_owned(),
        None => format!("{own}{unit}"),
    };
    let body = |value: &Value| match (is_json, is_in_lines) {
        (true, true) => pretty(value, &unit, &depth, style.line_end),
        (true, false) => value.to_string(),
        (false, _) => crate::add::yaml::flow(style, value),
    };
    let space = if is_in_lines || !is_json || text.contains("\": ") {
        " "
    } else {
        ""
    };
    let written = additions.iter().map(|addition| match addition {
        Addition::Member { key, value, .. } => {
            let key = Value::String(key.clone());
            format!("{key}:{space}{}", body(value))
        }
        Addition::Item { value, .. } => body(value),
    });
    let written: Vec<String> = written.collect();
    let comma = if lead.is_some() && !found.ends_with_comma {
        ","
    } else {
        ""
    };
    let end = style.line_end;
    let between = if is_in_lines {
        format!("{end}{depth}")
    } else {
        space.to_owned()
    };
    let before = if is_in_lines || lead.is_some() {
        format!("{comma}{between}")
    } else {
        String::new()
    };
    let written = written.join(&format!(",{between}"));
    let after = match (is_in_lines, lead.is_some()) {
        (true, false) => format!("{end}{own}"),
        _ => String::new(),
    };
    let at = if lead.is_some() {
        found.content_end
    } else {
        offset + 1
    };
    Ok((at, format!("{before}{written}{after}")))
}

/// What is between two brackets.
struct Found {
    /// Behind the last sign that is no white space and no comment.
    content_end: usize,
    ends_with_comma: bool,
}

/// Finds the bracket that closes the one at `offset`.
fn scan(text: &str, offset: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = offset;
    let mut content_end = offset + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    let ends_with_comma = bytes[content_end - 1] == b',';
                    return Some(Found {
                        content_end,
                        ends_with_comma,
                    });
                }
            }
            quote @ (b'"' | b'\'') if begins_value(bytes, at) => {
                at = quote_end(bytes, at, quote)?;
            }
            b'#' if bytes[at - 1].is_ascii_whitespace() => {
                while at + 1 < bytes.len() && bytes[at + 1] != b'\n' {
                    at += 1;
                }
                at += 1;
                continue;
            }
            _ => {}
        }
        if !bytes[at].is_ascii_whitespace() {
            content_end = at + 1;
        }
        at += 1;
    }
    None
}

/// Whether a quote begins a text: YAML has apostrophes in plain texts.
fn begins_value(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at]
        .iter()
        .rev()
        .find(|byte| !byte.is_ascii_whitespace());
    before.is_some_and(|byte| b"{[,:".contains(byte))
}

/// The quote that ends a text.
fn quote_end(bytes: &[u8], start: usize, quote: u8) -> Option<usize> {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 1,
            b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The white space that begins the line of an offset.
fn line_indent(text: &str, offset: usize) -> String {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..offset];
    let end = line
        .find(|sign: char| !sign.is_whitespace())
        .unwrap_or(line.len());
    line[..end].trim_start_matches('\u{feff}').to_owned()
}

/// One level of indentation: that of the first member of the document.
fn unit(text: &str) -> String {
    let first = text.lines().skip(1).find(|line| !line.trim().is_empty());
    let line = first.unwrap_or_default();
    let unit = &line[..line.len() - line.trim_start().len()];
    if unit.is_empty() {
        "  ".to_owned()
    } else {
        unit.to_owned()
    }
}

/// A value in lines, the first of which stands behind its key at `depth`.
fn pretty(value: &Value, unit: &str, depth: &str, line_end: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(unit.as_bytes());
    let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
    // A value is always written to memory.
    let _ = value.serialize(&mut serializer);
    let text = String::from_utf8_lossy(&bytes);
    text.replace('\n', &format!("{line_end}{depth}"))
}
