//! Where the next page is, from the `Link` header (RFC 8288).

use reqwest::header::{HeaderMap, LINK};

/// The target of the link to the next page, as it stands in the header.
pub(crate) fn next(headers: &HeaderMap) -> Option<&str> {
    let values = headers.get_all(LINK).into_iter();
    values
        .filter_map(|value| value.to_str().ok())
        .find_map(next_in)
}

/// The query of a link's target.
pub(crate) fn query(target: &str) -> Option<&str> {
    let target = target.split('#').next()?;
    target.split_once('?').map(|(_, query)| query)
}

fn next_in(value: &str) -> Option<&str> {
    let mut rest = value;
    while let Some((_, link)) = rest.split_once('<') {
        let (target, after) = link.split_once('>')?;
        // The parameters end where the next link begins; a comma inside quotes does no harm, it holds no `<`.
        let parameters = after.split('<').next().unwrap_or_default();
        if parameters.split([';', ',']).any(is_next) {
            return Some(target);
        }
        rest = after;
    }
    None
}

/// Whether a parameter is `rel` and names `next` among its relations.
fn is_next(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, value)| {
        let relations = value.trim().trim_matches('"').split_ascii_whitespace();
        name.trim().eq_ignore_ascii_case("rel")
            && relations
                .into_iter()
                .any(|relation| relation.eq_ignore_ascii_case("next"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found_among_other_links() {
        let cases = [
            ("</pets?after=7>; rel=\"next\"", Some("/pets?after=7")),
            ("</pets?after=7>;rel=next", Some("/pets?after=7")),
            (
                "</a>; rel=\"prev\", </b?x=1>; title=\"x\"; rel=\"last next\"",
                Some("/b?x=1"),
            ),
            ("</a,b?x=1>; rel=\"next\"", Some("/a,b?x=1")),
            ("</b?x=1>; rel=next, </a>; rel=prev", Some("/b?x=1")),
            ("</b?x=1>; Rel=\"Next\"", Some("/b?x=1")),
            ("</pets>; rel=\"successor-version\"", None),
            ("</next>; rel=\"prev\"; title=\"next\"", None),
            ("</pets?after=7", None),
            ("", None),
        ];
        for (value, target) in cases {
            assert_eq!(next_in(value), target, "{value}");
        }
    }

    #[test]
    fn every_header_is_looked_at() {
        let mut headers = HeaderMap::new();
        headers.append(LINK, "</a>; rel=\"prev\"".parse().expect("a value"));
        headers.append(LINK, "</b>; rel=\"next\"".parse().expect("a value"));
        assert_eq!(next(&headers), Some("/b"));
    }

    #[test]
    fn a_query_ends_at_the_fragment() {
        assert_eq!(query("https://x.test/pets?after=7#top"), Some("after=7"));
        assert_eq!(query("/pets"), None);
    }
}
