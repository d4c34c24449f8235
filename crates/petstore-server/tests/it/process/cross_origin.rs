//! Requests from the page of another site, in a browser.

use serde_json::json;
use test_support::{ServerProcess, programs, run_petstore};

use super::browser::Browser;

/// Creates a category from the page; `null` if the browser does not let it.
const CREATE: &str = "
    const [url, key] = arguments;
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    return fetch(url, { method: 'POST', headers, body: '{\"name\": \"Cat\"}' }).then(
        async response => ({
            status: response.status,
            name: (await response.json()).name,
            exposed: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-Request-Id', 'ETag', 'Location']
                .filter(it => response.headers.get(it)),
        }),
        () => null,
    )";

#[test]
fn page_of_an_allowed_site_calls_the_service_and_others_cannot() {
    if programs::are_missing(&["chromium", "chromedriver"], "requests from another site") {
        return;
    }
    // A server at another port is another site.
    let site = ServerProcess::start();
    let origin = format!("http://{}", site.public);
    let open = ServerProcess::start_with(&[
        "--cors-origin",
        "https://shop.example",
        "--cors-origin",
        &origin,
    ]);
    let browser = Browser::start();
    browser.open(&format!("{origin}/openapi.json"));
    let create = |server: &ServerProcess| {
        let url = format!("http://{}/categories", server.public);
        browser.run(CREATE, &[json!(url), json!(server.key)])
    };
    let expected = json!({
        "status": 201,
        "name": "Cat",
        "exposed": ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-Request-Id", "ETag", "Location"],
    });
    assert_eq!(create(&open), expected);
    let closed = ServerProcess::start();
    assert_eq!(create(&closed), json!(null));
    assert_eq!(
        closed.category_names(),
        [""; 0],
        "the preflight was refused"
    );
}

#[test]
fn wrong_origin_is_an_error_at_the_start() {
    let folder = tempfile::TempDir::new().unwrap();
    let output = run_petstore(
        folder.path(),
        &["serve", "--cors-origin", "https://shop.example/app"],
    );
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    for part in [
        "--cors-origin",
        "https://shop.example/app",
        "and no path; or * for all sites",
    ] {
        assert!(stderr.contains(part), "{part} is missing in {stderr}");
    }
}
