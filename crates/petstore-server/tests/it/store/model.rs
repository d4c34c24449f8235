//! A model of the store, simple enough to check by reading: maps in memory and the rules, implemented again.
//!
//! It shares no code with the store, so that a defect in one of them makes their outcomes differ. An outcome is text:
//! the record, or the name of the rule violation.

use std::collections::BTreeMap;

/// The result of a step: a record as text, or the name of a rule violation.
pub type Outcome = Result<String, String>;

/// The idempotency key of a request.
pub type Key = Option<u8>;

/// One call of a method of the store, or a wait between two calls.
#[derive(Debug, Clone)]
pub enum Step {
    CreateCategory {
        name: &'static str,
        key: Key,
    },
    ReplaceCategory {
        id: i64,
        name: &'static str,
    },
    DeleteCategory {
        id: i64,
    },
    CreatePet {
        category: i64,
        status: Option<&'static str>,
        key: Key,
    },
    ReplacePet {
        id: i64,
        category: i64,
        status: Option<&'static str>,
    },
    DeletePet {
        id: i64,
    },
    PlaceOrder {
        id: Option<i64>,
        pet: Option<i64>,
        quantity: Option<i64>,
        complete: Option<bool>,
        key: Key,
    },
    UpdateOrder {
        order: i64,
        id: Option<i64>,
        pet: Option<i64>,
        quantity: Option<i64>,
        complete: Option<bool>,
    },
    CancelOrder {
        id: i64,
    },
    SetInventory {
        pet: i64,
        quantity: i64,
    },
    /// Not a call: hours pass, and idempotency keys may expire.
    Wait {
        hours: i64,
    },
}

#[derive(Debug, Clone)]
pub struct ModelPet {
    pub category: i64,
    pub status: &'static str,
    pub stock: i64,
}

#[derive(Debug, Clone)]
pub struct ModelOrder {
    pub pet: i64,
    pub quantity: i64,
    pub complete: bool,
}

#[derive(Debug, Clone)]
struct StoredOutcome {
    request: String,
    outcome: String,
    hour: i64,
}

#[derive(Debug, Default)]
pub struct Model {
    pub categories: BTreeMap<i64, String>,
    pub pets: BTreeMap<i64, ModelPet>,
    pub orders: BTreeMap<i64, ModelOrder>,
    pub hour: i64,
    stored_outcomes: BTreeMap<(&'static str, u8), StoredOutcome>,
    last_category: i64,
    last_pet: i64,
    last_order: i64,
}

impl Model {
    /// Applies a step. The outcome of a replay begins with "again: ".
    pub fn apply(&mut self, step: &Step) -> Outcome {
        let request = format!("{step:?}");
        match *step {
            Step::CreateCategory { key, name } => {
                self.run_idempotent("category", key, request, |model| {
                    model.create_category(name)
                })
            }
            Step::CreatePet {
                key,
                category,
                status,
            } => self.run_idempotent("pet", key, request, |model| {
                model.create_pet(category, status)
            }),
            Step::PlaceOrder {
                key,
                id,
                pet,
                quantity,
                complete,
            } => self.run_idempotent("order", key, request, |model| {
                model.place_order(id, pet, quantity, complete)
            }),
            Step::ReplaceCategory { id, name } => self.replace_category(id, name),
            Step::DeleteCategory { id } => self.delete_category(id),
            Step::ReplacePet {
                id,
                category,
                status,
            } => self.replace_pet(id, category, status),
            Step::DeletePet { id } => self.delete_pet(id),
            Step::UpdateOrder {
                order,
                id,
                pet,
                quantity,
                complete,
            } => self.update_order(order, id, pet, quantity, complete),
            Step::CancelOrder { id } => self.cancel_order(id),
            Step::SetInventory { pet, quantity } => self.set_inventory(pet, quantity),
            Step::Wait { hours } => {
                self.hour += hours;
                Ok("later".to_owned())
            }
        }
    }

    fn run_idempotent(
        &mut self,
        operation: &'static str,
        key: Key,
        request: String,
        create: impl FnOnce(&mut Model) -> Outcome,
    ) -> Outcome {
        let Some(key) = key else { return create(self) };
        let known = self.stored_outcomes.get(&(operation, key));
        if let Some(known) = known.filter(|known| self.hour < known.hour + 24) {
            if known.request != request {
                return violation("IdempotencyKeyReused");
            }
            return Ok(format!("again: {}", known.outcome));
        }
        let outcome = create(self)?;
        let stored = StoredOutcome {
            request,
            outcome: outcome.clone(),
            hour: self.hour,
        };
        self.stored_outcomes.insert((operation, key), stored);
        Ok(outcome)
    }

    fn create_category(&mut self, name: &str) -> Outcome {
        if self
            .categories
            .values()
            .any(|taken| taken.eq_ignore_ascii_case(name))
        {
            return violation("CategoryExists");
        }
        self.last_category += 1;
        self.categories.insert(self.last_category, name.to_owned());
        Ok(format!("category {} {name}", self.last_category))
    }

    fn replace_category(&mut self, id: i64, name: &str) -> Outcome {
        if !self.categories.contains_key(&id) {
            return violation("CategoryNotFound");
        }
        if self
            .categories
            .iter()
            .any(|(other, taken)| *other != id && taken.eq_ignore_ascii_case(name))
        {
            return violation("CategoryExists");
        }
        self.categories.insert(id, name.to_owned());
        Ok(format!("category {id} {name}"))
    }

    fn delete_category(&mut self, id: i64) -> Outcome {
        if !self.categories.contains_key(&id) {
            return violation("CategoryNotFound");
        }
        if self.pets.values().any(|pet| pet.category == id) {
            return violation("CategoryInUse");
        }
        self.categories.remove(&id);
        Ok("deleted".to_owned())
    }

    fn create_pet(&mut self, category: i64, status: Option<&'static str>) -> Outcome {
        if !self.categories.contains_key(&category) {
            return violation("UnknownCategory");
        }
        let status = status.unwrap_or("available");
        let stock = if status == "available" { 1 } else { 0 };
        self.last_pet += 1;
        self.pets.insert(
            self.last_pet,
            ModelPet {
                category,
                status,
                stock,
            },
        );
        Ok(format!("pet {} of {category}, {status}", self.last_pet))
    }

    fn replace_pet(&mut self, id: i64, category: i64, status: Option<&'static str>) -> Outcome {
        let Some(mut pet) = self.pets.get(&id).cloned() else {
            return violation("PetNotFound");
        };
        if !self.categories.contains_key(&category) {
            return violation("UnknownCategory");
        }
        let wanted = status.unwrap_or(pet.status);
        if wanted != pet.status {
            if pet.status == "sold" {
                return violation("InvalidStatusTransition");
            }
            if wanted == "available" && pet.stock == 0 {
                return violation("InsufficientStock");
            }
            if wanted == "sold" {
                if self.open_orders(id) > 0 {
                    return violation("PetHasOpenOrders");
                }
                pet.stock = 0;
            }
            pet.status = wanted;
        }
        pet.category = category;
        self.pets.insert(id, pet);
        Ok(format!("pet {id} of {category}, {wanted}"))
    }

    fn delete_pet(&mut self, id: i64) -> Outcome {
        if !self.pets.contains_key(&id) {
            return violation("PetNotFound");
        }
        if self.open_orders(id) > 0 {
            return violation("PetHasOpenOrders");
        }
        self.pets.remove(&id);
        Ok("deleted".to_owned())
    }

    fn place_order(
        &mut self,
        id: Option<i64>,
        pet: Option<i64>,
        quantity: Option<i64>,
        complete: Option<bool>,
    ) -> Outcome {
        let (None, Some(pet_id), None | Some(false)) = (id, pet, complete) else {
            return violation("ValidationFailed");
        };
        let quantity = quantity.unwrap_or(1);
        let Some(pet) = self.pets.get_mut(&pet_id) else {
            return violation("UnknownPet");
        };
        if pet.status != "available" {
            return violation("PetNotAvailable");
        }
        if pet.stock < quantity {
            return violation("InsufficientStock");
        }
        pet.stock -= quantity;
        if pet.stock == 0 {
            pet.status = "pending";
        }
        self.last_order += 1;
        self.orders.insert(
            self.last_order,
            ModelOrder {
                pet: pet_id,
                quantity,
                complete: false,
            },
        );
        Ok(format!(
            "order {} of {quantity} of {pet_id}, open",
            self.last_order
        ))
    }

    fn update_order(
        &mut self,
        id: i64,
        given_id: Option<i64>,
        given_pet: Option<i64>,
        quantity: Option<i64>,
        complete: Option<bool>,
    ) -> Outcome {
        let Some(order) = self.orders.get(&id).cloned() else {
            return violation("OrderNotFound");
        };
        if order.complete {
            return violation("OrderAlreadyComplete");
        }
        if given_id.is_some_and(|given| given != id)
            || given_pet.is_some_and(|given| given != order.pet)
        {
            return violation("ValidationFailed");
        }
        let quantity = quantity.unwrap_or(order.quantity);
        let completes = complete == Some(true);
        let others_open = self.open_orders(order.pet) - 1;
        let pet = self.pets.get_mut(&order.pet).unwrap();
        if quantity - order.quantity > pet.stock {
            return violation("InsufficientStock");
        }
        if quantity > order.quantity {
            pet.stock -= quantity - order.quantity;
            if pet.stock == 0 {
                pet.status = "pending";
            }
        }
        if quantity < order.quantity {
            if pet.stock == 0 && pet.status == "pending" {
                pet.status = "available";
            }
            pet.stock += order.quantity - quantity;
        }
        if completes && others_open == 0 && pet.stock == 0 {
            pet.status = "sold";
        }
        self.orders.insert(
            id,
            ModelOrder {
                pet: order.pet,
                quantity,
                complete: completes,
            },
        );
        let state = if completes { "complete" } else { "open" };
        Ok(format!(
            "order {id} of {quantity} of {}, {state}",
            order.pet
        ))
    }

    fn cancel_order(&mut self, id: i64) -> Outcome {
        let Some(order) = self.orders.get(&id).cloned() else {
            return violation("OrderNotFound");
        };
        if order.complete {
            return violation("OrderAlreadyComplete");
        }
        let pet = self.pets.get_mut(&order.pet).unwrap();
        if pet.stock == 0 && pet.status == "pending" {
            pet.status = "available";
        }
        pet.stock += order.quantity;
        self.orders.remove(&id);
        Ok("deleted".to_owned())
    }

    fn set_inventory(&mut self, id: i64, quantity: i64) -> Outcome {
        let open = self.open_orders(id);
        let Some(pet) = self.pets.get_mut(&id) else {
            return violation("PetNotFound");
        };
        if quantity > 0 {
            if pet.status == "sold" || (pet.status == "pending" && pet.stock == 0) {
                pet.status = "available";
            }
        } else if pet.status == "available" {
            pet.status = if open > 0 { "pending" } else { "sold" };
        }
        pet.stock = quantity;
        Ok(format!("{quantity} of {id}, {}", pet.status))
    }

    fn open_orders(&self, pet: i64) -> usize {
        self.orders
            .values()
            .filter(|order| order.pet == pet && !order.complete)
            .count()
    }
}

fn violation(name: &str) -> Outcome {
    Err(name.to_owned())
}
