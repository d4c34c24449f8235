//! Commands that show entity tags, and commands that take them.

use serde_json::json;
use test_support::TestApp;

use crate::command::ctl;

#[tokio::test(flavor = "multi_thread")]
async fn shows_the_tag_of_a_record_and_takes_it_in_a_condition() {
    let app = TestApp::start().await;
    app.create_category("Cat").await;

    let read = ctl(&app, "get-category 1 --output json --show-etag").await;
    assert_eq!(read.json()["name"], json!("Cat"), "the output stays JSON");
    let tag = read.err.trim().strip_prefix("ETag: ").expect("a tag");
    let silent = ctl(&app, "get-category 1").await;
    assert_eq!(silent.err, "", "without --show-etag");

    let unchanged = ctl(&app, &format!("get-category 1 --if-none-match {tag}")).await;
    assert_eq!((unchanged.code, unchanged.out.as_str()), (Some(0), ""));
    assert_eq!(unchanged.err, "petstorectl: not modified\n");

    let replace = format!("replace-category 1 --name Dog --if-match {tag}");
    let replaced = ctl(&app, &replace).await;
    assert_eq!(replaced.code, Some(0), "{}", replaced.err);
    let refused = ctl(&app, &replace).await;
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.err.contains("(precondition_failed, request "),
        "{}",
        refused.err
    );
}
