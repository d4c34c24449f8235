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
