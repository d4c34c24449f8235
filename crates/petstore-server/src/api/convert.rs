//! Conversions between the types of the interface, generated from the document, and the
//! records of the store. Requests are destructured, so that a new property does not compile
//! until it is handled.

use petstore_api::{parameters, types as api};
use spec_gate::rate_limit::{KeyStatus, RateLimitInfo};

use crate::same_fields::same_fields;
use crate::store::InventoryFilter;
use crate::store::OrderFilter;
use crate::store::PageRequest;
use crate::store::PetFilter;
use crate::{categories, inventory, orders, pet_status, pets};

/// Converts the parameters `limit` and `after` of a list to a page request. The document limits `limit` to 1 to 100.
pub fn convert_page_request(limit: i64, after: Option<i64>) -> PageRequest {
    PageRequest {
        after: after.unwrap_or(0),
        limit: u32::try_from(limit).unwrap_or(1),
    }
}

/// Converts the query parameters of `listPets` to a filter and a page of the store.
pub fn convert_pets_query(query: parameters::ListPetsQuery) -> (PetFilter, PageRequest) {
    let parameters::ListPetsQuery {
        status,
        category_id,
        id,
        limit,
        after,
    } = query;
    (
        PetFilter {
            status: status.map(Into::into),
            category_id,
            id,
        },
        convert_page_request(limit, after),
    )
}

/// Converts the query parameters of `listOrders` to a filter and a page of the store.
pub fn convert_orders_query(query: parameters::ListOrdersQuery) -> (OrderFilter, PageRequest) {
    let parameters::ListOrdersQuery {
        pet_id,
        complete,
        limit,
        after,
    } = query;
    (
        OrderFilter { pet_id, complete },
        convert_page_request(limit, after),
    )
}

/// Converts the query parameters of `listInventory` to a filter and a page of the store.
pub fn convert_inventory_query(
    query: parameters::ListInventoryQuery,
) -> (InventoryFilter, PageRequest) {
    let parameters::ListInventoryQuery {
        status,
        limit,
        after,
    } = query;
    (
        InventoryFilter {
            status: status.map(Into::into),
        },
        convert_page_request(limit, after),
    )
}

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

impl From<api::PetStatus> for pet_status::PetStatus {
    fn from(status: api::PetStatus) -> Self {
        match status {
            api::PetStatus::Available => Self::Available,
            api::PetStatus::Pending => Self::Pending,
            api::PetStatus::Sold => Self::Sold,
        }
    }
}

impl From<pet_status::PetStatus> for api::PetStatus {
    fn from(status: pet_status::PetStatus) -> Self {
        match status {
            pet_status::PetStatus::Available => Self::Available,
            pet_status::PetStatus::Pending => Self::Pending,
            pet_status::PetStatus::Sold => Self::Sold,
        }
    }
}

impl From<api::NewPet> for pets::NewPet {
    fn from(pet: api::NewPet) -> Self {
        let api::NewPet {
            name,
            category_id,
            status,
        } = pet;
        Self {
            name,
            category_id,
            status: status.map(Into::into),
        }
    }
}

impl From<pets::Pet> for api::Pet {
    fn from(pet: pets::Pet) -> Self {
        Self {
            id: pet.id,
            name: pet.name,
            category_id: pet.category_id,
            status: Some(pet.status.into()),
        }
    }
}

same_fields!(api::NewCategory => categories::NewCategory { name, description });
same_fields!(categories::Category => api::Category { id, name, description });
same_fields!(api::Order => orders::OrderBody { id, pet_id, quantity, ship_date, complete });

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
            status: item.status.into(),
        }
    }
}
