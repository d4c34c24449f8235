//! Finds the next page in the `Link` header (RFC 8288).

use reqwest::header::{HeaderMap, LINK};

/// Finds the target of the link with `rel=next` in the `Link` headers, as written there.
pub fn find_next_page(headers: &HeaderMap) -> Option<&str> {
    let values = headers.get_all(LINK).into_iter();
    values
        .filter_map(|value| value.to_str().ok())
        .find_map(find_next_in)
}

/// The query string of a URL or path, without its fragment.
pub fn query_of(target: &str) -> Option<&str> {
    let target = target.split('#').next()?;
    target.split_once('?').map(|(_, query)| query)
}

fn find_next_in(value: &str) -> Option<&str> {
    let mut rest = value;
    while let Some((_, link)) = rest.split_once('<') {
        let (target, after) = link.split_once('>')?;
        // The parameters end where the next link begins. A comma inside quotes is harmless, because it contains no `<`.
        let parameters = after.split('<').next().unwrap_or_default();
        if parameters.split([';', ',']).any(is_next_relation) {
            return Some(target);
        }
        rest = after;
    }
    None
}

/// Whether one parameter of a link is `rel` with `next` among its relation types.
fn is_next_relation(parameter: &str) -> bool {
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
    fn finds_next_link_among_others() {
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
            assert_eq!(find_next_in(value), target, "{value}");
        }
    }

    #[test]
    fn reads_every_link_header() {
        let mut headers = HeaderMap::new();
        headers.append(LINK, "</a>; rel=\"prev\"".parse().expect("a value"));
        headers.append(LINK, "</b>; rel=\"next\"".parse().expect("a value"));
        assert_eq!(find_next_page(&headers), Some("/b"));
    }
}
