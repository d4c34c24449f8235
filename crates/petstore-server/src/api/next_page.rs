//! The `Link` to the next page of a list (RFC 8288): the request's own path and
//! filters, behind the last record that this page holds.

use dropshot::RequestInfo;
use form_urlencoded::{Serializer, parse};

/// The parameter that says where a page starts.
const AFTER: &str = "after";

/// The value of the `Link` header, or `None` on the last page.
///
/// `last` is the id of the last record of this page.
pub fn next_page(request: &RequestInfo, more: bool, last: Option<i64>) -> Option<String> {
    let last = last.filter(|_| more)?;
    Some(link(
        request.uri().path(),
        request.uri().query().unwrap_or_default(),
        last,
    ))
}

fn link(path: &str, query: &str, last: i64) -> String {
    let kept = parse(query.as_bytes()).filter(|(name, _)| name != AFTER);
    let query = Serializer::new(String::new())
        .extend_pairs(kept)
        .append_pair(AFTER, &last.to_string())
        .finish();
    format!("<{path}?{query}>; rel=\"next\"")
}

#[cfg(test)]
mod tests {
    use super::link;

    #[test]
    fn filters_stay_and_the_start_moves() {
        let cases = [
            ("", "</pets?after=7>; rel=\"next\""),
            ("limit=2", "</pets?limit=2&after=7>; rel=\"next\""),
            (
                "after=5&status=sold",
                "</pets?status=sold&after=7>; rel=\"next\"",
            ),
            // An encoded name is the same parameter.
            ("%61fter=5", "</pets?after=7>; rel=\"next\""),
        ];
        for (query, expected) in cases {
            assert_eq!(link("/pets", query, 7), expected, "for the query {query:?}");
        }
    }
}
