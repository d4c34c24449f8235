//! Reads bodies of type `multipart/form-data` part by part (RFC 7578). Small parts are decoded and validated by the
//! document; files are streamed.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytes::Bytes;
use dropshot::Body;
use dropspec_schema::pointer;
use futures::{Stream, TryStreamExt};
use http_body_util::BodyDataStream;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::deserialize::deserialize_with_pointer;
use crate::raw_body;
use crate::rejection::{Problem, Rejection};

mod decoder;

pub(crate) use decoder::MultipartDecoder;
use decoder::PartDecoder;
use dropspec_schema::wire::PartKind;

/// The largest part that is decoded, in bytes. Files have no limit but that of the whole body.
const MAX_DECODED: usize = 64 * 1024;

/// The parts of a multipart body, in the order in which they arrive. `P` is the generated enum of the parts that the
/// document declares.
pub struct Multipart<P> {
    parts: multer::Multipart<'static>,
    decoder: Arc<MultipartDecoder>,
    /// How many parts there were of each declared name.
    counts: Vec<usize>,
    part: PhantomData<fn() -> P>,
}

/// A generated enum with a variant for each part that the document declares.
pub trait FromPart: Sized + Send + Sync + 'static {
    /// Converts a part, by its name. The name is one of those that the document declares.
    ///
    /// # Errors
    ///
    /// [`Rejection::ValidationFailed`] if the type of the variant accepts less than the document's schema does.
    fn from_part(part: Part) -> Result<Self, Rejection>;
}

/// One part of a multipart body: its name, and a decoded value or a file.
#[derive(Debug)]
pub struct Part {
    name: String,
    content: PartContent,
}

#[derive(Debug)]
enum PartContent {
    Value(Value),
    File(File),
}

/// A file that arrives as a part of a multipart body. Read it before the next part is read; what is left is skipped.
pub struct File {
    /// The name of the file at the client, if the client sends one. It is not safe as a path.
    pub name: Option<String>,
    /// The media type, if the client sends one.
    pub content_type: Option<String>,
    stream: FileStream,
}

type FileStream = std::pin::Pin<Box<dyn Stream<Item = Result<Bytes, Rejection>> + Send + Sync>>;

impl<P: FromPart> Multipart<P> {
    pub(crate) fn new(body: Body, boundary: &str, decoder: Arc<MultipartDecoder>) -> Self {
        let counts = vec![0; decoder.parts.len()];
        Self {
            parts: multer::Multipart::new(BodyDataStream::new(body), boundary),
            decoder,
            counts,
            part: PhantomData,
        }
    }

    /// Reads the next part; `None` after the last one. A file that was returned before must be dropped. Parts that the document does not declare are skipped, unless it forbids them.
    ///
    /// # Errors
    ///
    /// A [`Rejection`] if a part does not fit the document, if it is repeated without being an array, if a required part
    /// is missing at the end, or if the body is malformed, too large or too slow.
    ///
    /// # Panics
    ///
    /// If the file of the part before still exists.
    pub async fn next(&mut self) -> Result<Option<P>, Rejection> {
        loop {
            let Some(field) = self.parts.next_field().await.map_err(to_rejection)? else {
                self.check_counts()?;
                return Ok(None);
            };
            let name = field.name().unwrap_or_default().to_owned();
            let Some(index) = self.decoder.find(&name) else {
                if self.decoder.is_closed {
                    let pointer = pointer::join("", &name);
                    return Err(Rejection::invalid(pointer, "is not a known part"));
                }
                continue;
            };
            let decoder = &self.decoder.parts[index];
            self.counts[index] += 1;
            if self.counts[index] > 1 && !decoder.layout.repeated {
                return Err(Rejection::invalid(decoder.pointer(), "must be given once"));
            }
            let content = read_part(decoder, field).await?;
            return P::from_part(Part { name, content }).map(Some);
        }
    }

    fn check_counts(&self) -> Result<(), Rejection> {
        let parts = self.decoder.parts.iter().zip(&self.counts);
        let problems = parts.filter_map(|(part, count)| {
            let message = part.describe_count(*count)?;
            let pointer = part.pointer();
            Some(Problem { pointer, message })
        });
        match problems.take(crate::MAX_PROBLEMS).collect::<Vec<_>>() {
            problems if problems.is_empty() => Ok(()),
            problems => Err(Rejection::ValidationFailed { problems }),
        }
    }
}

async fn read_part(
    decoder: &PartDecoder,
    mut field: multer::Field<'static>,
) -> Result<PartContent, Rejection> {
    let content_type = field.content_type().map(ToString::to_string);
    decoder.check_media_type(content_type.as_deref())?;
    if decoder.layout.kind == PartKind::File {
        return Ok(PartContent::File(File {
            name: field.file_name().map(ToOwned::to_owned),
            content_type,
            stream: Box::pin(field.map_err(to_rejection)),
        }));
    }
    let mut text = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(to_rejection)? {
        if text.len() + chunk.len() > MAX_DECODED {
            let message = format!(
                "the part {:?} is larger than {MAX_DECODED} bytes",
                decoder.name
            );
            return Err(Rejection::BodyTooLarge { message });
        }
        text.extend_from_slice(&chunk);
    }
    decoder.decode(&text).map(PartContent::Value)
}

impl Part {
    /// The name, as the document writes it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Deserializes the value of a part that is text or JSON. Of an array, each part is one item.
    ///
    /// # Errors
    ///
    /// [`Rejection::ValidationFailed`] if `T` accepts less than the document's schema does, or if the part is a file.
    pub fn value<T: DeserializeOwned>(self) -> Result<T, Rejection> {
        match self.content {
            PartContent::Value(value) => {
                deserialize_with_pointer(&value, &pointer::join("", &self.name))
            }
            PartContent::File(_) => Err(self.reject("is a file")),
        }
    }

    /// The file of a part.
    ///
    /// # Errors
    ///
    /// [`Rejection::ValidationFailed`] if the document declares the part as text or JSON.
    pub fn file(self) -> Result<File, Rejection> {
        match self.content {
            PartContent::File(file) => Ok(file),
            PartContent::Value(_) => {
                let pointer = pointer::join("", &self.name);
                Err(Rejection::invalid(pointer, "is not a file"))
            }
        }
    }

    /// The rejection of a part that the generated enum does not know.
    pub fn unknown(&self) -> Rejection {
        self.reject("is not a known part")
    }

    fn reject(&self, message: &str) -> Rejection {
        Rejection::invalid(pointer::join("", &self.name), message)
    }
}

impl File {
    /// Reads the next bytes; `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// A [`Rejection`] if the body is malformed, too large or too slow.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Rejection> {
        self.stream.try_next().await
    }

    /// The bytes as a stream.
    pub fn into_stream(self) -> impl Stream<Item = Result<Bytes, Rejection>> + Send + Sync + Unpin {
        self.stream
    }

    /// Reads the whole file of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// [`Rejection::BodyTooLarge`] if it is larger, and the errors of [`File::next`].
    pub async fn collect(self, limit: usize) -> Result<Bytes, Rejection> {
        raw_body::collect(self.stream, limit).await
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "File({:?}, {:?})", self.name, self.content_type)
    }
}

impl<P> fmt::Debug for Multipart<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Multipart({:?})", self.counts)
    }
}

fn to_rejection(error: multer::Error) -> Rejection {
    match error {
        multer::Error::StreamReadFailed(error) => raw_body::to_rejection(error),
        multer::Error::LockFailure => {
            panic!("drop the file of a part before the next part is read")
        }
        error => Rejection::malformed(format!("the multipart body is malformed: {error}")),
    }
}

#[cfg(test)]
mod tests;
