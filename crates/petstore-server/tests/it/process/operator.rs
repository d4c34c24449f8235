//! The page of the operator: who may open it, and what it does in a browser.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};
use test_support::browser::Browser;
use test_support::{Response, ServerProcess, blocking_http, error_line, run_petstore};

const TOKEN: &str = "0123456789abcdef";

/// `operator:0123456789abcdef`
const CREDENTIALS: &str = "Authorization: Basic b3BlcmF0b3I6MDEyMzQ1Njc4OWFiY2RlZg==\r\n";

/// Sends a request to the panel, with these headers after its host.
fn ask(server: &ServerProcess, start: &str, headers: &str, body: &str) -> Response {
    let length = body.len();
    let request = format!(
        "{start} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\nHost: {headers}\r\n{body}"
    );
    blocking_http::send(server.panel, &request)
}

/// The keys that the page lists.
fn list_keys(server: &ServerProcess) -> Vec<Value> {
    let page = ask(server, "GET /operator/keys", "localhost\r\n", "");
    let list: Value = page.json();
    assert_eq!((page.status, &list["more"]), (200, &json!(0)));
    list["keys"].as_array().unwrap().clone()
}

fn run(server: &ServerProcess, words: &[&str]) -> Response {
    let headers = format!(
        "{0}\r\nOrigin: http://{0}\r\nX-Operator: 1\r\n",
        server.panel
    );
    let body = json!(words).to_string();
    ask(server, "POST /operator/keys", &headers, &body)
}

#[test]
fn page_is_for_this_machine_unless_there_is_a_token() {
    let server = ServerProcess::start();
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let file = file.to_str().unwrap();
    let everywhere = ["--admin-listen", "0.0.0.0:0"];
    let open = ServerProcess::start_with(&everywhere);
    let guarded =
        ServerProcess::start_with(&[&everywhere[..], &["--admin-token-file", file]].concat());
    let revoke = json!(["revoke", "1"]).to_string();
    let (keys, login) = ("POST /operator/keys", "POST /operator/login");
    let other_origin = "localhost\r\nX-Operator: 1\r\nOrigin: http://localhost:3000\r\n";
    let credentials = format!("panel.example\r\n{CREDENTIALS}");
    for (server, start, headers, body, status) in [
        (&server, "GET /", "127.0.0.1:8079\r\n", "", 200),
        // A name of another site that leads to this machine.
        (&server, "GET /", "evil.example:8079\r\n", "", 421),
        (&server, keys, "localhost\r\n", &*revoke, 403),
        (&server, keys, other_origin, &revoke, 403),
        // Without a token there is nothing to log in with.
        (&server, login, "localhost\r\nX-Operator: 1\r\n", "", 403),
        (&open, "GET /", "localhost\r\n", "", 403),
        (&open, "GET /healthz", "localhost\r\n", "", 200),
        (&guarded, "GET /", "localhost\r\n", "", 401),
        (&guarded, "GET /operator/events", "localhost\r\n", "", 401),
        (&guarded, "GET /operator/keys", "localhost\r\n", "", 401),
        (&guarded, "GET /operator/page.mjs", "localhost\r\n", "", 401),
        // The page for the login has them, too.
        (
            &guarded,
            "GET /operator/style.css",
            "localhost\r\n",
            "",
            200,
        ),
        (
            &guarded,
            "GET /operator/login.mjs",
            "localhost\r\n",
            "",
            200,
        ),
        (&guarded, "GET /operator/keys", &credentials, "", 200),
        (
            &guarded,
            login,
            "panel.example\r\nX-Operator: 1\r\n",
            TOKEN,
            200,
        ),
        (
            &guarded,
            login,
            "panel.example\r\nX-Operator: 1\r\n",
            "another",
            403,
        ),
        (&guarded, login, "panel.example\r\n", TOKEN, 403),
    ] {
        let answer = ask(server, start, headers, body);
        assert_eq!(answer.status, status, "{start} {headers} {body}");
        let is_login = (start, status) == (login, 200);
        assert_eq!(answer.header("set-cookie").is_some(), is_login, "{headers}");
        let challenge = answer.header("www-authenticate");
        assert_eq!(
            challenge.is_some_and(|it| it.starts_with("Basic ")),
            status == 401
        );
    }
    assert_eq!(list_keys(&server)[0]["revoked_at"], json!(null));
    // The page of the refusal says what to set, and does not lead back to itself.
    let page = ask(&open, "GET /", "localhost\r\nAccept: text/html\r\n", "");
    let is_link = page.text().contains("<a ");
    assert!(page.text().contains("PETSTORE_ADMIN_TOKEN_FILE") && !is_link);
    // Of a browser, which would ask for user and password.
    let page = ask(
        &guarded,
        "GET /",
        "panel.example\r\nAccept: text/html,*/*;q=0.8\r\n",
        "",
    );
    assert_eq!((page.status, page.header("www-authenticate")), (401, None));
    assert!(page.text().contains("type=\"password\""), "{}", page.text());

    std::fs::write(file, "short").unwrap();
    let output = run_petstore(folder.path(), &["serve", "--admin-token-file", file]);
    assert!(error_line(&output).contains("fewer than 16 characters"));
}

#[test]
fn wrong_tokens_are_slowed_down_and_logged_together_and_the_right_one_is_accepted() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, TOKEN).unwrap();
    let server = ServerProcess::start_with(&["--admin-token-file", file.to_str().unwrap()]);
    let log_in = |from: &str, token: &str| {
        let mut stream = blocking_http::connect_from(from.parse().unwrap(), server.panel).unwrap();
        let length = token.len();
        let head = format!(
            "POST /operator/login HTTP/1.1\r\nHost: localhost\r\nX-Operator: 1\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all((head + token).as_bytes()).unwrap();
        blocking_http::read_response(&mut stream)
    };
    // A minute may end in between.
    let wrong = (1..=30).find_map(|count| {
        let refused = log_in("127.0.0.2", "another token");
        assert!(
            refused.status == 403 || refused.status == 429,
            "{}",
            refused.text()
        );
        (refused.status == 429).then_some((count, refused))
    });
    let (count, refused) = wrong.unwrap();
    assert!(count > 10, "{count}");
    let seconds = refused.header("retry-after").unwrap();
    assert!((1..=60).contains(&seconds.parse().unwrap()), "{seconds}");
    assert_eq!(log_in("127.0.0.2", TOKEN).status, 200);
    assert_eq!(log_in("127.0.0.3", "another token").status, 403);
    let basic = |credentials: &str| {
        let headers = format!("localhost\r\nAuthorization: Basic {credentials}\r\n");
        ask(&server, "GET /operator/keys", &headers, "").status
    };
    let statuses: Vec<u16> = (0..30)
        .map_while(|_| Some(basic("YW55Ondyb25n")).filter(|it| *it != 429))
        .collect();
    assert!((10..30).contains(&statuses.len()), "{statuses:?}");
    assert!(statuses.iter().all(|it| *it == 401), "{statuses:?}");
    assert_eq!(basic("b3BlcmF0b3I6MDEyMzQ1Njc4OWFiY2RlZg=="), 200);
    let sent = count + 2 + statuses.len();
    assert_eq!(
        server.metric("petstore_operator_wrong_tokens_total"),
        sent as u64
    );
    let log = server.read_log().into_iter();
    let lines = log.filter(|it| it["msg"] == "wrong tokens were sent to the page of the operator");
    let lines: Vec<Value> = lines.collect();
    assert_eq!(
        (&lines[0]["count"], &lines[0]["last_address"]),
        (&json!(1), &json!("127.0.0.2"))
    );
    assert!(lines.len() < 3, "{lines:?}");
}

#[test]
fn key_commands_of_the_page_are_those_of_the_command_line() {
    let server = ServerProcess::start();
    let create = ["create", "--name=shop", "--plan=free", "--access=read"];
    let created: Value = run(&server, &create).json();
    let id = created["id"].to_string();
    let status = || {
        server
            .get_as(created["key"].as_str().unwrap(), "/pets")
            .status
    };
    assert_eq!(status(), 200);
    let changed: Value = run(&server, &["set-plan", &id, "--plan=pro"]).json();
    assert_eq!(changed["per_minute"], json!(300));
    let rotated: Value = run(&server, &["rotate", &id, "--overlap=1h"]).json();
    assert!(rotated["key"].as_str().unwrap().starts_with("pst_"));
    assert_eq!(status(), 200, "the old secret is accepted");
    let unbanned: Value = run(&server, &["unban", &id]).json();
    assert_eq!(unbanned["was_banned"], json!(false));
    let listed = list_keys(&server);
    let listed = listed.iter().find(|it| it["id"] == created["id"]);
    assert_eq!(listed.unwrap()["secrets"].as_array().unwrap().len(), 2);
    assert_eq!(run(&server, &["revoke", &id]).status, 200);
    assert_eq!(status(), 401);
    for (words, message) in [
        (&["revoke", &id][..], "was revoked before; nothing changes"),
        (&["set-plan", "1"], "--plan"),
        (&["steal"], "unrecognized subcommand 'steal'"),
        (&["rotate", "99"], "there is no key 99"),
    ] {
        let refused = run(&server, words);
        assert_eq!(refused.status, 400, "{words:?}");
        assert!(refused.text().contains(message), "{}", refused.text());
    }
    let log: Value = run(&server, &["log", &id]).json();
    let log = log.as_array().unwrap();
    let changes: Vec<&Value> = log.iter().map(|it| &it["change"]).collect();
    assert_eq!(changes, ["revoked", "ban", "secret", "plan", "created"]);
    for change in log {
        let author = change["author"].as_str().unwrap();
        assert!(author.starts_with("operator's page, "), "{change}");
    }
    let of_command_line = &server.run_keys(&["log", "--last", "200"]);
    assert_eq!(of_command_line.as_array().unwrap()[..5], log[..]);
    let headers = "localhost\r\nX-Operator: 1\r\n";
    let refused = ask(&server, "POST /operator/keys", headers, "{}");
    assert!(refused.text().contains("as a JSON array"));
}

#[test]
fn page_shows_what_happens_as_it_happens_and_changes_keys() {
    let Some(browser) = Browser::start("the page of the operator") else {
        return;
    };
    let server = ServerProcess::start();
    let origin = format!("http://{}", server.panel);
    browser.open(&format!("{origin}/"));
    let there_is = |selector: &str| {
        let find = "const found = document.querySelector(arguments[0]); return found && (found.value || true)";
        browser.wait_for(find, &[json!(selector)])
    };
    browser.wait_for_text(&[
        "live",
        "No requests in the last hour.",
        "Store and disk",
        "first key",
    ]);
    // While the page is open.
    server.create_category("Cat");
    assert_eq!(server.send("GET", "/pets/7", "").status, 404);
    browser.wait_for_text(&[
        "createCategory",
        "404: 1",
        &server.key[..8],
        "2 requests in all",
    ]);
    // Each bar of the chart has its value for the keyboard, too.
    let value = browser.run(
        "const plot = document.querySelector('[role=slider]');
         plot.focus();
         plot.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }));
         return plot.getAttribute('aria-valuetext') + document.querySelector('.value').innerText",
        &[],
    );
    assert_eq!(
        value.as_str().unwrap().matches("(4xx)").count(),
        2,
        "{value}"
    );
    browser.click("Create a key");
    there_is("dialog[open]");
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
    browser.click("Create");
    let secret = there_is("dialog #secret");
    assert!(secret.as_str().unwrap().starts_with("pst_"), "{secret}");
    browser.wait_for_text(&["it is not shown again", "a <b>customer</b>"]);
    // The list of changes may have it before the list of keys.
    let newest = "return document.querySelector('[aria-label=\"API keys\"] tbody tr:last-child')?.innerText.includes('customer')";
    browser.wait_for(newest, &[]);
    browser.click("Close");
    browser.wait_for("return !document.querySelector('dialog')", &[]);
    let focus = browser.run("return document.activeElement.innerText", &[]);
    assert_eq!(focus, json!("Create a key"), "the focus returns");
    // The newest key is the last row.
    browser.click("Plan");
    choose_plan("enterprise");
    there_is("dialog [name=per-day]");
    browser.type_into("dialog [name=per-minute]", "50");
    browser.type_into("dialog [name=per-day]", "5");
    browser.click("Change");
    there_is("dialog [role=alert]");
    let errors = browser.take_errors();
    assert!(errors.concat().contains("400 (Bad Request)"), "{errors:?}");
    // What was typed is still there after a refusal.
    browser.type_into("dialog [name=per-day]", "000");
    browser.click("Change");
    browser.wait_for_text(&["enterprise: 50 a minute, 5,000 a day"]);
    browser.click("Revoke");
    browser.wait_for_text(&[", a <b>customer</b>?", "This cannot be undone."]);
    let focus = browser.run("return document.activeElement.innerText", &[]);
    assert_eq!(focus, json!("Cancel"));
    browser.click("Revoke");
    browser.wait_for_text(&["revoked "]);
    let keys = list_keys(&server);
    let revoked = keys.iter().filter(|it| it["revoked_at"] != json!(null));
    let names: Vec<_> = revoked.map(|it| it["name"].clone()).collect();
    assert_eq!(names, [json!("a <b>customer</b>")]);
    browser.assert_no_errors(&origin);
}

#[test]
fn page_opens_with_the_token_and_says_when_the_connection_is_lost() {
    let Some(browser) = Browser::start("the login of the operator") else {
        return;
    };
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, TOKEN).unwrap();
    let server = ServerProcess::start_with(&["--admin-token-file", file.to_str().unwrap()]);
    browser.open(&format!("http://{}/", server.panel));
    browser.wait_for_text(&["petstore", "Log in"]);
    let style = "const style = getComputedStyle(document.querySelector(arguments[0]));
                 return [style.display, style.backgroundColor, style.borderBottomColor].join()";
    let header = browser.run(style, &[json!("header")]);
    browser.type_into("[name=token]", "a wrong token");
    browser.click("Log in");
    browser.wait_for_text(&["This is not the token."]);
    browser.type_into("[name=token]", TOKEN);
    browser.click("Log in");
    browser.wait_for_text(&["live"]);
    let same = browser.run(style, &[json!("header")]);
    assert_eq!(header, same, "the login looks like the page");
    browser.click("Log out");
    browser.wait_for_text(&["Token of the operator"]);
    browser.type_into("[name=token]", TOKEN);
    browser.click("Log in");
    browser.wait_for_text(&["live"]);
    server.stop();
    browser.wait_for_text(&["Connection lost", "connection lost"]);
}

#[test]
fn wrong_address_of_the_panel_is_a_page_with_a_way_back_for_a_browser() {
    let server = ServerProcess::start();
    for (accept, kind) in [("text/html,*/*;q=0.8", "text/html"), ("*/*", "text/plain")] {
        let headers = format!("localhost\r\nAccept: {accept}\r\n");
        let page = ask(&server, "GET /metrcs", &headers, "");
        assert_eq!(page.status, 404, "{accept}");
        let media_type = format!("{kind}; charset=utf-8");
        assert_eq!(page.header("content-type"), Some(media_type.as_str()));
        assert_eq!(page.text().contains("<a href=\"/\">"), kind == "text/html");
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
        (lines.next().unwrap().unwrap(), lines)
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
