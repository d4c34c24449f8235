//! Lists: in the order of ids, a page at a time, narrowed by their filters.

use petstore_server::orders::OrderChange;
use petstore_server::pet_status::PetStatus::{Available, Pending};
use petstore_server::store::{InventoryFilter, OrderFilter, PageRequest, PetFilter};

use crate::store::fixture::{ALL, Fixture, category, order, pet};

#[tokio::test]
async fn pages_follow_one_another_without_gap_or_overlap() {
    let fixture = Fixture::new();
    for name in ["a", "b", "c", "d", "e"] {
        fixture.create_category(category(name), None).await.unwrap();
    }
    fixture.delete_category(3).await.unwrap();

    let mut pages = Vec::new();
    let mut after = 0;
    loop {
        let page = fixture
            .categories(PageRequest { after, limit: 2 })
            .await
            .unwrap();
        let ids: Vec<i64> = page.items.iter().map(|category| category.id).collect();
        after = *ids.last().unwrap();
        pages.push(ids);
        if !page.more {
            break;
        }
    }
    assert_eq!(
        pages,
        [[1, 2], [4, 5]],
        "a full last page has nothing after it"
    );
    let beyond = fixture
        .categories(PageRequest { after: 5, limit: 2 })
        .await
        .unwrap();
    assert!(beyond.items.is_empty() && !beyond.more);
}

#[tokio::test]
async fn pets_and_inventory_are_narrowed_by_each_filter_and_by_all_together() {
    let fixture = Fixture::new();
    for name in ["Fish", "Bird"] {
        fixture.create_category(category(name), None).await.unwrap();
    }
    for (category, status) in [
        (1, Available),
        (1, Pending),
        (2, Available),
        (2, Pending),
        (1, Available),
    ] {
        let mut new = pet("Nemo", category);
        new.status = Some(status);
        fixture.create_pet(new, None).await.unwrap();
    }
    let none = PetFilter::default();
    let cases = [
        (none, vec![1, 2, 3, 4, 5], "no filter"),
        (
            PetFilter {
                status: Some(Available),
                ..none
            },
            vec![1, 3, 5],
            "status",
        ),
        (
            PetFilter {
                category_id: Some(1),
                ..none
            },
            vec![1, 2, 5],
            "category",
        ),
        (
            PetFilter {
                category_id: Some(1),
                status: Some(Available),
                ..none
            },
            vec![1, 5],
            "both",
        ),
        (
            PetFilter {
                id: Some(4),
                ..none
            },
            vec![4],
            "id",
        ),
        (
            PetFilter {
                id: Some(4),
                status: Some(Available),
                ..none
            },
            vec![],
            "at odds",
        ),
        (
            PetFilter {
                category_id: Some(9),
                ..none
            },
            vec![],
            "a category that is not there",
        ),
    ];
    for (filter, expected, reason) in cases {
        let page = fixture.pets(filter, ALL).await.unwrap();
        let ids: Vec<i64> = page.items.iter().map(|pet| pet.id).collect();
        assert_eq!(ids, expected, "{reason}");
    }

    let pending = InventoryFilter {
        status: Some(Pending),
    };
    let page = fixture.inventory(pending, ALL).await.unwrap();
    let items: Vec<_> = page
        .items
        .iter()
        .map(|item| (item.pet_id, item.quantity))
        .collect();
    assert_eq!(items, [(2, 0), (4, 0)]);
}

#[tokio::test]
async fn orders_are_narrowed_by_pet_and_completion() {
    let fixture = Fixture::new();
    let first = fixture.pet_with_stock(10).await;
    let category_id = fixture.pet(first).await.unwrap().category_id;
    let second = fixture
        .create_pet(pet("Dory", category_id), None)
        .await
        .unwrap()
        .record
        .id;
    for pet in [first, second, first] {
        fixture.place_order(order(pet, 1), None).await.unwrap();
    }
    let complete = OrderChange {
        complete: Some(true),
        ..OrderChange::default()
    };
    fixture.update_order(3, complete).await.unwrap();

    let cases = [
        (None, None, vec![1, 2, 3], "no filter"),
        (Some(first), None, vec![1, 3], "pet"),
        (None, Some(false), vec![1, 2], "open"),
        (None, Some(true), vec![3], "complete"),
        (Some(first), Some(false), vec![1], "both"),
        (Some(second), Some(true), vec![], "both, without a match"),
    ];
    for (pet_id, complete, expected, reason) in cases {
        let page = fixture
            .orders(OrderFilter { pet_id, complete }, ALL)
            .await
            .unwrap();
        let ids: Vec<i64> = page.items.iter().map(|order| order.id).collect();
        assert_eq!(ids, expected, "{reason}");
    }
}
