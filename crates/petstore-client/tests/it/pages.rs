//! Streams over all pages of a list.

use futures::{StreamExt, TryStreamExt};
use petstore_client::{ErrorCode, ErrorCodeExt, types};

use crate::scripted;
use crate::scripted_server::Step;

const FIRST: Step = Step::Respond(
    200,
    &["link: </elsewhere/pets?status=available&after=2>; rel=\"next\""],
    r#"[{"id": 1, "name": "a", "categoryId": 1}, {"id": 2, "name": "b", "categoryId": 1}]"#,
);
const LAST: Step = Step::Respond(200, &[], r#"[{"id": 3, "name": "c", "categoryId": 1}]"#);

const REVOKED: Step = Step::Respond(
    401,
    &[],
    r#"{"status": 401, "code": "revoked_api_key", "message": "no"}"#,
);

#[tokio::test]
async fn follows_link_to_next_page_with_same_headers() {
    let (client, service, _clock) = scripted(&[FIRST, LAST]).await;

    let list = client.list_pets().status(types::PetStatus::Available);
    let pets: Vec<types::Pet> = list.all().try_collect().await.unwrap();

    assert_eq!(pets.iter().map(|pet| pet.id).collect::<Vec<_>>(), [1, 2, 3]);
    let requests = service.requests();
    let lines: Vec<&str> = requests.iter().map(|request| request.line()).collect();
    assert_eq!(
        lines,
        [
            "GET /pets?status=available",
            "GET /pets?after=2&status=available"
        ]
    );
    let (first, second) = (&service.requests()[0], &service.requests()[1]);
    for header in ["accept", "api-version", "user-agent", "x-api-key"] {
        assert!(first.header(header).is_some(), "{header}");
        assert_eq!(first.header(header), second.header(header), "{header}");
    }
}

#[tokio::test]
async fn fetches_page_only_when_needed() {
    let (client, service, _clock) = scripted(&[FIRST, LAST]).await;

    let mut pets = client.pets_all();
    assert_eq!(service.requests().len(), 0);
    pets.next().await.unwrap().unwrap();
    pets.next().await.unwrap().unwrap();
    assert_eq!(service.requests().len(), 1);
    pets.next().await.unwrap().unwrap();
    assert_eq!(service.requests().len(), 2);
    assert!(pets.next().await.is_none());
    assert_eq!(service.requests().len(), 2);
}

#[tokio::test]
async fn ends_stream_after_error() {
    let (client, service, _clock) = scripted(&[FIRST, REVOKED, LAST]).await;

    let mut pets = client.pets_all();
    pets.next().await.unwrap().unwrap();
    pets.next().await.unwrap().unwrap();
    let error = pets.next().await.unwrap().unwrap_err();

    assert_eq!(error.error_code(), Some(ErrorCode::RevokedApiKey));
    assert!(pets.next().await.is_none());
    assert_eq!(service.requests().len(), 2);
}

#[tokio::test]
async fn rejects_next_link_to_same_page() {
    // A cache that ignores the query returns the first page every time.
    let (client, service, _clock) = scripted(&[FIRST]).await;
    let mut pets = client.pets_all();
    for id in [1, 2] {
        assert_eq!(pets.next().await.unwrap().unwrap().id, id);
    }
    let error = pets.next().await.unwrap().unwrap_err();
    assert!(error.to_string().contains("same page"), "{error}");
    assert!(pets.next().await.is_none());
    assert_eq!(service.requests().len(), 2);
}
