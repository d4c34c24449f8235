//! What permits a request, and what does not. The hook knows few credentials.
#![allow(clippy::unwrap_used)]

use std::sync::LazyLock;
use std::sync::Mutex;

use dropshot::{Body, RequestContext};
use futures::FutureExt;
use http::{HeaderMap, HeaderName, HeaderValue, Response};

use super::*;
use crate::{
    DecodedRequest, DispatchError, Document, ErrorCodeInfo, Interface, Method, OperationInfo,
    PlanInfo,
};

/// The headers of a request.
type Lines<'a> = &'a [(&'static str, &'a str)];

/// An interface of which only the tables matter.
struct Tables;

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| Document::from_json("{}"));

static SCHEMES: [SecuritySchemeInfo; 7] = [
    key("header", ApiKeyLocation::Header, "X-Key"),
    key("query", ApiKeyLocation::Query, "api key"),
    key("cookie", ApiKeyLocation::Cookie, "sid"),
    scheme("basic", SecuritySchemeKind::Basic),
    scheme("bearer", SecuritySchemeKind::Bearer),
    scheme("other", SecuritySchemeKind::Http { scheme: "Token" }),
    scheme("oauth", SecuritySchemeKind::OAuth2),
];

const fn scheme(name: &'static str, kind: SecuritySchemeKind) -> SecuritySchemeInfo {
    SecuritySchemeInfo { name, kind }
}

const fn key(
    scheme_name: &'static str,
    location: ApiKeyLocation,
    name: &'static str,
) -> SecuritySchemeInfo {
    scheme(scheme_name, SecuritySchemeKind::ApiKey { location, name })
}

const fn operation(security: &'static [&'static [SchemeUse]]) -> OperationInfo {
    OperationInfo {
        security,
        ..OperationInfo::new("a", Method::Get, "/a")
    }
}

const fn of(scheme: usize) -> SchemeUse {
    SchemeUse::new(scheme, &[])
}

const PUBLIC: usize = 7;
const BOTH: usize = 8;
const EITHER: usize = 9;
const OPTIONAL: usize = 10;
const SCOPES: usize = 11;

static OPERATIONS: [OperationInfo; 12] = [
    operation(&[&[of(0)]]),
    operation(&[&[of(1)]]),
    operation(&[&[of(2)]]),
    operation(&[&[of(3)]]),
    operation(&[&[of(4)]]),
    operation(&[&[of(5)]]),
    operation(&[&[of(6)]]),
    operation(&[]),
    operation(&[&[of(4), of(0)]]),
    operation(&[&[of(4)], &[of(0)]]),
    operation(&[&[], &[of(0)]]),
    operation(&[
        &[SchemeUse::new(6, &["read", "write"])],
        &[SchemeUse::new(0, &["read"]), of(2)],
    ]),
];

impl Interface for Tables {
    type Context = ();

    fn operations() -> &'static [OperationInfo] {
        &OPERATIONS
    }

    fn security_schemes() -> &'static [SecuritySchemeInfo] {
        &SCHEMES
    }

    fn document() -> &'static Document {
        &DOCUMENT
    }

    fn document_source() -> &'static str {
        "{}"
    }

    fn plans() -> &'static [PlanInfo] {
        &[]
    }

    fn error_codes() -> &'static [ErrorCodeInfo] {
        &[]
    }

    async fn dispatch(
        permit: Permit<Self>,
        _: RequestContext<()>,
        _: DecodedRequest,
    ) -> Result<Response<Body>, DispatchError> {
        Ok(Response::new(permit.operation().to_string().into()))
    }
}

/// Any text that begins with `good` is valid; its identity is the text, and its scopes follow a colon. `down` cannot be
/// verified.
#[derive(Default)]
struct Hook {
    calls: Mutex<Vec<usize>>,
}

impl Verify for Hook {
    type Identity = String;
    type Refusal = &'static str;
    type Error = &'static str;

    async fn verify(
        &self,
        scheme: usize,
        credentials: Credentials<'_>,
    ) -> Verified<String, &'static str, &'static str> {
        self.calls.lock().unwrap().push(scheme);
        let text = match credentials {
            Credentials::Key(key) => key.into_owned(),
            Credentials::Basic { user, password } => format!("{user}/{password}"),
            Credentials::Token(token) => token.to_owned(),
        };
        match &text[..] {
            "down" => Err("down"),
            text if text.starts_with("good") => Ok(Ok(text.to_owned())),
            _ => Ok(Err("bad")),
        }
    }

    fn has_scope(&self, identity: &String, scope: &str) -> bool {
        let scopes = identity.split_once(':').map_or("", |(_, scopes)| scopes);
        scopes.split(',').any(|granted| granted == scope)
    }
}

fn headers(lines: Lines<'_>) -> HeaderMap {
    let lines = lines.iter().map(|(name, value)| {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        (HeaderName::from_static(name), value)
    });
    lines
        .collect::<Vec<_>>()
        .into_iter()
        .fold(HeaderMap::new(), |mut map, (name, value)| {
            map.append(name, value);
            map
        })
}

/// The identities of a permitted request, or why it is not permitted.
fn check(operation: usize, lines: Lines<'_>, query: &str) -> String {
    check_with(&Hook::default(), operation, lines, query)
}

fn check_with(hook: &Hook, operation: usize, lines: Lines<'_>, query: &str) -> String {
    let security = Security::<Tables>::new();
    let headers = headers(lines);
    let checked = security.authorize(operation, &headers, Some(query), hook);
    match checked.now_or_never().unwrap() {
        Err(error) => error.to_owned(),
        Ok(Authorization {
            identities,
            outcome,
        }) => {
            let all: Vec<String> = identities
                .into_all()
                .map(|(scheme, identity)| format!("{scheme} {identity}"))
                .collect();
            let all = all.join(" + ");
            match outcome {
                Ok(permit) => {
                    assert_eq!(permit.operation(), operation);
                    all
                }
                Err(denial) => format!("{all}{denial:?}"),
            }
        }
    }
}

#[test]
fn credentials_are_read_where_the_scheme_says() {
    let rows: &[(usize, Lines<'_>, &str, &str)] = &[
        (0, &[("x-key", " good ")], "", "0 good"),
        (0, &[("x-key", "")], "", "Missing"),
        (0, &[("x-key", "bad")], "", "Refused(\"bad\")"),
        (0, &[("x-key", "good"), ("x-key", "good")], "", "Malformed"),
        (0, &[("x-key", "\u{e9}")], "x-key=good", "Refused(\"bad\")"),
        (1, &[], "a=b&api+key=good%20one", "1 good one"),
        (1, &[], "api%20key=good&api+key=good", "Malformed"),
        (1, &[], "api+key=%zz", "Malformed"),
        (1, &[], "a=good&api+key=", "Missing"),
        (2, &[("cookie", "a=b; sid=good%21; c=d")], "", "2 good!"),
        (
            2,
            &[("cookie", "a=b"), ("cookie", "sid=\"good\"")],
            "",
            "2 good",
        ),
        (2, &[("cookie", "SID=good")], "", "Missing"),
        (2, &[("cookie", "a=\u{e9}; sid=good")], "", "2 good"),
        // good:p:q
        (
            3,
            &[("authorization", "bAsIc Z29vZDpwOnE=")],
            "",
            "3 good/p:q",
        ),
        (3, &[("authorization", "Basic good")], "", "Malformed"),
        // good
        (3, &[("authorization", "Basic Z29vZA==")], "", "Malformed"),
        (3, &[("authorization", "Bearer good")], "", "Missing"),
        (4, &[("authorization", "bearer   good")], "", "4 good"),
        (4, &[("authorization", "Bearer")], "", "Missing"),
        (4, &[("authorization", "good")], "", "Missing"),
        (
            4,
            &[("authorization", "Bearer a"), ("authorization", "Bearer b")],
            "",
            "Malformed",
        ),
        (
            5,
            &[("authorization", "token good id=\"7\"")],
            "",
            "5 good id=\"7\"",
        ),
        (6, &[("authorization", "Bearer good")], "", "6 good"),
        (4, &[("authorization", "Bearer down")], "", "down"),
    ];
    for (operation, lines, query, expected) in rows {
        assert_eq!(
            check(*operation, lines, query),
            *expected,
            "{lines:?} {query}"
        );
    }
}

#[test]
fn all_schemes_of_one_alternative_are_needed() {
    let token = ("authorization", "Bearer good");
    let key = ("x-key", "good key");
    assert_eq!(check(BOTH, &[token, key], ""), "4 good + 0 good key");
    assert_eq!(check(BOTH, &[token], ""), "Missing");
    assert_eq!(
        check(BOTH, &[token, ("x-key", "x")], ""),
        "Refused(\"bad\")"
    );
    assert_eq!(check(EITHER, &[token, key], ""), "4 good");
    assert_eq!(check(EITHER, &[key], ""), "0 good key");
    let invalid = ("authorization", "Bearer x");
    assert_eq!(check(EITHER, &[invalid, key], ""), "0 good key");
    assert_eq!(check(EITHER, &[invalid], ""), "Refused(\"bad\")");
    assert_eq!(check(EITHER, &[], ""), "Missing");
}

#[test]
fn identity_needs_all_scopes_of_its_scheme() {
    let token = |text| check(SCOPES, &[("authorization", text)], "");
    assert_eq!(token("Bearer good:read,write"), "6 good:read,write");
    let lacking = "6 good:readInsufficientScope([\"read\", \"write\"])";
    assert_eq!(token("Bearer good:read"), lacking);
    let key = ("x-key", "good:read");
    let cookie = ("cookie", "sid=good");
    assert_eq!(check(SCOPES, &[cookie, key], ""), "0 good:read + 2 good");
    // Without the cookie, the scope does not matter.
    assert_eq!(check(SCOPES, &[("x-key", "good")], ""), "Missing");
}

#[test]
fn public_operation_permits_everybody_and_knows_valid_senders() {
    for operation in [PUBLIC, OPTIONAL] {
        assert_eq!(check(operation, &[], ""), "");
        assert_eq!(check(operation, &[("x-key", "bad")], ""), "");
        assert_eq!(check(operation, &[("x-key", "good")], ""), "0 good");
        assert_eq!(check(operation, &[("x-key", "down")], ""), "down");
    }
    let cookie = ("cookie", "sid=good");
    assert_eq!(
        check(PUBLIC, &[cookie], ""),
        "2 good",
        "any scheme that is used"
    );
    assert_eq!(
        check(OPTIONAL, &[cookie], ""),
        "",
        "the schemes of the operation"
    );
}

#[test]
fn credentials_are_verified_once() {
    let hook = Hook::default();
    let lines = [("authorization", "Bearer good"), ("x-key", "good")];
    assert_eq!(
        check_with(&hook, SCOPES, &lines, ""),
        "6 goodInsufficientScope([\"read\", \"write\"])"
    );
    assert_eq!(*hook.calls.lock().unwrap(), [6, 0]);
}

#[test]
fn sender_without_an_operation_is_known_by_any_scheme() {
    let security = Security::<Tables>::new();
    assert!(security.requires_identity());
    assert_eq!(
        security.schemes().collect::<Vec<_>>(),
        [0, 1, 2, 3, 4, 5, 6]
    );
    let hook = Hook::default();
    let identify = |lines: Lines<'_>| {
        let headers = headers(lines);
        let checked = security.identify(&headers, None, &hook).now_or_never();
        let checked = checked.unwrap().unwrap();
        (checked.identities.first().cloned(), checked.outcome)
    };
    assert_eq!(identify(&[]), (None, Err(Denial::Missing)));
    assert_eq!(
        identify(&[("cookie", "sid=good")]),
        (Some("good".to_owned()), Ok(()))
    );
}

#[test]
fn debug_output_shows_no_secrets() {
    let basic = Credentials::Basic {
        user: "ann".to_owned(),
        password: "secret".to_owned(),
    };
    for credentials in [
        Credentials::Key("secret".into()),
        Credentials::Token("secret"),
        basic,
    ] {
        assert!(!format!("{credentials:?}").contains("secret"));
    }
}
