//! The reference page, as a browser shows it and as it comes over the wire.

use std::path::Path;

use serde_json::{Value, json};

use crate::ops::browser::Browser;
use crate::ops::server::Server;
use crate::tools;
use crate::wire;

const BROWSER: [&str; 2] = ["chromium", "chromedriver"];

/// The section of an operation, once it is drawn: its badges, and whether it offers to send a request.
const SECTION: &str = "
    const section = [...document.querySelectorAll('section')].find(it => it.id.endsWith(arguments[0]));
    return section && {
        badges: [...section.querySelectorAll('.badge')].map(it => it.innerText),
        tries: !!section.querySelector('.show-api-client-button'),
        text: section.innerText,
    }";

/// One operation of the description.
struct Operation {
    anchor: String,
    definition: Value,
}

fn operations() -> Vec<Operation> {
    let document: Value = serde_json::from_str(petstore_api::DOCUMENT.text()).unwrap();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, definition) in item.as_object().unwrap() {
            if let Some(tag) = definition["tags"][0].as_str() {
                operations.push(Operation {
                    anchor: format!("tag/{}/{}{path}", tag.to_lowercase(), method.to_uppercase()),
                    definition: definition.clone(),
                });
            }
        }
    }
    operations
}

fn open(browser: &Browser, server: &Server) -> String {
    let origin = format!("http://{}", server.public);
    // The root leads to the page.
    browser.open(&format!("{origin}/"));
    assert_eq!(browser.run("return location.pathname", &[]), json!("/docs"));
    browser.wait_for(
        "return !!document.querySelector('section[id$=\"tag/pets\"]')",
        &[],
    );
    origin
}

fn show(browser: &Browser, anchor: &str) -> Value {
    browser.run("location.hash = arguments[0]", &[json!(anchor)]);
    browser.wait_for(SECTION, &[json!(anchor)])
}

#[test]
fn the_page_shows_what_the_description_says() {
    if tools::missing(&BROWSER, "the reference page in a browser") {
        return;
    }
    let server = Server::start();
    let browser = Browser::start();
    let origin = open(&browser, &server);

    let navigation = browser.run("return document.querySelector('aside').innerText", &[]);
    let groups: Vec<&str> = navigation
        .as_str()
        .unwrap()
        .lines()
        .filter_map(|line| line.split("Group - ").nth(1))
        .collect();
    assert_eq!(groups, ["Pets", "Categories", "Store", "Account", "Models"]);

    let operations = operations();
    assert_eq!(operations.len(), petstore_api::OPERATIONS.len());
    for Operation { anchor, definition } in &operations {
        let section = show(&browser, anchor);
        let expected = |name: &str, badge: &str| {
            (
                definition[name] == json!(badge.to_lowercase()),
                badge.to_owned(),
            )
        };
        let sunset = definition["x-deprecated-sunset"].as_str();
        let badges = section["badges"].as_array().unwrap();
        for (due, badge) in [
            expected("x-stability", "Beta"),
            expected("x-stability", "Experimental"),
            (sunset.is_some(), "Deprecated".to_owned()),
            (
                sunset.is_some(),
                format!("Sunset {}", sunset.unwrap_or("2027-06-30")),
            ),
        ] {
            assert_eq!(
                badges.contains(&json!(badge)),
                due,
                "{anchor}: {badges:?} and {badge}"
            );
        }
        let hidden = definition["x-hideTryItPanel"] == json!(true);
        assert_eq!(section["tries"], json!(!hidden), "{anchor}");
        assert_eq!(hidden, anchor == "tag/store/GET/store/orders", "{anchor}");
        let summary = definition["summary"].as_str().unwrap();
        assert!(
            section["text"].as_str().unwrap().contains(summary),
            "{anchor}"
        );
    }
    let artifact = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reference.png");
    let anchor = json!("tag/pets/GET/pets/{petId}");
    show(&browser, "tag/pets/GET/pets/{petId}");
    browser.wait_for(
        "const section = [...document.querySelectorAll('section')].find(it => it.id.endsWith(arguments[0]));
         section.scrollIntoView({ behavior: 'instant' });
         return Math.abs(section.getBoundingClientRect().top) < 200",
        &[anchor],
    );
    browser.screenshot(&artifact);
    browser.assert_quiet(&origin);
}

#[test]
fn a_request_is_sent_from_the_page_itself() {
    if tools::missing(&BROWSER, "a request sent from the reference page") {
        return;
    }
    let server = Server::start();
    let browser = Browser::start();
    let origin = open(&browser, &server);
    show(&browser, "tag/categories/POST/categories");
    browser.run(
        "[...document.querySelectorAll('section')].find(it => it.id.endsWith(arguments[0])).querySelector('.show-api-client-button').click()",
        &[json!("tag/categories/POST/categories")],
    );
    let key_field = "[role=dialog] input[id^=scalar-client]";
    browser.wait_for(
        "return !!document.querySelector(arguments[0])",
        &[json!(key_field)],
    );
    // Nothing in the panel leads to the one operation that is not to be tried.
    let ways_around = browser.run(
        "return [...document.querySelectorAll('[role=dialog] aside, [role=dialog] .scalar-sidebar-toggle')]
            .map(it => getComputedStyle(it).display)",
        &[],
    );
    assert_eq!(ways_around, json!(["none", "none"]));
    browser.type_into(key_field, &server.key);
    browser.run(
        "[...document.querySelectorAll('[role=dialog] button')].find(it => it.innerText.trim().startsWith('Send')).click()",
        &[],
    );
    browser.wait_for(
        "return document.querySelector('[role=dialog]').innerText.includes('201 Created')",
        &[],
    );
    assert_discreet(&browser, &server.key);
    browser.assert_quiet(&origin);
    // The example of the description was sent, with the key, and the store has it.
    let categories = server.send("GET", "/categories", "").json();
    assert_eq!(categories[0]["name"], json!("Cat"));
    let line = server.log_line(|line| line["operation"] == json!("createCategory"));
    assert_eq!(
        (&line["status"], &line["key"]),
        (&json!(201), &json!(server.key[..8]))
    );
}

/// Fails if the page offers a service of Scalar's, has a link that tells others of this server, or keeps the key.
fn assert_discreet(browser: &Browser, key: &str) {
    let buttons = browser.run(
        "return [...document.querySelectorAll('button')].map(it => it.innerText.trim())",
        &[],
    );
    let offers = ["Ask AI", "Generate", "MCP"];
    for button in buttons.as_array().unwrap() {
        let button = button.as_str().unwrap();
        assert!(!offers.iter().any(|it| button.contains(it)), "{button}");
    }
    let telling = browser.run(
        "return [...document.querySelectorAll('a')].map(it => it.href)
            .filter(it => it.startsWith('http') && !it.startsWith(location.origin))
            .filter(it => decodeURIComponent(it).includes(location.host))",
        &[],
    );
    assert_eq!(telling, json!([]));
    let keeps = browser.run(
        "return [localStorage, sessionStorage].map(it => JSON.stringify(it)).concat(document.cookie)
            .some(it => it.includes(arguments[0]))",
        &[json!(key)],
    );
    assert_eq!(keeps, json!(false), "the key outlives the page");
}

/// Fails if a page may load, send or run anything that is not from where it came.
fn assert_kept_to_itself(policy: &str) {
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    for directive in policy.split("; ") {
        let (name, sources) = directive.split_once(' ').unwrap();
        for source in sources.split(' ') {
            let inline_style = (name, source) == ("style-src", "'unsafe-inline'");
            let own = ["'none'", "'self'", "data:"].contains(&source);
            assert!(own || inline_style, "{directive}");
        }
    }
}

#[test]
fn the_pages_are_open_to_anyone_through_the_gate() {
    let server = Server::start();
    let mut remaining = 60;
    for (path, status, media_type) in [
        ("/", 302, "text/plain; charset=utf-8"),
        ("/docs", 200, "text/html; charset=utf-8"),
        ("/docs/scalar.js", 200, "text/javascript; charset=utf-8"),
        ("/docs/start.js", 200, "text/javascript; charset=utf-8"),
        ("/docs/openapi.json", 200, "application/json"),
        ("/openapi.json", 200, "application/json"),
        ("/openapi.yaml", 200, "application/yaml"),
    ] {
        let page = wire::get(server.public, path);
        assert_eq!(
            (page.status, page.header("content-type")),
            (status, Some(media_type)),
            "{path}"
        );
        remaining -= 1;
        assert_eq!(page.header("x-ratelimit-limit"), Some("60"), "{path}");
        assert_eq!(
            page.header("x-ratelimit-remaining"),
            Some(remaining.to_string().as_str()),
            "{path}"
        );
        assert!(page.header("x-ratelimit-reset").is_some(), "{path}");
        assert!(page.header("x-request-id").is_some(), "{path}");
        assert_eq!(
            page.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert!(!page.body.is_empty(), "{path}");
    }
    assert_eq!(
        wire::get(server.public, "/").header("location"),
        Some("/docs")
    );
    // A key is charged where one is shown.
    let page = server.send("GET", "/docs", "");
    assert_eq!(page.header("x-ratelimit-limit"), Some("1000000"));
    assert_kept_to_itself(page.header("content-security-policy").unwrap());
    assert!(!page.text().contains("://"), "the page names another host");
    assert_eq!(server.send("POST", "/docs", "").status, 405);
    assert_eq!(
        server.send("GET", "/docs/other.js", "").code(),
        "route_not_found"
    );
}
