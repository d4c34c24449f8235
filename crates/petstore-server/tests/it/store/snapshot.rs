//! All records, read through the lists of the store, and the invariants that hold for them at any time.

use std::collections::BTreeMap;

use petstore_api::types::PetStatus;
use petstore_server::categories::Category;
use petstore_server::inventory::InventoryItem;
use petstore_server::orders::Order;
use petstore_server::pets::Pet;
use petstore_server::store::{PageRequest, Store, Table};

pub struct Snapshot {
    pub categories: Vec<Category>,
    pub pets: Vec<Pet>,
    pub inventory: Vec<InventoryItem>,
    pub orders: Vec<Order>,
}

impl Snapshot {
    pub async fn read(store: &Store) -> Snapshot {
        Snapshot {
            categories: read_all(store).await,
            pets: read_all(store).await,
            inventory: read_all(store).await,
            orders: read_all(store).await,
        }
    }

    /// Checks the invariants.
    pub fn check(&self) {
        for (pet, item) in self.pets.iter().zip(&self.inventory) {
            let open = self
                .orders
                .iter()
                .any(|order| order.pet_id == pet.id && !order.complete);
            assert_eq!(
                (pet.id, pet.status),
                (item.pet_id, item.status),
                "pet and item have the same status"
            );
            assert!(item.quantity >= 0, "free stock is negative: {item:?}");
            match item.status {
                PetStatus::Available => {
                    assert!(item.quantity > 0, "available without stock: {item:?}")
                }
                PetStatus::Sold => assert!(
                    item.quantity == 0 && !open,
                    "sold with stock or open orders: {item:?}"
                ),
                PetStatus::Pending => {}
            }
        }
        assert_eq!(self.pets.len(), self.inventory.len());
        for order in self.orders.iter().filter(|order| !order.complete) {
            assert!(
                self.pets.iter().any(|pet| pet.id == order.pet_id),
                "{order:?} has no pet"
            );
        }
        for pet in &self.pets {
            let category = self
                .categories
                .iter()
                .find(|category| category.id == pet.category_id);
            assert!(category.is_some(), "{pet:?} has no category");
        }
    }

    /// The units of each pet: free, ordered and shipped.
    pub fn units(&self) -> BTreeMap<i64, i64> {
        let mut units: BTreeMap<i64, i64> = self
            .inventory
            .iter()
            .map(|item| (item.pet_id, item.quantity))
            .collect();
        for order in &self.orders {
            *units.entry(order.pet_id).or_default() += order.quantity;
        }
        units
    }
}

/// Reads a whole list, in a short page and long ones.
async fn read_all<T: Table>(store: &Store) -> Vec<T> {
    let mut all = Vec::new();
    let mut after = 0;
    loop {
        let limit = if after == 0 { 3 } else { 100 };
        let page = store.list::<T>(Vec::new(), PageRequest { after, limit });
        let page = page.await.unwrap();
        all.extend(page.items);
        if !page.more {
            return all;
        }
        after = all.last().unwrap().id();
    }
}
