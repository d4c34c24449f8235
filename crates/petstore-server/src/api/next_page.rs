//! The `Link` header to the next page of a list (RFC 8288): path and filters of the
//! request, continued after the last record of this page.

use dropshot::RequestInfo;
use form_urlencoded::{Serializer, parse};

/// Name of the query parameter with the id after which a page starts.
const AFTER: &str = "after";

/// Renders the value of the `Link` header to the next page of a list. `last` is the id of the last record of this page.
pub fn next_page_link(request: &RequestInfo, last: i64) -> String {
    render_link(
        request.uri().path(),
        request.uri().query().unwrap_or_default(),
        last,
    )
}

fn render_link(path: &str, query: &str, last: i64) -> String {
    let filters = parse(query.as_bytes()).filter(|(name, _)| name != AFTER);
    let query = Serializer::new(String::new())
        .extend_pairs(filters)
        .append_pair(AFTER, &last.to_string())
        .finish();
    format!("<{path}?{query}>; rel=\"next\"")
}

#[cfg(test)]
mod tests {
    use super::render_link;

    #[test]
    fn link_keeps_the_filters_and_replaces_after() {
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
            assert_eq!(
                render_link("/pets", query, 7),
                expected,
                "for the query {query:?}"
            );
        }
    }
}
