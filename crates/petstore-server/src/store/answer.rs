//! The JSON in which the record that a request created is kept beside its idempotency key.
//!
//! These are the store's own shapes: what was stored yesterday must be readable today, whatever becomes of the
//! domain records and of the interface.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::categories::Category;
use crate::orders::Order;
use crate::pets::{Pet, PetStatus};

/// A record that can be kept as an answer.
pub(super) trait Answer: Sized {
    /// The record as JSON.
    fn to_json(&self) -> serde_json::Result<String>;

    /// The record that was kept.
    fn from_json(json: &str) -> serde_json::Result<Self>;
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredStatus {
    Available,
    Pending,
    Sold,
}

#[derive(Serialize, Deserialize)]
struct StoredPet {
    id: i64,
    name: String,
    category_id: i64,
    status: StoredStatus,
}

#[derive(Serialize, Deserialize)]
struct StoredCategory {
    id: i64,
    name: String,
    description: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct StoredOrder {
    id: i64,
    pet_id: i64,
    quantity: i64,
    ship_date: Option<DateTime<Utc>>,
    complete: bool,
}

impl Answer for Pet {
    fn to_json(&self) -> serde_json::Result<String> {
        let status = match self.status {
            PetStatus::Available => StoredStatus::Available,
            PetStatus::Pending => StoredStatus::Pending,
            PetStatus::Sold => StoredStatus::Sold,
        };
        let Pet {
            id, category_id, ..
        } = *self;
        serde_json::to_string(&StoredPet {
            id,
            name: self.name.clone(),
            category_id,
            status,
        })
    }

    fn from_json(json: &str) -> serde_json::Result<Pet> {
        let StoredPet {
            id,
            name,
            category_id,
            status,
        } = serde_json::from_str(json)?;
        let status = match status {
            StoredStatus::Available => PetStatus::Available,
            StoredStatus::Pending => PetStatus::Pending,
            StoredStatus::Sold => PetStatus::Sold,
        };
        Ok(Pet {
            id,
            name,
            category_id,
            status,
        })
    }
}

impl Answer for Category {
    fn to_json(&self) -> serde_json::Result<String> {
        let Category {
            id,
            name,
            description,
        } = self.clone();
        serde_json::to_string(&StoredCategory {
            id,
            name,
            description,
        })
    }

    fn from_json(json: &str) -> serde_json::Result<Category> {
        let StoredCategory {
            id,
            name,
            description,
        } = serde_json::from_str(json)?;
        Ok(Category {
            id,
            name,
            description,
        })
    }
}

impl Answer for Order {
    fn to_json(&self) -> serde_json::Result<String> {
        let Order {
            id,
            pet_id,
            quantity,
            ship_date,
            complete,
        } = *self;
        serde_json::to_string(&StoredOrder {
            id,
            pet_id,
            quantity,
            ship_date,
            complete,
        })
    }

    fn from_json(json: &str) -> serde_json::Result<Order> {
        let StoredOrder {
            id,
            pet_id,
            quantity,
            ship_date,
            complete,
        } = serde_json::from_str(json)?;
        Ok(Order {
            id,
            pet_id,
            quantity,
            ship_date,
            complete,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_answer_reads_as_it_was_written() {
        for status in [PetStatus::Available, PetStatus::Pending, PetStatus::Sold] {
            let pet = Pet {
                id: 7,
                name: "Nemo \"the\" fish".to_owned(),
                category_id: 3,
                status,
            };
            assert_eq!(Pet::from_json(&pet.to_json().unwrap()).unwrap(), pet);
        }
        for description in [None, Some("They swim.".to_owned())] {
            let category = Category {
                id: 3,
                name: "Fish".to_owned(),
                description,
            };
            assert_eq!(
                Category::from_json(&category.to_json().unwrap()).unwrap(),
                category
            );
        }
        for ship_date in [
            None,
            Some("2016-12-31T23:59:60.123456789Z".parse().unwrap()),
        ] {
            let order = Order {
                id: 40,
                pet_id: 7,
                quantity: 2,
                ship_date,
                complete: false,
            };
            assert_eq!(Order::from_json(&order.to_json().unwrap()).unwrap(), order);
        }
    }

    #[test]
    fn what_is_stored_stays_readable() {
        // These were written by version 1 of the schema. They may not be edited, only added to.
        let pet = Pet::from_json(r#"{"id":7,"name":"Nemo","category_id":3,"status":"available"}"#);
        assert_eq!(pet.unwrap().category_id, 3);
        let category = Category::from_json(r#"{"id":3,"name":"Fish","description":null}"#);
        assert_eq!(category.unwrap().description, None);
        let order = r#"{"id":40,"pet_id":7,"quantity":2,"ship_date":"2026-11-23T10:00:00Z","complete":false}"#;
        assert_eq!(Order::from_json(order).unwrap().quantity, 2);
    }
}
