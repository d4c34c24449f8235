//! The reference page in a browser.

use serde_json::{Value, json};
use test_support::ServerProcess;
use test_support::browser::Browser;

/// The section of an operation when it is drawn: its badges, and whether it has a button to send a request.
const SECTION: &str = "
    const section = [...document.querySelectorAll('section')].find(it => it.id.endsWith(arguments[0]));
    return section && {
        badges: [...section.querySelectorAll('.badge')].map(it => it.innerText),
        tries: !!section.querySelector('.show-api-client-button'),
        text: section.innerText,
    }";

pub(super) fn open(browser: &Browser, server: &ServerProcess) -> String {
    let origin = format!("http://{}", server.public);
    // The root leads to the page.
    browser.open(&format!("{origin}/"));
    assert_eq!(browser.run("return location.pathname", &[]), json!("/docs"));
    let is_drawn = "return !!document.querySelector('section[id$=\"tag/pets\"]')";
    browser.wait_for(is_drawn, &[]);
    origin
}

pub(super) fn show(browser: &Browser, anchor: &str) -> Value {
    browser.run("location.hash = arguments[0]", &[json!(anchor)]);
    browser.wait_for(SECTION, &[json!(anchor)])
}

#[test]
fn page_shows_plans_and_every_operation_with_its_badges() {
    let Some(browser) = Browser::start("the reference page in a browser") else {
        return;
    };
    let server = ServerProcess::start();
    let origin = open(&browser, &server);
    let plans = "return document.querySelector('table')?.innerText";
    let plans = browser.wait_for(plans, &[]);
    for info in &petstore_api::interface::PLANS {
        assert!(plans.as_str().unwrap().contains(info.name), "{plans}");
    }
    browser.wait_for_text(&["refused requests within 5 minutes"]);

    let document = petstore_api::DOCUMENT.json();
    let mut operations = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, definition) in item.as_object().unwrap() {
            let Some(tag) = definition["tags"][0].as_str() else {
                continue;
            };
            let anchor = format!("tag/{}/{}{path}", tag.to_lowercase(), method.to_uppercase());
            let section = show(&browser, &anchor);
            let text = section["text"].as_str().unwrap();
            assert!(
                text.contains(definition["summary"].as_str().unwrap()),
                "{anchor}"
            );
            let badges = section["badges"].as_array().unwrap();
            let sunset = definition["x-deprecated-sunset"].as_str();
            for (due, badge) in [
                (definition["x-stability"] == "beta", "Beta"),
                (definition["x-stability"] == "experimental", "Experimental"),
                (sunset.is_some(), "Deprecated"),
                (sunset.is_some(), "Sunset 2027-06-30"),
            ] {
                assert_eq!(badges.contains(&json!(badge)), due, "{anchor}: {badge}");
            }
            let hidden = definition["x-hideTryItPanel"] == json!(true);
            assert_eq!(section["tries"], json!(!hidden), "{anchor}");
            operations += 1;
        }
    }
    assert_eq!(operations, petstore_api::OPERATIONS.len());

    let section = show(&browser, "tag/pets/POST/pets")["text"].to_string();
    // The samples can be copied as they are.
    for text in ["credentials with write access", &format!("{origin}/pets")] {
        assert!(section.contains(text), "{section}");
    }
    show(&browser, "tag/pets/GET/pets/{petId}");
    let successor = browser.wait_for(
        "const section = [...document.querySelectorAll('section')].find(it => it.id.endsWith(arguments[0]));
         const link = [...section.querySelectorAll('a')].find(it => it.innerText === 'List pets');
         return link && decodeURI(link.hash)",
        &[json!("tag/pets/GET/pets/{petId}")],
    );
    assert_eq!(successor, json!("#tag/pets/GET/pets"));
    browser.assert_no_errors(&origin);

    browser.run("document.querySelector('.download-button').click()", &[]);
    let text = browser.wait_for(
        "return location.pathname === '/openapi.json' && document.querySelector('pre')?.textContent",
        &[],
    );
    assert_eq!(text, json!(petstore_api::DOCUMENT.text()));
}

/// Opens the panel that sends requests to an operation.
pub(super) fn open_try_out(browser: &Browser, anchor: &str) {
    show(browser, anchor);
    browser.run(
        "[...document.querySelectorAll('section')].find(it => it.id.endsWith(arguments[0])).querySelector('.show-api-client-button').click()",
        &[json!(anchor)],
    );
    browser.wait_for(
        "return !!document.querySelector('[role=dialog] input[id^=scalar-client]')",
        &[],
    );
}

#[test]
fn page_lists_error_codes_defaults_and_what_an_order_needs_first() {
    let Some(browser) = Browser::start("what the reference page says") else {
        return;
    };
    let server = ServerProcess::start();
    open(&browser, &server);
    let rows = browser.wait_for(
        "const table = [...document.querySelectorAll('table')].find(it => it.innerText.startsWith('code'));
         return table && [...table.querySelectorAll('tbody tr')].map(it => [...it.cells].map(it => it.innerText.trim()))",
        &[],
    );
    let rows = rows.as_array().unwrap();
    let codes = &petstore_api::interface::ERROR_CODES;
    assert_eq!(rows.len(), codes.len());
    for (row, code) in rows.iter().zip(codes) {
        assert_eq!(row[0], code.name);
        assert_eq!(row[1], code.status.to_string());
        assert!(row[2].as_str().unwrap().ends_with('.'), "{row}");
    }

    let list = show(&browser, "tag/pets/GET/pets")["text"].to_string();
    assert!(list.contains("Default: 20"), "{list}");
    let order = show(&browser, "tag/store/POST/store/orders")["text"].to_string();
    let order = order.replace("\\n", "\n");
    let (_, body) = order.split_once("A quantity of one pet").unwrap();
    let names = ["petId", "quantity", "shipDate", "complete", "id"];
    let places = names.map(|name| body.find(&format!("\n{name}\n")).unwrap());
    assert!(places.is_sorted(), "{body}");
    for text in [
        "petId, which is required",
        "An order cannot be placed without it",
    ] {
        assert!(order.contains(text), "{order}");
    }
}

#[test]
fn empty_field_of_a_request_is_no_mistake() {
    let Some(browser) = Browser::start("warnings on the reference page") else {
        return;
    };
    let server = ServerProcess::start();
    open(&browser, &server);
    open_try_out(&browser, "tag/pets/GET/pets");
    // Each row has a field for the name and one for the value.
    browser.wait_for(
        "const fields = [...document.querySelectorAll('[role=dialog] [contenteditable]')];
         const name = fields.findIndex(it => it.innerText.trim() === 'categoryId');
         if (name >= 0) fields[name + 1].id = 'category-id';
         return name >= 0",
        &[],
    );
    let warnings = "return [...document.querySelectorAll('[role=dialog] [aria-label=\"Input is invalid\"]')].length";
    assert_eq!(browser.run(warnings, &[]), json!(0));
    browser.type_into("#category-id", "0");
    assert_eq!(browser.wait_for(warnings, &[]), json!(1));
}

#[test]
fn request_is_sent_from_the_page_to_its_own_server() {
    let Some(browser) = Browser::start("a request sent from the reference page") else {
        return;
    };
    let server = ServerProcess::start();
    let origin = open(&browser, &server);
    open_try_out(&browser, "tag/categories/POST/categories");
    let key_field = "[role=dialog] input[id^=scalar-client]";
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
    assert_eq!(server.category_names(), ["Cat"]);
}

/// Fails if the page offers a service of Scalar, has a link to another host that names this server, or stores the key.
fn assert_private(browser: &Browser, key: &str) {
    let wrong = browser.run(
        "const buttons = [...document.querySelectorAll('button')].map(it => it.innerText.trim());
         const links = [...document.querySelectorAll('a')].map(it => it.href)
             .filter(it => it.startsWith('http') && !it.startsWith(location.origin));
         const stored = [localStorage, sessionStorage].map(it => JSON.stringify(it)).concat(document.cookie);
         return [
             ...buttons.filter(it => /Ask AI|Generate|MCP/.test(it)),
             ...links.filter(it => decodeURIComponent(it).includes(location.host)),
             ...stored.filter(it => it.includes(arguments[0])),
         ]",
        &[json!(key)],
    );
    assert_eq!(wrong, json!([]));
}
