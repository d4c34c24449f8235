//! Lists: their query parameters, and the `Link` header to the next page.

use petstore_client::types::{NewPet, PetStatus};
use serde_json::Value;
use test_support::TestApp;

/// Follows `Link` to the last page, and returns the ids of each page.
async fn read_pages(app: &TestApp, target: &str, id: &str) -> Vec<Vec<i64>> {
    let mut pages = Vec::new();
    let mut next = Some(target.to_owned());
    while let Some(target) = next {
        let response = app.get(&target).await;
        assert_eq!(response.status, 200, "{target}");
        let records: Vec<Value> = response.json();
        pages.push(
            records
                .iter()
                .map(|one| one[id].as_i64().unwrap())
                .collect(),
        );
        next = response.header("Link").map(|link| {
            let link = link.strip_prefix('<').unwrap();
            link.strip_suffix(">; rel=\"next\"").unwrap().to_owned()
        });
    }
    pages
}

#[tokio::test]
async fn every_list_is_read_page_by_page() {
    let app = TestApp::start().await;
    for name in ["Ada", "Bob", "Cid", "Dot", "Eve"] {
        let pet = app.create_pet_with_stock(name, 2).await;
        app.place_order(pet, 1).await;
    }
    let lists = [
        ("/pets", "id"),
        ("/categories", "id"),
        ("/store/orders", "id"),
        ("/store/inventory", "petId"),
    ];
    for (path, id) in lists {
        let seen = read_pages(&app, &format!("{path}?limit=2"), id).await;
        let expected = [vec![1, 2], vec![3, 4], vec![5]];
        assert_eq!(seen, expected, "{path}");
        let seen = read_pages(&app, &format!("{path}?limit=5"), id).await;
        assert_eq!(
            seen,
            [[1, 2, 3, 4, 5]],
            "{path}: no page after a full last one"
        );
        let seen = read_pages(&app, &format!("{path}?after=3"), id).await;
        assert_eq!(seen, [[4, 5]], "{path}");
        let seen = read_pages(&app, &format!("{path}?after=5"), id).await;
        assert_eq!(seen, [[0; 0]], "{path}");
    }
}

#[tokio::test]
async fn page_has_20_records_by_default() {
    let app = TestApp::start().await;
    for name in 1..=21 {
        app.create_category(&name.to_string()).await;
    }
    let page = app.client.list_categories().send().await.unwrap();
    assert_eq!(page.len(), 20);
    let link = &page.headers()["link"];
    assert_eq!(link, "</categories?after=20>; rel=\"next\"");
    let page = app.client.list_categories().limit(100).send().await;
    assert_eq!(page.unwrap().len(), 21);
}

#[tokio::test]
async fn filters_hold_on_every_page() {
    use PetStatus::{Available, Pending, Sold};
    let app = TestApp::start().await;
    let cats = app.create_category("Cat").await;
    let dogs = app.create_category("Dog").await;
    for (category, status) in [
        (cats, Available),
        (dogs, Available),
        (cats, Sold),
        (cats, Available),
        (dogs, Pending),
    ] {
        let body = NewPet::builder().name("Somebody").category_id(category);
        let create = app.client.create_pet().body(body.status(status));
        create.send().await.unwrap();
    }
    for pet in [1, 4] {
        app.place_order(pet, 1).await;
    }
    app.complete_order(1).await;
    for (target, id, expected) in [
        ("/pets?status=pending&limit=1", "id", vec![4, 5]),
        ("/pets?categoryId=1&limit=1", "id", vec![1, 3, 4]),
        ("/pets?categoryId=2&status=available", "id", vec![2]),
        ("/pets?id=4&status=sold", "id", vec![]),
        ("/pets?categoryId=9", "id", vec![]),
        ("/store/orders?petId=1", "id", vec![1]),
        ("/store/orders?petId=4&complete=true", "id", vec![]),
        ("/store/orders?complete=false", "id", vec![2]),
        ("/store/orders?petId=1&complete=false", "id", vec![]),
        ("/store/inventory?status=available", "petId", vec![2]),
        ("/store/inventory?status=pending", "petId", vec![4, 5]),
    ] {
        let seen = read_pages(&app, target, id).await;
        assert_eq!(seen.concat(), expected, "{target}");
    }
    let list = app.client.list_pets().category_id(cats).after(1).limit(1);
    let seen = list.send().await.unwrap();
    assert_eq!(seen.iter().map(|pet| pet.id).collect::<Vec<_>>(), [3]);
    let link = seen.headers()["link"].to_str().unwrap();
    assert!(link.contains("categoryId=1") && link.contains("after=3"));
}
