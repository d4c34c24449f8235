//! The page of the operator: who may open it, and what it does in a browser.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use serde_json::{Value, json};
use test_support::{Response, ServerProcess, blocking_http, programs, run_petstore};

use super::browser::Browser;

/// `operator:0123456789abcdef`
const CREDENTIALS: &str = "Authorization: Basic b3BlcmF0b3I6MDEyMzQ1Njc4OWFiY2RlZg==\r\n";

fn ask(server: &ServerProcess, start: &str, headers: &str, body: &str) -> Response {
    let length = body.len();
    let request = format!(
        "{start} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    );
    blocking_http::send(server.panel, &request)
}

/// The keys that the page lists.
fn list_keys(server: &ServerProcess) -> Vec<Value> {
    let page = ask(server, "GET /operator/keys", "Host: localhost\r\n", "");
    assert_eq!(page.status, 200, "{}", page.text());
    let list: Value = page.json();
    assert_eq!(list["more"], json!(0));
    list["keys"].as_array().unwrap().clone()
}

fn run(server: &ServerProcess, words: &[&str]) -> Response {
    let headers = format!(
        "Host: {0}\r\nOrigin: http://{0}\r\nX-Operator: 1\r\n",
        server.panel
    );
    ask(
        server,
        "POST /operator/keys",
        &headers,
        &json!(words).to_string(),
    )
}

#[test]
fn page_is_for_this_machine_unless_there_is_a_token() {
    let server = ServerProcess::start();
    let status = |headers: &str| ask(&server, "GET /", headers, "").status;
    assert_eq!(status("Host: 127.0.0.1:9090\r\n"), 200);
    // A name of another site that leads to this machine.
    assert_eq!(status("Host: evil.example:9090\r\n"), 421);
    let revoke = json!(["revoke", "1"]).to_string();
    for headers in [
        "Host: localhost\r\n",
        "Host: localhost\r\nX-Operator: 1\r\nOrigin: http://localhost:3000\r\n",
        "Host: localhost\r\nContent-Type: text/plain\r\nOrigin: null\r\n",
    ] {
        let refused = ask(&server, "POST /operator/keys", headers, &revoke);
        assert_eq!(refused.status, 403, "{headers}");
    }
    assert_eq!(list_keys(&server)[0]["revoked_at"], json!(null));

    let everywhere = ServerProcess::start_with(&["--admin-listen", "0.0.0.0:0"]);
    let page = ask(&everywhere, "GET /", "Host: localhost\r\n", "");
    assert_eq!(page.status, 403);
    assert!(
        page.text().contains("--admin-token-file"),
        "{}",
        page.text()
    );
    assert_eq!(everywhere.get_panel("/healthz").status, 200);

    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "0123456789abcdef\n").unwrap();
    let file = file.to_str().unwrap();
    let guarded =
        ServerProcess::start_with(&["--admin-listen", "0.0.0.0:0", "--admin-token-file", file]);
    for path in [
        "/",
        "/operator/events",
        "/operator/keys",
        "/operator/page.mjs",
    ] {
        let page = ask(&guarded, &format!("GET {path}"), "Host: localhost\r\n", "");
        assert_eq!(page.status, 401, "{path}");
        assert!(
            page.header("www-authenticate")
                .unwrap()
                .starts_with("Basic ")
        );
    }
    let headers = format!("Host: panel.example\r\n{CREDENTIALS}");
    assert_eq!(
        ask(&guarded, "GET /operator/keys", &headers, "").status,
        200
    );

    let login_of = |accept: &str| {
        let headers = format!("Host: panel.example\r\nAccept: {accept}\r\n");
        ask(&guarded, "GET /", &headers, "")
    };
    let login = login_of("text/html,*/*;q=0.8");
    // The browser would ask for user and password.
    assert_eq!(
        (login.status, login.header("www-authenticate")),
        (401, None)
    );
    assert!(
        login.text().contains("type=\"password\""),
        "{}",
        login.text()
    );
    assert_eq!(
        login_of("text/event-stream").header("www-authenticate"),
        None
    );
    for (headers, token, status) in [
        ("X-Operator: 1\r\n", "0123456789abcdef", 200),
        ("X-Operator: 1\r\n", "0123456789abcdee", 403),
        ("", "0123456789abcdef", 403),
        (
            "X-Operator: 1\r\nOrigin: http://evil.example\r\n",
            "0123456789abcdef",
            403,
        ),
    ] {
        let headers = format!("Host: panel.example\r\n{headers}");
        let answer = ask(&guarded, "POST /operator/login", &headers, token);
        assert_eq!(answer.status, status, "{headers} {token}");
        let has_cookie = answer.header("set-cookie").is_some();
        assert_eq!(has_cookie, status == 200, "{headers} {token}");
    }
    // Without a token there is nothing to log in with.
    let headers = "Host: localhost\r\nX-Operator: 1\r\n";
    assert_eq!(
        ask(&server, "POST /operator/login", headers, "").status,
        403
    );

    std::fs::write(file, "short").unwrap();
    let output = run_petstore(folder.path(), &["serve", "--admin-token-file", file]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("fewer than 16 characters"), "{stderr}");
}

#[test]
fn key_commands_of_the_page_are_those_of_the_command_line() {
    let server = ServerProcess::start();
    let created = run(
        &server,
        &["create", "--name=shop", "--plan=free", "--access=read"],
    );
    assert_eq!(created.status, 200, "{}", created.text());
    let created: Value = created.json();
    let id = created["id"].to_string();
    let secret = created["key"].as_str().unwrap();
    let head = server.format_request("GET", "/pets", "", "");
    let with_secret = head.replace(&server.key, secret);
    let status = || blocking_http::send(server.public, &with_secret).status;
    assert_eq!(status(), 200);

    let changed: Value = run(&server, &["set-plan", &id, "--plan=pro"]).json();
    assert_eq!(changed["per_minute"], json!(300));
    let rotated: Value = run(&server, &["rotate", &id, "--overlap=1h"]).json();
    assert!(rotated["key"].as_str().unwrap().starts_with("pst_"));
    assert_eq!(status(), 200, "the old secret is accepted");
    let unbanned: Value = run(&server, &["unban", &id]).json();
    assert_eq!(unbanned["was_banned"], json!(false));
    assert_eq!(
        run(&server, &["set-scopes", &id, "--all-scopes"]).status,
        200
    );
    let listed = list_keys(&server)
        .into_iter()
        .find(|it| it["id"] == created["id"]);
    assert_eq!(listed.unwrap()["secrets"].as_array().unwrap().len(), 2);
    assert_eq!(run(&server, &["revoke", &id]).status, 200);
    assert_eq!(status(), 401);

    for (words, message) in [
        (&["revoke", &id][..], "was revoked before; nothing changes"),
        (
            &["create", "--name=x", "--plan=none"],
            "invalid value 'none' for '--plan <PLAN>'",
        ),
        (
            &["create", "--name=", "--plan=free"],
            "a name has 1 to 100 characters",
        ),
        (&["set-plan", "1"], "--plan"),
        (&["steal"], "unrecognized subcommand 'steal'"),
        (&["rotate", "99"], "there is no key 99"),
    ] {
        let refused = run(&server, words);
        assert_eq!(refused.status, 400, "{words:?}");
        assert!(
            refused.text().contains(message),
            "{words:?}: {}",
            refused.text()
        );
    }
    let headers = "Host: localhost\r\nX-Operator: 1\r\n";
    let refused = ask(&server, "POST /operator/keys", headers, "{}");
    assert!(
        refused.text().contains("as a JSON array"),
        "{}",
        refused.text()
    );
}

#[test]
fn page_shows_what_happens_as_it_happens_and_changes_keys() {
    if programs::are_missing(&["chromium", "chromedriver"], "the page of the operator") {
        return;
    }
    let server = ServerProcess::start();
    let browser = Browser::start();
    let origin = format!("http://{}", server.panel);
    browser.open(&format!("{origin}/"));
    let contains = "return document.body.innerText.includes(arguments[0])";
    let wait_for_text = |text: &str| browser.wait_for(contains, &[json!(text)]);
    for text in [
        "live",
        "No requests in the last hour.",
        "Store and disk",
        "first key",
        "nobody",
    ] {
        wait_for_text(text);
    }
    // While the page is open.
    server.create_category("Cat");
    assert_eq!(server.send("GET", "/pets/7", "").status, 404);
    for text in [
        "createCategory",
        "404: 1",
        &server.key[..8],
        "commits",
        "p95",
        "2 requests in all",
    ] {
        wait_for_text(text);
    }
    browser.wait_for(
        "return document.querySelector('#log')?.innerText.includes('createCategory')",
        &[],
    );
    // Each bar of the chart has its value for the keyboard, too.
    let value = browser.run(
        "const plot = document.querySelector('[role=slider]');
         plot.focus();
         plot.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }));
         return plot.getAttribute('aria-valuetext') + document.querySelector('.value').innerText",
        &[],
    );
    let value = value.as_str().unwrap();
    assert!(
        value.contains("–now: ") && value.matches("(4xx)").count() == 2,
        "{value}"
    );
    let click = |name: &str| {
        browser.wait_for(
            "const button = [...document.querySelectorAll('button')].findLast(it => it.innerText === arguments[0]);
             button?.focus();
             button?.click();
             return !!button",
            &[json!(name)],
        )
    };
    click("Create a key");
    browser.wait_for("return !!document.querySelector('dialog[open]')", &[]);
    browser.type_into("dialog [name=name]", "a <b>customer</b>");
    let choose_plan = |name: &str| {
        browser.wait_for(
            "const plan = document.querySelector('dialog [name=plan]');
             if (plan) { plan.value = arguments[0]; plan.dispatchEvent(new Event('change')); }
             return !!plan",
            &[json!(name)],
        )
    };
    choose_plan("free");
    click("Create");
    let secret = browser.wait_for(
        "return document.querySelector('dialog #secret')?.value",
        &[],
    );
    assert!(secret.as_str().unwrap().starts_with("pst_"), "{secret}");
    wait_for_text("it is not shown again");
    wait_for_text("a <b>customer</b>");
    click("Copy");
    browser.wait_for(
        "return /^Copied|does not copy/m.test(document.querySelector('dialog').innerText)",
        &[],
    );
    click("Close");
    browser.wait_for("return !document.querySelector('dialog')", &[]);
    let focus = browser.run("return document.activeElement.innerText", &[]);
    assert_eq!(focus, json!("Create a key"), "the focus returns");
    // The newest key is the last row. Its dialog begins with what it has.
    click("Plan");
    let plan = "return document.querySelector('dialog [name=plan]')?.value === arguments[0]";
    browser.wait_for(plan, &[json!("free")]);
    choose_plan("enterprise");
    browser.wait_for(
        "return !!document.querySelector('dialog [name=per-day]')",
        &[],
    );
    browser.type_into("dialog [name=per-minute]", "50");
    browser.type_into("dialog [name=per-day]", "5");
    click("Change");
    // What was typed is still there after a refusal.
    browser.wait_for(
        "return !!document.querySelector('dialog [role=alert]')",
        &[],
    );
    browser.wait_for(
        "return document.querySelector('dialog [name=per-day]').value === '5'",
        &[],
    );
    let errors = browser.take_errors();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains("400 (Bad Request)"), "{errors:?}");
    browser.type_into("dialog [name=per-day]", "000");
    click("Change");
    wait_for_text("enterprise: 50 a minute, 5,000 a day");
    wait_for_text("a <b>customer</b>: it has the plan enterprise now.");
    click("Revoke");
    wait_for_text(", a <b>customer</b>?");
    wait_for_text("This cannot be undone.");
    let focus = browser.run("return document.activeElement.innerText", &[]);
    assert_eq!(focus, json!("Cancel"));
    click("Revoke");
    wait_for_text("revoked ");
    let keys = list_keys(&server);
    let revoked = keys.iter().filter(|it| it["revoked_at"] != json!(null));
    let names: Vec<_> = revoked.map(|it| it["name"].clone()).collect();
    assert_eq!(names, [json!("a <b>customer</b>")]);
    browser.screenshot(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("operator.png"));
    browser.assert_no_errors(&origin);
}

#[test]
fn page_opens_with_the_token_and_says_when_the_connection_is_lost() {
    if programs::are_missing(&["chromium", "chromedriver"], "the login of the operator") {
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "0123456789abcdef\n").unwrap();
    let server = ServerProcess::start_with(&["--admin-token-file", file.to_str().unwrap()]);
    let browser = Browser::start();
    browser.open(&format!("http://{}/", server.panel));
    let contains = "return document.body.innerText.includes(arguments[0])";
    let wait_for_text = |text: &str| browser.wait_for(contains, &[json!(text)]);
    let click = |name: &str| {
        browser.wait_for(
            "const button = [...document.querySelectorAll('button')].find(it => it.innerText === arguments[0]);
             button?.click();
             return !!button",
            &[json!(name)],
        )
    };
    browser.type_into("[name=token]", "a wrong token");
    click("Log in");
    wait_for_text("This is not the token.");
    browser.type_into("[name=token]", "0123456789abcdef");
    click("Log in");
    wait_for_text("live");
    click("Log out");
    wait_for_text("Token of the operator");
    browser.type_into("[name=token]", "0123456789abcdef");
    click("Log in");
    wait_for_text("live");
    server.stop();
    wait_for_text("Connection lost");
    wait_for_text("connection lost");
}

#[test]
fn wrong_address_of_the_panel_is_a_page_with_a_way_back_for_a_browser() {
    let server = ServerProcess::start();
    for path in ["/metrcs", "/operator/nothing"] {
        let start = format!("GET {path}");
        let page = ask(
            &server,
            &start,
            "Host: localhost\r\nAccept: text/html,*/*;q=0.8\r\n",
            "",
        );
        assert_eq!(page.status, 404, "{path}");
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        assert!(page.text().contains("<a href=\"/\">"), "{}", page.text());
        let text = ask(&server, &start, "Host: localhost\r\nAccept: */*\r\n", "");
        assert_eq!(text.status, 404, "{path}");
        assert_eq!(
            text.header("content-type"),
            Some("text/plain; charset=utf-8")
        );
    }
}

#[test]
fn pages_that_are_open_leave_room_for_health_checks_and_let_the_server_stop() {
    let server = ServerProcess::start();
    let open = || {
        let mut stream = blocking_http::connect(server.panel);
        let head = "GET /operator/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines();
        let status = lines.next().unwrap().unwrap();
        (status, lines)
    };
    let mut pages: Vec<_> = (0..8).map(|_| open()).collect();
    for (status, lines) in &mut pages {
        assert_eq!(status, "HTTP/1.1 200 OK");
        let event = lines.find(|line| line.as_ref().unwrap() == "event: state");
        assert!(event.is_some());
    }
    assert_eq!(open().0, "HTTP/1.1 503 Service Unavailable");
    assert_eq!(server.get_panel("/healthz").status, 200);
    server.stop();
}
