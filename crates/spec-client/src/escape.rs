//! Percent-encoding of what parameters are written as, by the place in the request.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but the unreserved characters of RFC 3986, section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// What is encoded even where reserved characters are allowed, because it would end the value or change its meaning.
const ALLOW_RESERVED: &AsciiSet = &RESERVED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b'[')
    .remove(b']');

/// As [`ALLOW_RESERVED`], and the comma, which separates items.
const ALLOW_RESERVED_ITEM: &AsciiSet = &ALLOW_RESERVED.add(b',');

/// What RFC 6265, section 4.1.1, does not allow in the value of a cookie, and the percent sign.
const COOKIE: &AsciiSet = &percent_encoding::CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b',')
    .add(b';')
    .add(b'\\')
    .add(b'%');

/// Which characters of a text are percent-encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    /// None: the value of a header.
    Nothing,
    Reserved,
    AllowReserved,
    AllowReservedItem,
    Cookie,
}

impl Escape {
    pub(crate) fn encode(self, text: &str) -> Cow<'_, str> {
        let set = match self {
            Escape::Nothing => return Cow::Borrowed(text),
            Escape::Reserved => RESERVED,
            Escape::AllowReserved => ALLOW_RESERVED,
            Escape::AllowReservedItem => ALLOW_RESERVED_ITEM,
            Escape::Cookie => COOKIE,
        };
        utf8_percent_encode(text, set).into()
    }
}
