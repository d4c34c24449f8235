//! Between the types of the interface, which follow the document, and the
//! records of the store, which follow the rules.

use petstore_api::{Plan, parameters, types as api};

use crate::rate_limit::{KeyStatus, WindowStatus};
use crate::store::{InventoryFilter, OrderFilter, PageRequest, PetFilter};
use crate::{categories, inventory, orders, pet_status, pets};

/// Converts every record of a page.
pub fn all<From, To: std::convert::From<From>>(records: Vec<From>) -> Vec<To> {
    records.into_iter().map(To::from).collect()
}

/// The part of a list that a page holds. The document bounds `limit` to 1 to 100.
pub fn range(limit: i64, after: Option<i64>) -> PageRequest {
    PageRequest {
        after: after.unwrap_or(0),
        limit: u32::try_from(limit).unwrap_or(1),
    }
}

pub fn pets_query(query: parameters::ListPetsQuery) -> (PetFilter, PageRequest) {
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
        range(limit, after),
    )
}

pub fn orders_query(query: parameters::ListOrdersQuery) -> (OrderFilter, PageRequest) {
    let parameters::ListOrdersQuery {
        pet_id,
        complete,
        limit,
        after,
    } = query;
    (OrderFilter { pet_id, complete }, range(limit, after))
}

pub fn inventory_query(query: parameters::ListInventoryQuery) -> (InventoryFilter, PageRequest) {
    let parameters::ListInventoryQuery {
        status,
        limit,
        after,
    } = query;
    (
        InventoryFilter {
            status: status.map(Into::into),
        },
        range(limit, after),
    )
}

/// Where a caller on this plan stands.
pub fn rate_limit(plan: Plan, status: KeyStatus) -> api::RateLimitStatus {
    let KeyStatus {
        minute,
        day,
        strikes,
        banned_until,
    } = status;
    api::RateLimitStatus {
        plan: plan.to_string(),
        minute: minute.into(),
        day: day.into(),
        strikes: strikes.into(),
        banned_until,
    }
}

impl From<WindowStatus> for api::RateLimitWindow {
    fn from(window: WindowStatus) -> Self {
        // The figures of a plan are far below the end of `i64`.
        let figure = |count| i64::try_from(count).unwrap_or(i64::MAX);
        Self {
            limit: figure(window.limit),
            remaining: figure(window.remaining),
            reset: window.reset,
        }
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
        let pets::Pet {
            id,
            name,
            category_id,
            status,
        } = pet;
        Self {
            id,
            name,
            category_id,
            status: Some(status.into()),
        }
    }
}

impl From<api::NewCategory> for categories::NewCategory {
    fn from(category: api::NewCategory) -> Self {
        let api::NewCategory { name, description } = category;
        Self { name, description }
    }
}

impl From<categories::Category> for api::Category {
    fn from(category: categories::Category) -> Self {
        let categories::Category {
            id,
            name,
            description,
        } = category;
        Self {
            id,
            name,
            description,
        }
    }
}

impl From<api::Order> for orders::NewOrder {
    fn from(order: api::Order) -> Self {
        let api::Order {
            id,
            pet_id,
            quantity,
            ship_date,
            complete,
        } = order;
        Self {
            id,
            pet_id,
            quantity,
            ship_date,
            complete,
        }
    }
}

impl From<api::Order> for orders::OrderChange {
    fn from(order: api::Order) -> Self {
        let api::Order {
            id,
            pet_id,
            quantity,
            ship_date,
            complete,
        } = order;
        Self {
            id,
            pet_id,
            quantity,
            ship_date,
            complete,
        }
    }
}

impl From<orders::Order> for api::Order {
    fn from(order: orders::Order) -> Self {
        let orders::Order {
            id,
            pet_id,
            quantity,
            ship_date,
            complete,
        } = order;
        Self {
            id: Some(id),
            pet_id: Some(pet_id),
            quantity: Some(quantity),
            ship_date,
            complete: Some(complete),
        }
    }
}

impl From<inventory::InventoryItem> for api::InventoryItem {
    fn from(item: inventory::InventoryItem) -> Self {
        let inventory::InventoryItem {
            pet_id,
            quantity,
            status,
        } = item;
        Self {
            pet_id,
            quantity,
            status: status.into(),
        }
    }
}
