//! What permits a request, and what does not. The hook knows few credentials.
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

/// An interface of which only the tables matter.
struct Tables;

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| Document::from_json("{}"));

static SCHEMES: [SecuritySchemeInfo; 7] = [
    scheme("header", SecurityScheme::Header("X-Key")),
    scheme("query", SecurityScheme::Query("api key")),
    scheme("cookie", SecurityScheme::Cookie("sid")),
    scheme("basic", SecurityScheme::BASIC),
    scheme("bearer", SecurityScheme::BEARER),
    scheme("other", SecurityScheme::Authorization("Token")),
    scheme("oauth", SecurityScheme::BEARER),
];

const fn scheme(name: &'static str, kind: SecurityScheme<'static>) -> SecuritySchemeInfo {
    SecuritySchemeInfo { name, kind }
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
    type Failure = &'static str;

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

/// The headers in lines of text.
fn headers(lines: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in lines.lines().filter_map(|line| line.split_once(": ")) {
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    headers
}

/// The identities of a permitted request, or why it is not permitted.
fn check(operation: usize, lines: &str, query: &str) -> String {
    check_with(&Hook::default(), operation, lines, query)
}

fn check_with(hook: &Hook, operation: usize, lines: &str, query: &str) -> String {
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
    let rows = [
        (0, "x-key:  good ", "", "0 good"),
        (0, "x-key: ", "", "Missing"),
        (0, "x-key: bad", "", "Refused(\"bad\")"),
        (0, "x-key: good\nx-key: good", "", "Malformed"),
        (0, "x-key: \u{e9}", "x-key=good", "Refused(\"bad\")"),
        (1, "", "a=b&api+key=good%20one", "1 good one"),
        (1, "", "api%20key=good&api+key=good", "Malformed"),
        (1, "", "api+key=%zz", "Malformed"),
        (1, "", "a=good&api+key=", "Missing"),
        (2, "cookie: a=b; sid=good%21; c=d", "", "2 good!"),
        (2, "cookie: a=b\ncookie: sid=\"good\"", "", "2 good"),
        (2, "cookie: SID=good", "", "Missing"),
        (2, "cookie: a=\u{e9}; sid=good", "", "2 good"),
        // good:p:q
        (3, "authorization: bAsIc Z29vZDpwOnE=", "", "3 good/p:q"),
        (3, "authorization: Basic good", "", "Malformed"),
        // good
        (3, "authorization: Basic Z29vZA==", "", "Malformed"),
        (3, "authorization: Bearer good", "", "Missing"),
        (4, "authorization: bearer   good", "", "4 good"),
        (4, "authorization: Bearer", "", "Missing"),
        (4, "authorization: good", "", "Missing"),
        (
            4,
            "authorization: Bearer a\nauthorization: Bearer b",
            "",
            "Malformed",
        ),
        (
            5,
            "authorization: token good id=\"7\"",
            "",
            "5 good id=\"7\"",
        ),
        (6, "authorization: Bearer good", "", "6 good"),
        (4, "authorization: Bearer down", "", "down"),
    ];
    for (operation, lines, query, expected) in rows {
        let found = check(operation, lines, query);
        assert_eq!(found, expected, "{lines:?} {query}");
    }
}

#[test]
fn one_alternative_with_all_schemes_and_scopes_is_needed() {
    for (operation, bearer, key, cookie, expected) in [
        (BOTH, "good", "good key", "", "4 good + 0 good key"),
        (BOTH, "good", "", "", "Missing"),
        (BOTH, "good", "x", "", "Refused(\"bad\")"),
        (EITHER, "good", "good key", "", "4 good"),
        (EITHER, "", "good key", "", "0 good key"),
        (EITHER, "x", "good key", "", "0 good key"),
        (EITHER, "x", "", "", "Refused(\"bad\")"),
        (EITHER, "", "", "", "Missing"),
        (SCOPES, "good:read,write", "", "", "6 good:read,write"),
        (
            SCOPES,
            "good:read",
            "",
            "",
            "6 good:readInsufficientScope([\"read\", \"write\"])",
        ),
        (SCOPES, "", "good:read", "good", "0 good:read + 2 good"),
        // Without the cookie, the scope does not matter.
        (SCOPES, "", "good", "", "Missing"),
        (PUBLIC, "", "", "", ""),
        (PUBLIC, "", "bad", "", ""),
        (PUBLIC, "", "good", "", "0 good"),
        (PUBLIC, "", "down", "", "down"),
        // Any scheme that is used.
        (PUBLIC, "", "", "good", "2 good"),
        (OPTIONAL, "", "", "", ""),
        (OPTIONAL, "", "bad", "", ""),
        (OPTIONAL, "", "good", "", "0 good"),
        (OPTIONAL, "", "down", "", "down"),
        // The schemes of the operation.
        (OPTIONAL, "", "", "good", ""),
    ] {
        let lines = [
            ("authorization: Bearer ", bearer),
            ("x-key: ", key),
            ("cookie: sid=", cookie),
        ];
        let sent = lines.into_iter().filter(|(_, value)| !value.is_empty());
        let lines: Vec<String> = sent.map(|(name, value)| format!("{name}{value}")).collect();
        let found = check(operation, &lines.join("\n"), "");
        assert_eq!(found, expected, "{operation} {lines:?}");
    }
}

#[test]
fn credentials_are_verified_once() {
    let hook = Hook::default();
    let lines = "authorization: Bearer good\nx-key: good";
    let found = check_with(&hook, SCOPES, lines, "");
    let expected = "6 goodInsufficientScope([\"read\", \"write\"])";
    assert_eq!(found, expected);
    assert_eq!(*hook.calls.lock().unwrap(), [6, 0]);
}

#[test]
fn sender_without_an_operation_is_known_by_any_scheme() {
    let security = Security::<Tables>::new();
    assert!(security.requires_identity());
    assert_eq!(security.schemes().count(), 7);
    let hook = Hook::default();
    let identify = |lines: &str| {
        let headers = headers(lines);
        let checked = security.identify(&headers, None, &hook).now_or_never();
        let checked = checked.unwrap().unwrap();
        (checked.identities.first().cloned(), checked.outcome)
    };
    assert_eq!(identify(""), (None, Err(Denial::Missing)));
    let known = (Some("good".to_owned()), Ok(()));
    assert_eq!(identify("cookie: sid=good"), known);
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
