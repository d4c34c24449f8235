//! The examples of the README, which compile.
#![expect(dead_code, reason = "they need a service")]

use petstore_client::Error;

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
    use std::time::Duration;

    use petstore_client::{Client, RetryPolicy};

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
