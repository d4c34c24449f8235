//! Conversions from the records of the store, and from the usage of a key, to the types of the interface.

use dropspec_gate::rate_limit::{KeyStatus, RateLimitInfo};
use petstore_api::types as api;

use crate::{categories, inventory, orders, pets};

/// Converts the usage of an API key and the name of its plan to the response of `getRateLimit`.
pub fn convert_rate_limit(plan: &str, status: KeyStatus) -> api::RateLimitStatus {
    api::RateLimitStatus {
        plan: plan.to_owned(),
        minute: rate_limit_window(status.minute),
        day: rate_limit_window(status.day),
        strikes: status.strikes.into(),
        banned_until: status.banned_until,
    }
}

fn rate_limit_window(window: RateLimitInfo) -> api::RateLimitWindow {
    // The limits of a plan are far below the maximum of `i64`.
    let number = |count| i64::try_from(count).unwrap_or(i64::MAX);
    api::RateLimitWindow {
        limit: number(window.limit),
        remaining: number(window.remaining),
        reset: window.reset,
    }
}

impl From<pets::Pet> for api::Pet {
    fn from(pet: pets::Pet) -> Self {
        Self {
            id: pet.id,
            name: pet.name,
            category_id: pet.category_id,
            status: Some(pet.status),
        }
    }
}

impl From<categories::Category> for api::Category {
    fn from(category: categories::Category) -> Self {
        Self {
            id: category.id,
            name: category.name,
            description: category.description,
        }
    }
}

impl From<orders::Order> for api::Order {
    fn from(order: orders::Order) -> Self {
        Self {
            id: Some(order.id),
            pet_id: Some(order.pet_id),
            quantity: Some(order.quantity),
            ship_date: order.ship_date,
            complete: Some(order.complete),
        }
    }
}

impl From<inventory::InventoryItem> for api::InventoryItem {
    fn from(item: inventory::InventoryItem) -> Self {
        Self {
            pet_id: item.pet_id,
            quantity: item.quantity,
            status: item.status,
        }
    }
}
