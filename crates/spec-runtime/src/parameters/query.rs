//! A query string taken apart into names and values. The values stay encoded, because their separators must
//! be found first.

use std::borrow::Cow;

use super::percent;
use crate::rejection::{Location, Rejection};

/// The pairs of a query string, in order. Names are decoded.
pub(crate) fn pairs(query: &str) -> Result<Vec<(Cow<'_, str>, &str)>, Rejection> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = percent::decode(Location::Query, name).map_err(|problem| {
                Rejection::malformed(format!("the name of a query parameter {problem}"))
            })?;
            Ok((name, value))
        })
        .collect()
}
