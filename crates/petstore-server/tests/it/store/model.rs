//! A model of the store, simple enough to check by reading: maps in memory and the rules, implemented again.
//!
//! It shares no code with the store, so that a defect in one of them makes their outcomes differ. An outcome is text:
//! the record, or the name of the rule violation.

use std::collections::BTreeMap;

/// The result of a step: a record as text, or the name of a rule violation.
pub type Outcome = Result<String, String>;

/// The idempotency key of a request.
pub type Key = Option<u8>;

/// The properties of an order in a request.
#[derive(Debug, Clone, Copy)]
pub struct OrderFields {
    pub id: Option<i64>,
    pub pet: Option<i64>,
    pub quantity: Option<i64>,
    pub complete: Option<bool>,
}

/// A name of a status, if the request has one.
pub type Status = Option<&'static str>;

/// One call of a method of the store, or a wait between two calls. First come the ids of the path.
#[derive(Debug, Clone)]
pub enum Step {
    CreateCategory(&'static str, Key),
    ReplaceCategory(i64, &'static str),
    DeleteCategory(i64),
    /// A pet of this category.
    CreatePet(i64, Status, Key),
    /// A pet, and its new category.
    ReplacePet(i64, i64, Status),
    DeletePet(i64),
    PlaceOrder(OrderFields, Key),
    UpdateOrder(i64, OrderFields),
    CancelOrder(i64),
    /// A pet, and its new stock.
    SetInventory(i64, i64),
    /// Not a call: hours pass, and idempotency keys may expire.
    Wait(i64),
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

impl ModelOrder {
    fn new(pet: i64, quantity: i64, complete: bool) -> ModelOrder {
        ModelOrder {
            pet,
            quantity,
            complete,
        }
    }
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
            Step::CreateCategory(name, key) => {
                let create = |model: &mut Model| model.create_category(name);
                self.run_idempotent("category", key, request, create)
            }
            Step::CreatePet(category, status, key) => {
                let create = |model: &mut Model| model.create_pet(category, status);
                self.run_idempotent("pet", key, request, create)
            }
            Step::PlaceOrder(order, key) => {
                let place = |model: &mut Model| model.place_order(order);
                self.run_idempotent("order", key, request, place)
            }
            Step::ReplaceCategory(id, name) => self.replace_category(id, name),
            Step::DeleteCategory(id) => self.delete_category(id),
            Step::ReplacePet(id, category, status) => self.replace_pet(id, category, status),
            Step::DeletePet(id) => self.delete_pet(id),
            Step::UpdateOrder(id, change) => self.update_order(id, change),
            Step::CancelOrder(id) => self.cancel_order(id),
            Step::SetInventory(pet, quantity) => self.set_inventory(pet, quantity),
            Step::Wait(hours) => {
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
        if self.is_taken(name, 0) {
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
        if self.is_taken(name, id) {
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
        let pet = ModelPet {
            category,
            status,
            stock,
        };
        self.pets.insert(self.last_pet, pet);
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

    fn place_order(&mut self, new: OrderFields) -> Outcome {
        let (None, Some(pet_id), None | Some(false)) = (new.id, new.pet, new.complete) else {
            return violation("ValidationFailed");
        };
        let quantity = new.quantity.unwrap_or(1);
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
        let id = self.last_order;
        self.orders
            .insert(id, ModelOrder::new(pet_id, quantity, false));
        Ok(format!("order {id} of {quantity} of {pet_id}, open"))
    }

    fn update_order(&mut self, id: i64, change: OrderFields) -> Outcome {
        let Some(order) = self.orders.get(&id).cloned() else {
            return violation("OrderNotFound");
        };
        if order.complete {
            return violation("OrderAlreadyComplete");
        }
        if change.id.unwrap_or(id) != id || change.pet.unwrap_or(order.pet) != order.pet {
            return violation("ValidationFailed");
        }
        let quantity = change.quantity.unwrap_or(order.quantity);
        let completes = change.complete == Some(true);
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
        let changed = ModelOrder::new(order.pet, quantity, completes);
        self.orders.insert(id, changed);
        let (pet, state) = (order.pet, if completes { "complete" } else { "open" });
        Ok(format!("order {id} of {quantity} of {pet}, {state}"))
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

    /// Whether another category than `id` has the name.
    fn is_taken(&self, name: &str, id: i64) -> bool {
        let mut others = self.categories.iter().filter(|(other, _)| **other != id);
        others.any(|(_, taken)| taken.eq_ignore_ascii_case(name))
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
