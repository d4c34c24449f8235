//! Saving and reading the dates of orders. What else the store saves, `model_test` compares with a model.

use petstore_server::orders::{Order, OrderBody};

use crate::store::fixture::{Fixture, on_every_store, order};

on_every_store!(ship_date_is_stored_to_the_nanosecond,);

async fn ship_date_is_stored_to_the_nanosecond(fixture: Fixture) {
    let pet = fixture.pet_with_stock(100).await;
    let dates = [
        "2026-11-23T10:00:00Z",
        "2026-11-23T10:00:00.5Z",
        "2026-11-23T10:00:00.123456789Z",
        "2016-12-31T23:59:60.25Z",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999999Z",
        "1969-12-31T23:59:59.999Z",
    ];
    for text in dates {
        let date = Some(text.parse().unwrap());
        let new = OrderBody {
            ship_date: date,
            ..order(pet, 1)
        };
        let id = fixture.create::<Order>(new, None).await.unwrap().record.id;
        assert_eq!(
            fixture.get::<Order>(id).await.unwrap().ship_date,
            date,
            "{text}"
        );
    }
}
