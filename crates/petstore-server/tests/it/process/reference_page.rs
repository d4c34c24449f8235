//! The reference page in a browser.

use std::path::Path;

use serde_json::{Value, json};

use test_support::{ServerProcess, programs};

use super::browser::Browser;

const BROWSER: [&str; 2] = ["chromium", "chromedriver"];

/// The section of an operation when it is drawn: its badges, and whether it has a button to send a request.
const SECTION: &str = "
    const section = [...document.querySelectorAll('section')].find(it => it.id.endsWith(arguments[0]));
    return section && {
        badges: [...section.querySelectorAll('.badge')].map(it => it.innerText),
        tries: !!section.querySelector('.show-api-client-button'),
        text: section.innerText,
    }";

/// An operation of the document.
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

fn open(browser: &Browser, server: &ServerProcess) -> String {
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
fn page_shows_every_operation_with_its_badges() {
    if programs::are_missing(&BROWSER, "the reference page in a browser") {
        return;
    }
    let server = ServerProcess::start();
    let browser = Browser::start();
    let origin = open(&browser, &server);

    let navigation = browser.run("return document.querySelector('aside').innerText", &[]);
    let groups: Vec<&str> = navigation
        .as_str()
        .unwrap()
        .lines()
        .filter_map(|line| line.split("Group - ").nth(1))
        .collect();
    let document = petstore_api::DOCUMENT.json();
    let tags = document["tags"].as_array().unwrap().iter();
    let tags = tags.map(|tag| tag["name"].as_str().unwrap());
    let expected: Vec<&str> = ["Introduction"]
        .into_iter()
        .chain(tags)
        .chain(["Models"])
        .collect();
    assert_eq!(groups, expected);

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
    browser.assert_no_errors(&origin);
}

#[test]
fn request_is_sent_from_the_page_to_its_own_server() {
    if programs::are_missing(&BROWSER, "a request sent from the reference page") {
        return;
    }
    let server = ServerProcess::start();
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
    let placeholders = browser.run(
        "return [...document.querySelectorAll('[placeholder]')].map(it => it.placeholder)",
        &[],
    );
    let placeholders: Vec<&str> = placeholders
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(placeholders.contains(&"Your secret"), "{placeholders:?}");
    let looks_like_a_key = |text: &&str| text.len() > 15 && !text.contains(' ');
    assert_eq!(placeholders.iter().copied().find(looks_like_a_key), None);
    // The panel has no way to the operation that must not be tried.
    let navigation = browser.run(
        "return [...document.querySelectorAll('[role=dialog] aside, [role=dialog] .scalar-sidebar-toggle')]
            .map(it => getComputedStyle(it).display)",
        &[],
    );
    assert_eq!(navigation, json!(["none", "none"]));
    browser.type_into(key_field, &server.key);
    browser.run(
        "[...document.querySelectorAll('[role=dialog] button')].find(it => it.innerText.trim().startsWith('Send')).click()",
        &[],
    );
    browser.wait_for(
        "return document.querySelector('[role=dialog]').innerText.includes('201 Created')",
        &[],
    );
    assert_private(&browser, &server.key);
    browser.assert_no_errors(&origin);
    // The example of the document was sent with the key.
    let categories = server.send("GET", "/categories", "").json::<Value>();
    assert_eq!(categories[0]["name"], json!("Cat"));
    let line = server.wait_for_log_line(|line| line["operation"] == json!("createCategory"));
    assert_eq!(
        (&line["status"], &line["key"]),
        (&json!(201), &json!(server.key[..8]))
    );
}

#[test]
fn page_tells_plans_bans_access_successor_and_the_address_of_the_service() {
    if programs::are_missing(&BROWSER, "what the reference page says of plans and access") {
        return;
    }
    let server = ServerProcess::start();
    let browser = Browser::start();
    let origin = open(&browser, &server);
    let page = browser.wait_for(
        "const table = document.querySelector('table');
         return table && { plans: table.innerText, text: document.body.innerText }",
        &[],
    );
    let plans = page["plans"].as_str().unwrap();
    for info in &petstore_api::interface::PLANS {
        assert!(
            plans.contains(info.name),
            "{} is missing in {plans}",
            info.name
        );
    }
    assert!(plans.contains("100,000"), "{plans}");
    let text = page["text"].as_str().unwrap();
    assert!(text.contains("refused requests within 5 minutes"), "{text}");

    let section = show(&browser, "tag/pets/POST/pets");
    let text = section["text"].as_str().unwrap();
    assert!(text.contains("credentials with write access"), "{text}");
    // The samples can be copied as they are.
    assert!(text.contains(&format!("{origin}/pets")), "{text}");

    show(&browser, "tag/pets/GET/pets/{petId}");
    let successor = browser.wait_for(
        "const section = [...document.querySelectorAll('section')].find(it => it.id.endsWith(arguments[0]));
         const link = [...section.querySelectorAll('a')].find(it => it.innerText === 'List pets');
         return link && decodeURI(link.hash)",
        &[json!("tag/pets/GET/pets/{petId}")],
    );
    assert_eq!(successor, json!("#tag/pets/GET/pets"));
    let section = show(&browser, "tag/pets/GET/pets");
    let text = section["text"].as_str().unwrap();
    assert!(text.contains("List pets"), "{text}");
    browser.assert_no_errors(&origin);
}

#[test]
fn download_button_gives_the_document_as_it_is_served() {
    if programs::are_missing(
        &BROWSER,
        "the download of the document from the reference page",
    ) {
        return;
    }
    let server = ServerProcess::start();
    let browser = Browser::start();
    open(&browser, &server);
    let links = browser.run(
        "return [...document.querySelectorAll('.download-button')].map(it => it.innerText)",
        &[],
    );
    assert_eq!(links, json!(["Download OpenAPI Document"]));
    browser.run("document.querySelector('.download-button').click()", &[]);
    let text = browser.wait_for(
        "return location.pathname === '/openapi.json' && document.querySelector('pre')?.textContent",
        &[],
    );
    assert_eq!(text, json!(petstore_api::DOCUMENT.text()));
}

/// Fails if the page offers a service of Scalar, has a link to another host that names this server, or stores the key.
fn assert_private(browser: &Browser, key: &str) {
    let buttons = browser.run(
        "return [...document.querySelectorAll('button')].map(it => it.innerText.trim())",
        &[],
    );
    let offers = ["Ask AI", "Generate", "MCP"];
    for button in buttons.as_array().unwrap() {
        let button = button.as_str().unwrap();
        assert!(!offers.iter().any(|it| button.contains(it)), "{button}");
    }
    let links = browser.run(
        "return [...document.querySelectorAll('a')].map(it => it.href)
            .filter(it => it.startsWith('http') && !it.startsWith(location.origin))
            .filter(it => decodeURIComponent(it).includes(location.host))",
        &[],
    );
    assert_eq!(links, json!([]));
    let stores_key = browser.run(
        "return [localStorage, sessionStorage].map(it => JSON.stringify(it)).concat(document.cookie)
            .some(it => it.includes(arguments[0]))",
        &[json!(key)],
    );
    assert_eq!(stores_key, json!(false), "the page stores the key");
}
