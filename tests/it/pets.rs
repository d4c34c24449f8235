//! Pets through the generated client.

use petstore_client::types::{NewPet, PetStatus};
use test_support::{TestApp, refusal};

#[tokio::test]
async fn a_pet_is_created_read_replaced_and_deleted() {
    let app = TestApp::start().await;
    let category = app.category("Cat").await;
    let body = NewPet::builder().name("Mittens").category_id(category);
    let created = app.client.create_pet().body(body).send().await.unwrap();
    assert_eq!(created.status(), 201);
    let location = format!("/pets/{}", created.id);
    assert_eq!(created.headers()["location"], location);
    assert!(!created.headers().contains_key("idempotency-replayed"));
    assert_eq!(created.name, "Mittens");
    assert_eq!(created.category_id, category);
    assert_eq!(created.status, Some(PetStatus::Available));
    assert_eq!(app.stock_of(created.id).await, (1, PetStatus::Available));

    let read = app.client.get_pet().pet_id(created.id).send().await;
    assert_eq!(read.unwrap().name, "Mittens");

    let other = app.category("Dog").await;
    let body = NewPet::builder().name("Rex").category_id(other);
    let replace = app.client.replace_pet().pet_id(created.id).body(body);
    let replaced = replace.send().await.unwrap();
    assert_eq!(
        (replaced.name.as_str(), replaced.category_id),
        ("Rex", other)
    );
    assert_eq!(
        replaced.status,
        Some(PetStatus::Available),
        "a status that is left out stays"
    );

    let deleted = app.client.delete_pet().pet_id(created.id).send().await;
    assert_eq!(deleted.unwrap().status(), 204);
    let read = app.client.get_pet().pet_id(created.id).send().await;
    assert_eq!(refusal(read), "404 pet_not_found");
    let again = app.client.delete_pet().pet_id(created.id).send().await;
    assert_eq!(refusal(again), "404 pet_not_found");
}

#[tokio::test]
async fn a_new_pet_has_the_stock_of_its_status() {
    use PetStatus::{Available, Pending, Sold};
    let app = TestApp::start().await;
    let category = app.category("Cat").await;
    for (status, units) in [(Available, 1), (Pending, 0), (Sold, 0)] {
        let body = NewPet::builder().name("Mittens").category_id(category);
        let body = body.status(status);
        let created = app.client.create_pet().body(body).send().await.unwrap();
        assert_eq!(created.status, Some(status));
        assert_eq!(app.stock_of(created.id).await, (units, status));
    }
}

#[tokio::test]
async fn a_status_leads_where_the_rules_say() {
    use PetStatus::{Available, Pending, Sold};
    let rows = [
        (Available, Available, 5, Ok(5), "the same is always allowed"),
        (Available, Pending, 5, Ok(5), "taken off the shelf"),
        (Available, Sold, 5, Ok(0), "sold by hand: the stock is gone"),
        (Pending, Available, 5, Ok(5), "back on the shelf"),
        (Pending, Pending, 5, Ok(5), "the same is always allowed"),
        (Pending, Sold, 5, Ok(0), "sold by hand: the stock is gone"),
        (
            Pending,
            Available,
            0,
            Err("409 insufficient_stock"),
            "nothing to offer",
        ),
        (Sold, Sold, 0, Ok(0), "the same is always allowed"),
        (
            Sold,
            Available,
            0,
            Err("409 invalid_status_transition"),
            "sold ends here",
        ),
        (
            Sold,
            Pending,
            0,
            Err("409 invalid_status_transition"),
            "sold ends here",
        ),
    ];
    let app = TestApp::start().await;
    let category = app.category("Cat").await;
    for (from, to, units, expected, reason) in rows {
        let body = NewPet::builder().name("Mittens").category_id(category);
        let starts_as = if units > 0 { Available } else { from };
        let body = body.status(starts_as);
        let pet = app.client.create_pet().body(body).send().await.unwrap().id;
        if units > 0 {
            app.stock(pet, units).await;
            replace(&app, pet, category, from).await.unwrap();
        }
        let seen = replace(&app, pet, category, to).await;
        assert_eq!(
            seen,
            expected.map(|units| (units, to)).map_err(str::to_owned),
            "{from} to {to} with {units}: {reason}"
        );
    }
}

#[tokio::test]
async fn open_orders_keep_a_pet_from_being_sold_or_deleted() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 5).await;
    let order = app.order(pet, 2).await;
    let sold = replace(&app, pet, 1, PetStatus::Sold).await;
    assert_eq!(sold, Err("409 pet_has_open_orders".to_owned()));
    let deleted = app.client.delete_pet().pet_id(pet).send().await;
    assert_eq!(refusal(deleted), "409 pet_has_open_orders");
    assert_eq!(app.stock_of(pet).await, (3, PetStatus::Available));

    app.complete(order).await;
    let deleted = app.client.delete_pet().pet_id(pet).send().await;
    assert_eq!(deleted.unwrap().status(), 204);
    let kept = app.client.get_order().order_id(order).send().await;
    assert_eq!(kept.unwrap().pet_id, Some(pet), "history keeps the id");
}

/// Gives a pet a status, and returns its stock afterwards.
async fn replace(
    app: &TestApp,
    pet: i64,
    category: i64,
    status: PetStatus,
) -> Result<(i64, PetStatus), String> {
    let body = NewPet::builder().name("Mittens").category_id(category);
    let body = body.status(status);
    let replaced = app.client.replace_pet().pet_id(pet).body(body).send().await;
    match replaced {
        Ok(pet) => Ok(app.stock_of(pet.id).await),
        refused => Err(refusal(refused)),
    }
}
