//! Lists: as tables, as JSON, a page of them or all.

use petstore_e2e::TestApp;

use crate::ctl::ctl;

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_for_people() {
    let app = TestApp::start().await;
    app.pet_with_stock("Mittens", 12).await;
    app.pet("Bo").await;

    let listed = ctl(&app, "list-inventory").await;
    let one = ctl(&app, "get-inventory --pet-id 1").await;

    assert_eq!(
        listed.out,
        "PETID  QUANTITY  STATUS\n1      12        available\n2      1         available\n"
    );
    assert_eq!(one.out, "petId     1\nquantity  12\nstatus    available\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listing_is_a_page_or_all() {
    let app = TestApp::start().await;
    for number in 1..=205 {
        app.category(&format!("Kind {number}")).await;
    }
    let ids = |run: crate::ctl::Run| -> Vec<i64> {
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
    assert_eq!(all.err, "", "no progress where nobody watches");
    assert_eq!(ids(all), (1..=205).collect::<Vec<_>>());

    let rest = ctl(
        &app,
        "list-categories --all --after 200 --limit 2 --output json",
    )
    .await;
    assert_eq!(ids(rest), (201..=205).collect::<Vec<_>>());
}
