//! Runs the examples of the README against a mocked service.

use httpmock::Method::{DELETE, GET, PUT};
use httpmock::MockServer;
use petstore_client::Error;
use serde_json::json;

#[test]
fn contains_every_example_of_the_readme() {
    let here = unindented(include_str!("readme.rs"));
    let readme = include_str!("../../README.md");
    let examples = readme.split("```rust\n").skip(1);
    let examples: Vec<&str> = examples
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(examples.len(), 6);
    for example in examples {
        assert!(here.contains(&unindented(example)), "{example}");
    }
}

fn unindented(code: &str) -> String {
    code.lines().flat_map(|line| [line.trim(), "\n"]).collect()
}

#[tokio::test]
async fn runs_every_example() {
    let service = MockServer::start_async().await;
    let listed = service.mock(|when, then| {
        when.method(GET)
            .path("/pets")
            .header("x-api-key", "pst_example");
        then.status(200)
            .header("x-ratelimit-limit", "60")
            .header("x-ratelimit-remaining", "59")
            .header("x-ratelimit-reset", "1795233600")
            .json_body(json!([{"id": 1, "name": "Mittens", "categoryId": 1}]));
    });
    let deleted = service.mock(|when, then| {
        when.method(DELETE).path("/pets/7");
        then.status(204);
    });
    let read = service.mock(|when, then| {
        when.method(GET).path("/categories/3");
        then.status(200)
            .header("etag", "\"a\"")
            .json_body(json!({"id": 3, "name": "Cats"}));
    });
    let replaced = service.mock(|when, then| {
        when.method(PUT)
            .path("/categories/3")
            .header("if-match", "\"a\"");
        let text = "the record has changed since";
        then.status(412)
            .json_body(json!({"status": 412, "code": "precondition_failed", "message": text}));
    });
    let (base_url, api_key) = (&service.base_url(), "pst_example");

    start(base_url, api_key).await.unwrap();
    retries(base_url, api_key).await.unwrap();
    observer(base_url, api_key).await.unwrap();
    limits_and_errors(base_url, api_key).await.unwrap();
    read_modify_write(base_url, api_key).await.unwrap();
    whole_lists(base_url, api_key).await.unwrap();

    listed.assert_calls(7);
    deleted.assert();
    read.assert();
    replaced.assert();
}

async fn start(base_url: &str, api_key: &str) -> Result<(), Error> {
    use petstore_client::Client;

    let client = Client::connect(base_url, api_key)?;
    let pets = client.list_pets().limit(10).send().await?;
    for pet in pets.iter() {
        println!("{}: {}", pet.id, pet.name);
    }
    Ok(())
}

async fn retries(base_url: &str, api_key: &str) -> Result<(), Error> {
    use petstore_client::{Client, RetryPolicy};
    use std::time::Duration;

    let patient = Client::connect(base_url, api_key)?.with_retries(RetryPolicy {
        deadline: Duration::from_secs(600),
        ..RetryPolicy::default()
    });
    patient.list_pets().send().await?;

    let once = patient.with_retries(RetryPolicy::off());
    once.list_pets().send().await?;
    Ok(())
}

async fn observer(base_url: &str, api_key: &str) -> Result<(), Error> {
    use petstore_client::Client;

    let client = Client::connect(base_url, api_key)?.with_observer(|event| {
        eprintln!(
            "{}: {}, next attempt in {:?}",
            event.operation, event.reason, event.delay
        );
    });
    client.list_pets().send().await?;
    Ok(())
}

async fn limits_and_errors(base_url: &str, api_key: &str) -> Result<(), Error> {
    use petstore_client::{Client, ErrorCode, ErrorCodeExt, ResponseMetadata};

    let client = Client::connect(base_url, api_key)?;
    match client.delete_pet().pet_id(7).send().await {
        Ok(_) => println!("deleted"),
        Err(error) => match error.error_code() {
            Some(ErrorCode::PetHasOpenOrders) => println!("it has open orders"),
            Some(ErrorCode::RateLimitExceeded) => println!("wait {:?}", error.retry_after()),
            _ => return Err(error.into()),
        },
    }

    let pets = client.list_pets().send().await?;
    if let Some(limit) = pets.rate_limit() {
        println!("{} requests left until {}", limit.remaining, limit.reset);
    }
    Ok(())
}

async fn read_modify_write(base_url: &str, api_key: &str) -> Result<(), Error> {
    use petstore_client::{Client, ErrorCode, ErrorCodeExt, ResponseMetadata, types::NewCategory};

    let client = Client::connect(base_url, api_key)?;
    let category = client.get_category().category_id(3).send().await?;
    let tag = category.etag().unwrap_or_default();
    let change = NewCategory::builder()
        .name(category.name.to_lowercase())
        .description(category.description.clone());
    let replace = client.replace_category().category_id(3).if_match(tag);
    match replace.body(change).send().await {
        Ok(_) => println!("replaced"),
        Err(error) => match error.error_code() {
            Some(ErrorCode::PreconditionFailed) => println!("somebody changed it: read it again"),
            _ => return Err(error.into()),
        },
    }
    Ok(())
}

async fn whole_lists(base_url: &str, api_key: &str) -> Result<(), Error> {
    use futures::TryStreamExt;
    use petstore_client::{Client, types::PetStatus};

    let client = Client::connect(base_url, api_key)?;
    let mut pets = client.pets_all();
    while let Some(pet) = pets.try_next().await? {
        println!("{}", pet.name);
    }

    let for_sale = client.list_pets().status(PetStatus::Available).all();
    let for_sale: Vec<_> = for_sale.try_collect().await?;

    assert_eq!(for_sale.len(), 1);
    Ok(())
}
