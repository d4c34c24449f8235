//! A petstore that a person can check by reading: maps in memory, and `service.md` written out once more.
//!
//! It shares no code with the rules, so that a slip in one shows against the other. An outcome is text: the record
//! as words, or the name of the refusal.

use std::collections::BTreeMap;

/// What an operation comes to: a record in words, or the name of a refusal.
pub type Outcome = Result<String, String>;

/// An idempotency key that goes with a request.
pub type Key = Option<u8>;

/// One call on the store.
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
    /// Not a call: hours pass, which matters to idempotency keys.
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
struct Remembered {
    request: String,
    answer: String,
    hour: i64,
}

#[derive(Debug, Default)]
pub struct Model {
    pub categories: BTreeMap<i64, String>,
    pub pets: BTreeMap<i64, ModelPet>,
    pub orders: BTreeMap<i64, ModelOrder>,
    pub hour: i64,
    remembered: BTreeMap<(&'static str, u8), Remembered>,
    last_category: i64,
    last_pet: i64,
    last_order: i64,
}

impl Model {
    /// Applies a step. A replayed answer begins with "again: ".
    pub fn apply(&mut self, step: &Step) -> Outcome {
        let request = format!("{step:?}");
        match *step {
            Step::CreateCategory { key, name } => self.once("category", key, request, |model| {
                model.create_category(name)
            }),
            Step::CreatePet {
                key,
                category,
                status,
            } => self.once("pet", key, request, |model| {
                model.create_pet(category, status)
            }),
            Step::PlaceOrder {
                key,
                id,
                pet,
                quantity,
                complete,
            } => self.once("order", key, request, |model| {
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

    fn once(
        &mut self,
        operation: &'static str,
        key: Key,
        request: String,
        create: impl FnOnce(&mut Model) -> Outcome,
    ) -> Outcome {
        let Some(key) = key else { return create(self) };
        let known = self.remembered.get(&(operation, key));
        if let Some(known) = known.filter(|known| self.hour < known.hour + 24) {
            if known.request != request {
                return refuse("IdempotencyKeyReused");
            }
            return Ok(format!("again: {}", known.answer));
        }
        let answer = create(self)?;
        let remembered = Remembered {
            request,
            answer: answer.clone(),
            hour: self.hour,
        };
        self.remembered.insert((operation, key), remembered);
        Ok(answer)
    }

    fn create_category(&mut self, name: &str) -> Outcome {
        if self
            .categories
            .values()
            .any(|taken| taken.eq_ignore_ascii_case(name))
        {
            return refuse("CategoryExists");
        }
        self.last_category += 1;
        self.categories.insert(self.last_category, name.to_owned());
        Ok(format!("category {} {name}", self.last_category))
    }

    fn replace_category(&mut self, id: i64, name: &str) -> Outcome {
        if !self.categories.contains_key(&id) {
            return refuse("CategoryNotFound");
        }
        if self
            .categories
            .iter()
            .any(|(other, taken)| *other != id && taken.eq_ignore_ascii_case(name))
        {
            return refuse("CategoryExists");
        }
        self.categories.insert(id, name.to_owned());
        Ok(format!("category {id} {name}"))
    }

    fn delete_category(&mut self, id: i64) -> Outcome {
        if !self.categories.contains_key(&id) {
            return refuse("CategoryNotFound");
        }
        if self.pets.values().any(|pet| pet.category == id) {
            return refuse("CategoryInUse");
        }
        self.categories.remove(&id);
        Ok("gone".to_owned())
    }

    fn create_pet(&mut self, category: i64, status: Option<&'static str>) -> Outcome {
        if !self.categories.contains_key(&category) {
            return refuse("UnknownCategory");
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
            return refuse("PetNotFound");
        };
        if !self.categories.contains_key(&category) {
            return refuse("UnknownCategory");
        }
        let wanted = status.unwrap_or(pet.status);
        if wanted != pet.status {
            if pet.status == "sold" {
                return refuse("InvalidStatusTransition");
            }
            if wanted == "available" && pet.stock == 0 {
                return refuse("InsufficientStock");
            }
            if wanted == "sold" {
                if self.open_orders(id) > 0 {
                    return refuse("PetHasOpenOrders");
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
            return refuse("PetNotFound");
        }
        if self.open_orders(id) > 0 {
            return refuse("PetHasOpenOrders");
        }
        self.pets.remove(&id);
        Ok("gone".to_owned())
    }

    fn place_order(
        &mut self,
        id: Option<i64>,
        pet: Option<i64>,
        quantity: Option<i64>,
        complete: Option<bool>,
    ) -> Outcome {
        let (None, Some(pet_id), None | Some(false)) = (id, pet, complete) else {
            return refuse("ValidationFailed");
        };
        let quantity = quantity.unwrap_or(1);
        let Some(pet) = self.pets.get_mut(&pet_id) else {
            return refuse("UnknownPet");
        };
        if pet.status != "available" {
            return refuse("PetNotAvailable");
        }
        if pet.stock < quantity {
            return refuse("InsufficientStock");
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
            return refuse("OrderNotFound");
        };
        if order.complete {
            return refuse("OrderAlreadyComplete");
        }
        if given_id.is_some_and(|given| given != id)
            || given_pet.is_some_and(|given| given != order.pet)
        {
            return refuse("ValidationFailed");
        }
        let quantity = quantity.unwrap_or(order.quantity);
        let completes = complete == Some(true);
        let others_open = self.open_orders(order.pet) - 1;
        let pet = self.pets.get_mut(&order.pet).unwrap();
        if quantity - order.quantity > pet.stock {
            return refuse("InsufficientStock");
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
            return refuse("OrderNotFound");
        };
        if order.complete {
            return refuse("OrderAlreadyComplete");
        }
        let pet = self.pets.get_mut(&order.pet).unwrap();
        if pet.stock == 0 && pet.status == "pending" {
            pet.status = "available";
        }
        pet.stock += order.quantity;
        self.orders.remove(&id);
        Ok("gone".to_owned())
    }

    fn set_inventory(&mut self, id: i64, quantity: i64) -> Outcome {
        let open = self.open_orders(id);
        let Some(pet) = self.pets.get_mut(&id) else {
            return refuse("PetNotFound");
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

fn refuse(name: &str) -> Outcome {
    Err(name.to_owned())
}
