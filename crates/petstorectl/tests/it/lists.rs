//! Lists: as tables and JSON, one page and all pages.

use std::io::{Read, Write};
use std::net::TcpListener;

use test_support::TestApp;

use crate::command::{ctl, run_line};

#[tokio::test(flavor = "multi_thread")]
async fn prints_list_and_record_as_table() {
    let app = TestApp::start().await;
    app.create_pet_with_stock("Mittens", 12).await;
    app.create_pet("Bo").await;

    let listed = ctl(&app, "list-inventory").await;
    let one = ctl(&app, "get-inventory --pet-id 1").await;

    assert_eq!(
        listed.out,
        "PETID  QUANTITY  STATUS\n1      12        available\n2      1         available\n"
    );
    assert_eq!(one.out, "petId     1\nquantity  12\nstatus    available\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn prints_one_page_or_all_pages() {
    let app = TestApp::start().await;
    for number in 1..=205 {
        app.create_category(&format!("Kind {number}")).await;
    }
    let ids = |run: crate::command::Run| -> Vec<i64> {
        let records = run.json();
        records
            .as_array()
            .unwrap()
            .iter()
            .map(|record| record["id"].as_i64().unwrap())
            .collect()
    };

    let page = ctl(&app, "list-categories --output json").await;
    assert!(page.err.contains("--all"), "{}", page.err);
    assert_eq!(ids(page), (1..=20).collect::<Vec<_>>());

    let all = ctl(&app, "list-categories --all --output json").await;
    assert_eq!(all.err, "", "no progress without a terminal");
    assert_eq!(ids(all), (1..=205).collect::<Vec<_>>());

    let rest = ctl(
        &app,
        "list-categories --all --after 200 --limit 2 --output json",
    )
    .await;
    assert_eq!(ids(rest), (201..=205).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_next_link_to_same_page() {
    // A cache that ignores the query returns the first page every time. This one closes after three requests.
    let cache = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = cache.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in cache.incoming().take(3) {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]).unwrap();
            let page = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\nlink: </categories?after=20>; rel=\"next\"\r\n\r\n[]";
            stream.write_all(page.as_bytes()).unwrap();
        }
    });

    let line = format!("--url http://{address} --key x --timeout 1 list-categories --all");
    let listed = run_line(&line).await;

    assert_eq!(listed.code, Some(3), "{}", listed.err);
    assert!(listed.err.contains("same page again"), "{}", listed.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn escapes_control_characters() {
    let app = TestApp::start().await;
    app.create_category("a\u{9b}31mb\u{202e}c").await;

    let table = ctl(&app, "list-categories").await;
    let json = ctl(&app, "list-categories --output json").await;

    assert_eq!(table.out, "ID  NAME\n1   a\\u{9b}31mb\\u{202e}c\n");
    assert!(json.out.contains(r"a\u009b31mb\u202ec"), "{}", json.out);
    assert_eq!(json.json()[0]["name"], "a\u{9b}31mb\u{202e}c");
}
