//! Lists: as tables and JSON, one page and all pages.

use test_support::TestApp;

use crate::command::ctl;

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
