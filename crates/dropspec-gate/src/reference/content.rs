//! The content of a page, as it is and compressed by gzip (RFC 1952), with an entity tag for each.

use std::io::{Read, Write};
use std::sync::OnceLock;

use bytes::Bytes;
use dropshot::Body;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use http::Response;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, HeaderMap, VARY};

/// A shorter content is not compressed.
const MIN_COMPRESSED: usize = 1024;

/// The content of a page. The form that it was not made from is computed when it is first asked for.
pub(super) struct Content {
    plain: OnceLock<Bytes>,
    compressed: OnceLock<Bytes>,
    /// Names these bytes, and no others that the page ever had.
    version: String,
}

impl Content {
    pub(super) fn new(plain: impl Into<Bytes>) -> Content {
        let plain = plain.into();
        Content {
            version: version(crc32fast::hash(&plain), plain.len()),
            plain: OnceLock::from(plain),
            compressed: OnceLock::new(),
        }
    }

    /// The content with the bytes of which this is the gzip file.
    pub(super) fn precompressed(file: &'static [u8]) -> Content {
        // A gzip file ends with the checksum and the length of its content.
        let [checksum, length] = match file.last_chunk::<8>() {
            Some([a, b, c, d, rest @ ..]) => [[*a, *b, *c, *d], *rest].map(u32::from_le_bytes),
            None => [0, 0],
        };
        Content {
            version: version(checksum, length as usize),
            plain: OnceLock::new(),
            compressed: OnceLock::from(Bytes::from_static(file)),
        }
    }

    /// Sixteen hexadecimal digits, other ones for other bytes.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// The response with the form for a client that sent these headers. Each form has a strong entity tag of its own (RFC 9110,
    /// section 8.8.3).
    pub(super) fn respond(&self, headers: &HeaderMap) -> Response<Body> {
        let is_long = self.plain.get().is_none_or(|it| it.len() >= MIN_COMPRESSED);
        let is_compressed = is_long && accepts_gzip(headers);
        let response = Response::builder().header(VARY, "accept-encoding");
        let version = &self.version;
        let response = if is_compressed {
            let response = response.header(ETAG, format!("\"{version}-gzip\""));
            let response = response.header(CONTENT_ENCODING, "gzip");
            response.body(self.compressed().into())
        } else {
            let response = response.header(ETAG, format!("\"{version}\""));
            response.body(self.plain().into())
        };
        response.expect("a version has hexadecimal digits only")
    }

    fn plain(&self) -> Bytes {
        let decompress = || {
            let mut plain = Vec::new();
            let file = self.compressed.get().map(|it| &it[..]);
            // The file is a part of the binary.
            let _ = GzDecoder::new(file.unwrap_or_default()).read_to_end(&mut plain);
            plain.into()
        };
        self.plain.get_or_init(decompress).clone()
    }

    fn compressed(&self) -> Bytes {
        let compress = || {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            // Memory can always be written to.
            let _ = encoder.write_all(&self.plain());
            encoder.finish().unwrap_or_default().into()
        };
        self.compressed.get_or_init(compress).clone()
    }
}

fn version(checksum: u32, length: usize) -> String {
    format!("{checksum:08x}{length:08x}")
}

/// Whether a client accepts gzip (RFC 9110, section 12.5.3): it names it, or everything, and not with the weight 0.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(ACCEPT_ENCODING).iter();
    let codings = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','));
    let codings = codings.map(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().trim_start_matches(['q', 'Q', '=', ' ']);
        let is_zero = !weight.is_empty() && weight.bytes().all(|it| matches!(it, b'0' | b'.'));
        (name.trim(), !is_zero)
    });
    let codings: Vec<(&str, bool)> = codings.collect();
    let find = |expected: &str| {
        let named = codings
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(expected));
        named.map(|(_, is_accepted)| *is_accepted)
    };
    find("gzip").or_else(|| find("*")).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use http_body_util::BodyExt;

    use super::*;

    fn headers(accept_encoding: &str) -> HeaderMap {
        let value = HeaderValue::from_str(accept_encoding).unwrap();
        HeaderMap::from_iter([(ACCEPT_ENCODING, value)])
    }

    #[test]
    fn gzip_is_for_clients_that_accept_it() {
        for (accepted, expected) in [
            ("gzip, deflate, br", true),
            ("br;q=1.0, GZIP;q=0.5", true),
            ("*", true),
            ("gzip;q=0, *", false),
            ("gzip; q=0.000", false),
            ("*;q=0", false),
            ("deflate, br", false),
            ("", false),
        ] {
            assert_eq!(accepts_gzip(&headers(accepted)), expected, "{accepted:?}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }

    async fn bytes(content: &Content, accepted: &str) -> (Bytes, String, bool) {
        let response = content.respond(&headers(accepted));
        let (head, body) = response.into_parts();
        let is_compressed = head.headers.contains_key(CONTENT_ENCODING);
        let tag = head.headers[ETAG].to_str().unwrap().to_owned();
        (body.collect().await.unwrap().to_bytes(), tag, is_compressed)
    }

    #[tokio::test]
    async fn both_forms_have_the_same_bytes_and_their_own_tags() {
        let text = "a page ".repeat(1000);
        let content = Content::new(text.clone());
        let plain = bytes(&content, "").await;
        let small = bytes(&content, "gzip").await;
        assert_eq!((&plain.0[..], plain.2), (text.as_bytes(), false));
        assert!(small.2 && small.0.len() < 200);
        assert_ne!(plain.1, small.1);
        let precompressed = Content::precompressed(Vec::leak(small.0.to_vec()));
        assert_eq!(bytes(&precompressed, "").await, plain);
        assert_eq!(bytes(&precompressed, "gzip").await, small);
        assert!(!bytes(&Content::new("a short page"), "gzip").await.2);
    }
}
