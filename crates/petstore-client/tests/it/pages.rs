//! Lists from their first page to their last.

use futures::{StreamExt, TryStreamExt};
use petstore_client::{ErrorCode, Refused, RetryPolicy, types};

use crate::service::Step;
use crate::{CUT_IN_BODY, scripted};

const FIRST: Step = Step::Answer(
    200,
    &["link: </elsewhere/pets?status=available&after=2>; rel=\"next\""],
    r#"[{"id": 1, "name": "a", "categoryId": 1}, {"id": 2, "name": "b", "categoryId": 1}]"#,
);
const LAST: Step = Step::Answer(200, &[], r#"[{"id": 3, "name": "c", "categoryId": 1}]"#);
const EMPTY: Step = Step::Answer(200, &[], "[]");
const LEADING_NOWHERE: Step = Step::Answer(200, &["link: </pets>; rel=\"next\""], "[]");
const REFUSED: Step = Step::Answer(
    401,
    &[],
    r#"{"status": 401, "code": "revoked_api_key", "message": "no"}"#,
);

#[tokio::test]
async fn the_link_leads_from_page_to_page() {
    let (client, service, _clock) = scripted(&[FIRST, LAST]).await;

    let list = client.list_pets().status(types::PetStatus::Available);
    let pets: Vec<types::Pet> = list.all().try_collect().await.unwrap();

    assert_eq!(pets.iter().map(|pet| pet.id).collect::<Vec<_>>(), [1, 2, 3]);
    let lines: Vec<String> = service.seen().into_iter().map(|seen| seen.line).collect();
    assert_eq!(
        lines,
        [
            "GET /pets?status=available",
            "GET /pets?status=available&after=2"
        ]
    );
    let (first, second) = (&service.seen()[0], &service.seen()[1]);
    for header in ["accept", "api-version", "user-agent", "x-api-key"] {
        assert!(first.header(header).is_some(), "{header}");
        assert_eq!(first.header(header), second.header(header), "{header}");
    }
}

#[tokio::test]
async fn a_page_is_fetched_only_when_it_is_needed() {
    let (client, service, _clock) = scripted(&[FIRST, LAST]).await;

    let mut pets = client.pets_all();
    assert_eq!(service.seen().len(), 0);
    pets.next().await.unwrap().unwrap();
    pets.next().await.unwrap().unwrap();
    assert_eq!(service.seen().len(), 1);
    pets.next().await.unwrap().unwrap();
    assert_eq!(service.seen().len(), 2);
    assert!(pets.next().await.is_none());
    assert_eq!(service.seen().len(), 2);
}

#[tokio::test]
async fn an_error_ends_the_stream() {
    let (client, service, _clock) = scripted(&[FIRST, REFUSED, LAST]).await;

    let mut pets = client.pets_all();
    pets.next().await.unwrap().unwrap();
    pets.next().await.unwrap().unwrap();
    let error = pets.next().await.unwrap().unwrap_err();

    assert_eq!(error.code(), Some(ErrorCode::RevokedApiKey));
    assert!(pets.next().await.is_none());
    assert_eq!(service.seen().len(), 2);
}

#[tokio::test]
async fn later_pages_are_retried_like_the_first() {
    let (client, _service, _clock) = scripted(&[Step::Cut, FIRST, CUT_IN_BODY, LAST]).await;
    assert_eq!(client.pets_all().count().await, 3);
}

#[tokio::test]
async fn a_list_may_be_empty() {
    let (client, _service, _clock) = scripted(&[EMPTY]).await;
    assert_eq!(client.orders_all().count().await, 0);
}

#[tokio::test]
async fn a_link_without_a_query_would_lead_in_a_circle() {
    let (client, service, _clock) = scripted(&[LEADING_NOWHERE]).await;
    let client = client.with_retries(RetryPolicy::off());
    let error = client.pets_all().next().await.unwrap().unwrap_err();
    assert!(error.to_string().contains("no query"), "{error}");
    assert_eq!(service.seen().len(), 1);
}

#[tokio::test]
async fn a_page_that_names_itself_as_the_next_ends_the_stream() {
    // What a cache does that looks only at the path: every page is the first.
    let (client, service, _clock) = scripted(&[FIRST]).await;
    let mut pets = client.pets_all();
    for id in [1, 2] {
        assert_eq!(pets.next().await.unwrap().unwrap().id, id);
    }
    let error = pets.next().await.unwrap().unwrap_err();
    assert!(error.to_string().contains("same page"), "{error}");
    assert!(pets.next().await.is_none());
    assert_eq!(service.seen().len(), 2);
}

#[tokio::test]
async fn a_stream_can_move_to_another_thread() {
    let (client, _service, _clock) = scripted(&[EMPTY]).await;
    let counting = tokio::spawn(async move { client.categories_all().count().await });
    assert_eq!(counting.await.unwrap(), 0);
}
