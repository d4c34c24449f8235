//! Bodies of the media type `multipart/form-data` (RFC 7578): how the document writes a property as a part, and bodies of parts
//! that are in memory as bytes. Who streams files uses [`PartLayout`] alone.

use serde_json::Value;

use crate::media_type::{covers, essence};
use crate::wire::declared::{beside_null, is_list};
use crate::wire::encode::plain;
use crate::wire::shape::Shape;
use crate::{BodyKind, resolve};

/// How a property of a multipart body is written: as the media type of its `encoding` says, or else as OpenAPI 3.0.3 defines
/// the default of `contentType`.
#[derive(Clone, Debug)]
pub struct PartLayout {
    /// How the content is written.
    pub kind: PartKind,
    /// Whether the property is an array, of which each part is an item.
    pub repeated: bool,
    /// The media types and ranges that `encoding` declares, without their parameters.
    pub media_types: Vec<String>,
    /// What values of a part are by their types.
    pub shape: Shape,
}

/// How the content of a part is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// As the text of a scalar.
    Text,
    /// As JSON.
    Json,
    /// As bytes.
    File,
}

/// A part in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name of the property.
    pub name: String,
    /// The media type; without one the part is a plain text.
    pub media_type: Option<String>,
    /// The name of a file.
    pub file_name: Option<String>,
    /// The content.
    pub content: Vec<u8>,
}

impl PartLayout {
    /// The layout of a property, by its schema and by what the media type object says of it in `encoding`.
    pub fn of_property(document: &Value, property: &Value, encoding: Option<&Value>) -> Self {
        let declared = encoding.and_then(|it| it.get("contentType")?.as_str());
        let media_types = declared.into_iter().flat_map(|it| it.split(','));
        let media_types: Vec<String> = media_types.map(essence).collect();
        let declared = media_types.first().map(|it| BodyKind::of(it));
        let (list, _) = beside_null(document, property);
        let repeated = is_list(list) && declared != Some(BodyKind::Json);
        let item = if repeated {
            list.get("items").unwrap_or(&Value::Null)
        } else {
            property
        };
        let shape = Shape::of_schema(document, item);
        let kind = match declared {
            _ if is_binary(document, item) => PartKind::File,
            Some(BodyKind::Json) => PartKind::Json,
            Some(BodyKind::Bytes | BodyKind::Multipart) => PartKind::File,
            Some(BodyKind::Text | BodyKind::Form) => PartKind::Text,
            None if shape.is_scalar() => PartKind::Text,
            None => PartKind::Json,
        };
        PartLayout {
            kind,
            repeated,
            media_types,
            shape,
        }
    }

    /// Whether a part may have this media type. Without declared ones it may have any.
    pub fn accepts(&self, media_type: &str) -> bool {
        let found = essence(media_type);
        let is_accepted = |range: &String| covers(range, &found);
        self.media_types.is_empty() || self.media_types.iter().any(is_accepted)
    }

    /// The media type that a part without one of its own is sent with: the first that is declared, unless it is a range.
    pub fn media_type(&self) -> Option<&str> {
        let declared = self.media_types.first().filter(|it| !it.contains('*'));
        match (declared, self.kind) {
            (Some(declared), _) => Some(declared),
            (None, PartKind::Json) => Some("application/json"),
            (None, PartKind::File) => Some("application/octet-stream"),
            (None, PartKind::Text) => None,
        }
    }

    /// Writes a value as parts: one for each item of an array that is repeated. A file has the name `file`.
    pub fn write(&self, name: &str, value: &Value) -> Vec<Part> {
        let items = match value {
            Value::Array(items) if self.repeated => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let parts = items.iter().map(|item| {
            let text = match self.kind {
                PartKind::Json => item.to_string(),
                PartKind::Text | PartKind::File => plain(item),
            };
            Part {
                name: name.to_owned(),
                media_type: self.media_type().map(str::to_owned),
                file_name: (self.kind == PartKind::File).then(|| "file".to_owned()),
                content: text.into_bytes(),
            }
        });
        parts.collect()
    }
}

/// Whether a part is a file by its schema, or by one of the schemas that it consists of.
fn is_binary(document: &Value, schema: &Value) -> bool {
    let format = |it| resolve(document, it).and_then(|it| it.get("format")?.as_str());
    let combined = ["allOf", "anyOf", "oneOf"].into_iter();
    let resolved = resolve(document, schema).unwrap_or(schema);
    let members = combined.filter_map(|keyword| resolved.get(keyword)?.as_array());
    let mut schemas = members.flatten().chain([resolved]);
    schemas.any(|it| format(it) == Some("binary"))
}

/// A boundary that no content has: `part`, or with a number.
pub fn find_boundary(parts: &[Part]) -> String {
    let is_free = |boundary: &String| {
        let has = |part: &Part| {
            let mut windows = part.content.windows(boundary.len());
            windows.any(|window| window == boundary.as_bytes())
        };
        !parts.iter().any(has)
    };
    let numbered = (1_u64..).map(|number| format!("part{number}"));
    let mut boundaries = std::iter::once("part".to_owned()).chain(numbered);
    boundaries.find(is_free).unwrap_or_default()
}

/// The bytes of a body of these parts. A line end or a quote in a name is escaped as browsers do.
pub fn encode_parts(boundary: &str, parts: &[Part]) -> Vec<u8> {
    let mut body = Vec::new();
    for part in parts {
        let name = escape_name(&part.name);
        let mut head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"");
        if let Some(file) = &part.file_name {
            head.push_str(&format!("; filename=\"{}\"", escape_name(file)));
        }
        if let Some(media_type) = &part.media_type {
            head.push_str(&format!("\r\nContent-Type: {media_type}"));
        }
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(b"\r\n\r\n");
        body.extend_from_slice(&part.content);
        body.extend_from_slice(b"\r\n");
    }
    // Of no parts, too, this is a multipart body (RFC 2046, section 5.1.1).
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    body
}

/// Reads what [`encode_parts`] wrote, or another client; `None` if it is no such body.
pub fn decode_parts(boundary: &str, body: &[u8]) -> Option<Vec<Part>> {
    let delimiter = format!("--{boundary}");
    let mut rest = body.strip_prefix(delimiter.as_bytes())?;
    let mut parts = Vec::new();
    while rest.starts_with(b"\r\n") {
        let (head, content, after) = split_part(rest, delimiter.as_bytes(), 0)?;
        rest = after;
        let head = std::str::from_utf8(head).ok()?;
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        let field = |wanted: &str| {
            let mut lines = lines.clone();
            lines.find(|(name, _)| name.eq_ignore_ascii_case(wanted))
        };
        let (_, disposition) = field("content-disposition")?;
        parts.push(Part {
            name: quoted(disposition, "; name=\"")?,
            media_type: field("content-type").map(|(_, value)| value.to_owned()),
            file_name: quoted(disposition, "; filename=\""),
            content: content.to_vec(),
        });
    }
    rest.starts_with(b"--").then_some(parts)
}

/// Splits what follows a delimiter: the head and the content of a part, and what follows the next delimiter. `searched` bytes
/// are known not to contain that one.
pub(crate) fn split_part<'b>(
    bytes: &'b [u8],
    delimiter: &[u8],
    searched: usize,
) -> Option<(&'b [u8], &'b [u8], &'b [u8])> {
    let (head, rest) = split_once(bytes, b"\r\n\r\n")?;
    let skipped = searched.saturating_sub(bytes.len() - rest.len());
    let end = [b"\r\n", delimiter].concat();
    let (before, after) = split_once(rest.get(skipped..)?, &end)?;
    Some((head, &rest[..skipped + before.len()], after))
}

fn split_once<'b>(bytes: &'b [u8], at: &[u8]) -> Option<(&'b [u8], &'b [u8])> {
    let start = bytes.windows(at.len()).position(|window| window == at)?;
    Some((&bytes[..start], &bytes[start + at.len()..]))
}

/// The text in quotes behind `begin`.
fn quoted(text: &str, begin: &str) -> Option<String> {
    let (_, rest) = text.split_once(begin)?;
    let (name, _) = rest.split_once('"')?;
    let name = name.replace("%22", "\"").replace("%0D", "\r");
    Some(name.replace("%0A", "\n"))
}

/// The escapes of the HTML standard (section 4.10.21.8).
fn escape_name(name: &str) -> String {
    let name = name.replace('"', "%22").replace('\r', "%0D");
    name.replace('\n', "%0A")
}
