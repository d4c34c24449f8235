//! What the page of the operator shows in a browser: many keys, the log, the requests of a key.

use serde_json::{Value, json};
use test_support::browser::Browser;
use test_support::{Response, ServerProcess, blocking_http};

/// Starts a browser and a server, and opens the page. `None` without a browser.
fn open_page(test: &str, arguments: &[&str]) -> Option<(Browser, ServerProcess)> {
    let browser = Browser::start(test)?;
    let server = ServerProcess::start_with(arguments);
    browser.open(&format!("http://{}/", server.panel));
    browser.wait_for_text(&["live", "a customer"]);
    Some((browser, server))
}

/// Runs a key command on the page's address.
fn run(server: &ServerProcess, words: &[&str]) -> Value {
    let (panel, body) = (server.panel, json!(words).to_string());
    let head = "POST /operator/keys HTTP/1.1\r\nConnection: close\r\nX-Operator: 1\r\n";
    let length = body.len();
    let request = format!("{head}Content-Length: {length}\r\nHost: {panel}\r\n\r\n{body}");
    let answer = blocking_http::send(panel, &request);
    assert_eq!(answer.status, 200, "{words:?}: {}", answer.text());
    answer.json()
}

/// Creates keys of these names on the plan `free`.
fn create_keys(server: &ServerProcess, names: impl Iterator<Item = String>) {
    for name in names {
        run(
            server,
            &["create", &format!("--name={name}"), "--plan=free"],
        );
    }
}

fn read(server: &ServerProcess, path: &str) -> Value {
    let page = server.get_panel(path);
    assert_eq!(page.status, 200, "{path}: {}", page.text());
    page.json()
}

/// A key that sends until it is banned.
fn ban_a_key(server: &ServerProcess) -> String {
    let key = server.create_limited_key(1, 1000);
    let is_banned = |response: Response| response.text().contains("banned");
    assert!((0..40).any(|_| is_banned(server.get_as(&key, "/pets"))));
    key
}

/// The text of the element that a selector finds, as it is shown, with one space between its parts.
fn text_of(browser: &Browser, selector: &str) -> String {
    let text = browser.run(
        "return (document.querySelector(arguments[0])?.innerText ?? '').replaceAll(/\\s+/g, ' ')",
        &[json!(selector)],
    );
    text.as_str().unwrap().to_owned()
}

/// Waits until the text of an element contains one text, and not the other.
fn wait_for_part(browser: &Browser, selector: &str, contained: &str, absent: Option<&str>) {
    browser.wait_for(
        "const text = (document.querySelector(arguments[0])?.innerText ?? '').replaceAll(/\\s+/g, ' ');
         return text.includes(arguments[1]) && !(arguments[2] && text.includes(arguments[2]))",
        &[json!(selector), json!(contained), json!(absent)],
    );
}

/// Sets the field with this label.
fn choose(browser: &Browser, label: &str, value: &str) {
    set_field(browser, &format!("[aria-label='{label}']"), value);
}

/// Sets the field with this name in a dialog.
fn choose_in_dialog(browser: &Browser, name: &str, value: &str) {
    set_field(browser, &format!("dialog [name={name}]"), value);
}

/// Sets a field as its user does.
fn set_field(browser: &Browser, selector: &str, value: &str) {
    browser.wait_for(
        "const field = document.querySelector(arguments[0]);
         if (field) {
             field.focus();
             field.value = arguments[1];
             field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
         }
         return field?.value === arguments[1]",
        &[json!(selector), json!(value)],
    );
}

#[test]
fn many_keys_are_found_sorted_and_divided_into_pages() {
    let Some((browser, server)) = open_page("a list of many keys", &[]) else {
        return;
    };
    create_keys(&server, (1..=60).map(|number| format!("shop {number:02}")));
    run(&server, &["revoke", "3"]);
    let names = |query: &str| -> (Vec<Value>, [Value; 4]) {
        let list = read(&server, &format!("/operator/keys?{query}"));
        let keys = list["keys"].as_array().unwrap().iter();
        let members = ["page", "pages", "found", "more"].map(|member| list[member].clone());
        (keys.map(|key| key["name"].clone()).collect(), members)
    };
    // The first key, that of the server, and 60 shops.
    let all = names("").1;
    assert_eq!(all, [json!(1), json!(3), json!(62), json!(37)]);
    let (last, members) = names("sort=name&page=9");
    assert_eq!((last.len(), last[11].clone()), (12, json!("shop 60")));
    assert_eq!(members, [json!(3), json!(3), json!(62), json!(0)]);
    let (found, _) = names("search=SHOP+5&sort=name&descending=true");
    assert_eq!((found.len(), &found[0]), (10, &json!("shop 59")));
    assert_eq!(names("shown=revoked").0, ["shop 01"]);
    assert_eq!(names("shown=used").1[2], json!(61));
    let counts = read(&server, "/operator/keys")["counts"].clone();
    assert_eq!(counts["all"], json!(62));
    assert_eq!(
        counts["plans"]["free"],
        json!(59),
        "without the revoked one"
    );

    let (keys, pages) = (
        "table[aria-label='API keys']",
        "[aria-label='Pages of the keys']",
    );
    choose(&browser, "Which keys are shown", "used");
    wait_for_part(&browser, pages, "1–25 of 61 keys", None);
    browser.click("Next");
    wait_for_part(&browser, pages, "26–50 of 61 keys", None);
    let focus = browser.run("return document.activeElement.innerText", &[]);
    assert_eq!(focus, json!("Next"), "the focus stays");
    choose(&browser, "Find by name, note, prefix, plan", "shop 4");
    wait_for_part(&browser, pages, "1–10 of 10 keys", None);
    let first = "[aria-label='API keys'] tbody tr td:nth-child(2)";
    wait_for_part(&browser, first, "shop 40", None);
    let sort = "const head = [...document.querySelectorAll(arguments[0] + ' th')].find(it => it.innerText.startsWith('name'));
                head.querySelector('button').click();
                return true";
    browser.run(sort, &[json!(keys)]);
    browser.run(sort, &[json!(keys)]);
    wait_for_part(&browser, first, "shop 49", None);
    let order = "return document.querySelector(arguments[0] + ' [aria-sort]').ariaSort";
    assert_eq!(browser.run(order, &[json!(keys)]), json!("descending"));
    let height = browser.run("return document.documentElement.scrollHeight", &[]);
    assert!(height.as_u64().unwrap() < 5000, "{height} pixels");
}

#[test]
fn numbers_at_the_top_lead_to_bans_and_buttons_stay_in_one_line() {
    let Some((browser, server)) = open_page("numbers at the top", &[]) else {
        return;
    };
    let top = "[aria-label='Headline numbers']";
    for part in [
        "requests a second 0.0",
        "p99 of operations –",
        "keys in use 0 of 2 ",
        "keys banned now 0",
    ] {
        wait_for_part(&browser, top, part, None);
    }
    ban_a_key(&server);
    for part in [
        "refused (4xx) 9",
        "keys in use 1 of 3 ",
        "keys banned now 1",
    ] {
        wait_for_part(&browser, top, part, Some("p99 of operations –"));
    }
    browser.click("Show bans and strikes");
    wait_for_part(
        &browser,
        "[aria-label='Pages of the keys']",
        "1–1 of 1 key",
        None,
    );
    browser.wait_for_text(&["banned until "]);
    // With a name that takes all the room it gets, at 1,400 pixels.
    let rows = browser.run(
        "document.querySelector('[aria-label=\"API keys\"] tbody td:nth-child(2) div').innerText = 'a long name '.repeat(8);
         const row = document.querySelector('[aria-label=\"API keys\"] tbody tr');
         const scroll = row.closest('.scroll');
         const tops = [...row.querySelectorAll('button')].map(it => it.offsetTop);
         return [window.innerWidth, new Set(tops).size, tops.length, scroll.scrollWidth - scroll.clientWidth]",
        &[],
    );
    assert_eq!(rows, json!([1400, 1, 6, 0]));
    browser.click("Unban");
    browser.wait_for_text(&["may send again"]);
    wait_for_part(&browser, top, "keys banned now 0", None);
}

#[test]
fn plans_have_their_limits_and_pages_of_the_reference_are_no_operations() {
    let Some((browser, server)) = open_page("plans and pages", &[]) else {
        return;
    };
    assert_eq!(blocking_http::get(server.public, "/docs").status, 200);
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    let operations = "#operations";
    wait_for_part(&browser, operations, "listPets", Some("/docs"));
    wait_for_part(
        &browser,
        operations,
        "Without 1 request for the pages of the reference",
        None,
    );
    wait_for_part(&browser, "#slowest", "listPets", Some("/docs"));
    wait_for_part(&browser, "#senders", "200: 1", Some("without a valid key"));
    for (name, limits) in [("free", "60 1,000"), ("enterprise", "own own")] {
        let plans = text_of(&browser, "table[aria-label=Plans]");
        assert!(plans.contains(&format!("{name} {limits}")), "{plans}");
    }
    let docs = browser.run(
        "return document.querySelector('header a[target]').href",
        &[],
    );
    assert_eq!(docs, json!(format!("http://{}/docs", server.public)));
    browser.click("Create a key");
    wait_for_part(
        &browser,
        "dialog [name=plan]",
        "free: 60 a minute, 1,000 a day",
        None,
    );
}

#[test]
fn log_is_filtered_by_level_key_and_operation_and_pauses() {
    for format in ["json", "terminal"] {
        let Some((browser, server)) = open_page("the log", &["--log-format", format]) else {
            return;
        };
        let other = server.create_key(&["--plan", "free"]);
        assert_eq!(server.send("GET", "/pets", "").status, 200);
        assert_eq!(server.get_as(&other, "/categories").status, 200);
        let log = "#log";
        // With its name, as identifiers and ports have these digits too.
        let missing = "status: 404";
        // A field is a field in both formats.
        wait_for_part(
            &browser,
            log,
            &format!("key: {}", &other[..8]),
            Some("{\"level"),
        );
        wait_for_part(&browser, log, "INFO ", None);
        choose(&browser, "Key of the lines", &other[..8]);
        wait_for_part(&browser, log, &other[..8], Some(&server.key[..8]));
        choose(&browser, "Key of the lines", "");
        wait_for_part(&browser, log, &server.key[..8], None);
        choose(&browser, "Level", "2");
        wait_for_part(&browser, log, "", Some("INFO"));
        choose(&browser, "Level", "0");
        browser.click("Pause");
        assert_eq!(server.send("GET", "/pets/7", "").status, 404);
        browser.wait_for_text(&["newer line"]);
        assert!(!text_of(&browser, log).contains(missing), "{format}");
        browser.click("Go on");
        wait_for_part(&browser, log, missing, None);
        choose(&browser, "Operation or text", "GETPET");
        wait_for_part(&browser, log, missing, Some(&other[..8]));
    }
}

#[test]
fn last_requests_of_a_key_are_shown_and_filtered() {
    let Some((browser, server)) = open_page("the requests of a key", &[]) else {
        return;
    };
    let key = server.create_key(&["--plan", "free"]);
    let id = run(&server, &["show", &key[..8]])["id"].clone();
    assert_eq!(server.get_as(&key, "/pets").status, 200);
    let missing = server.get_as(&key, "/pets/7");
    assert_eq!(server.send("GET", "/categories", "").status, 200);
    let all = read(&server, &format!("/operator/requests?key={id}"));
    let [newest, oldest] = [0, 1].map(|index| all["requests"][index].clone());
    assert_eq!(newest["request_id"], json!(missing.header("x-request-id")));
    for (member, value) in [
        ("method", json!("GET")),
        ("path", json!("/pets/{petId}")),
        ("operation", json!("getPet")),
        ("status", json!(404)),
        ("code", json!("pet_not_found")),
    ] {
        assert_eq!(newest[member], value, "{member}");
    }
    assert_eq!(
        (&oldest["operation"], &oldest["code"]),
        (&json!("listPets"), &json!(null))
    );
    assert_eq!(
        all["requests"].as_array().unwrap().len(),
        2,
        "of this key only"
    );
    assert_eq!((&all["most"], all["started"].is_i64()), (&json!(100), true));
    assert_eq!(server.get_panel("/operator/requests").status, 400);
    // What a client wrote wrongly may be a secret.
    assert_eq!(server.get_as(&key, "/a-secret").status, 404);
    let all = read(&server, &format!("/operator/requests?key={id}"));
    assert_eq!(all["requests"][0]["path"], json!(null), "{all}");

    choose(&browser, "Find by name, note, prefix, plan", &key[..8]);
    wait_for_part(
        &browser,
        "[aria-label='Pages of the keys']",
        "1–1 of 1 key",
        None,
    );
    browser.click("Show");
    let requests = "table[aria-label='Requests of the key']";
    wait_for_part(&browser, requests, "GET /pets/{petId}", None);
    choose(&browser, "Status", "4");
    wait_for_part(&browser, requests, "pet_not_found", Some("listPets"));
    choose(&browser, "Status", "404");
    // While the dialog is open; the focus stays where it is.
    assert_eq!(server.get_as(&key, "/categories/7").status, 404);
    wait_for_part(&browser, requests, "getCategory", None);
    let focus = browser.run("return document.activeElement.ariaLabel", &[]);
    assert_eq!(focus, json!("Status"));
    choose(&browser, "Operation", "getPet");
    wait_for_part(&browser, requests, "getPet", Some("getCategory"));
    choose(&browser, "Time", "300");
    wait_for_part(&browser, requests, "getPet", None);
    browser.assert_no_errors(&format!("http://{}", server.panel));
}

#[test]
fn paths_of_requests_are_shown_if_the_log_has_them() {
    let server = ServerProcess::start_with(&["--log-fields", "path"]);
    let id = run(&server, &["show", &server.key[..8]])["id"].clone();
    assert_eq!(server.send("GET", "/pets?limit=5", "").status, 200);
    let all = read(&server, &format!("/operator/requests?key={id}"));
    assert_eq!(all["requests"][0]["path"], json!("/pets"));
}

#[test]
fn keys_are_edited_and_their_changes_are_listed() {
    let Some((browser, server)) = open_page("changes of keys", &[]) else {
        return;
    };
    server.run_keys(&["create", "--name", "by command line", "--plan", "pro"]);
    browser.click("Create a key");
    choose_in_dialog(&browser, "name", "shop");
    choose_in_dialog(&browser, "plan", "free");
    choose_in_dialog(&browser, "note", "until May");
    browser.click("Create");
    browser.wait_for_text(&["it is not shown again"]);
    browser.click("Close");
    let last = "[aria-label='API keys'] tbody tr:last-child";
    wait_for_part(&browser, last, "shop until May", None);
    browser.click("Edit");
    // Nothing is changed.
    browser.wait_for_text(&[", shop"]);
    browser.click("Change");
    browser.wait_for_text(&["nothing would change"]);
    choose_in_dialog(&browser, "name", "market");
    choose_in_dialog(&browser, "access", "read");
    choose_in_dialog(&browser, "expires", "2222-01-31");
    choose_in_dialog(&browser, "note", "");
    browser.click("Change");
    browser.wait_for_text(&["market: it is changed."]);
    wait_for_part(&browser, last, "market", Some("until May"));
    wait_for_part(&browser, last, "expires 2222-01-31", None);
    let errors = browser.take_errors();
    assert_eq!(errors.len(), 1, "the refusal: {errors:?}");

    let changes = "table[aria-label='Changes of all keys']";
    for part in [
        "by command line",
        "until May",
        "operator's page",
        "shop market",
        "write read",
    ] {
        wait_for_part(&browser, changes, part, None);
    }
    choose(&browser, "Find in changes", "expiry");
    wait_for_part(&browser, changes, "2222-01-31", Some("by command line"));
    browser.click("Show");
    let of_key = "table[aria-label='Changes of the key']";
    wait_for_part(&browser, of_key, "2222-01-31", Some("by command line"));
    wait_for_part(&browser, "dialog", "No request yet.", None);
    browser.assert_no_errors(&format!("http://{}", server.panel));
}
