//! The table `pets`, and what its rules read.

use petstore_api::ErrorCode;
use petstore_api::types::PetStatus;

use crate::categories::Category;
use crate::inventory::InventoryItem;
use crate::pets::{self, NewPet, Pet};
use crate::store::resource::find_referenced;
use crate::store::row::{Statement, stored_as_text};
use crate::store::table::table;
use crate::store::{Change, EngineError, Found, Resource, StoreError, inventory};

stored_as_text!(PetStatus => ToString::to_string);

table!(Pet in "pets", PetNotFound { name, category_id, status } hidden "stock");

impl Resource for Pet {
    type New = NewPet;

    fn reads(new: &NewPet, id: Option<i64>) -> Vec<Statement> {
        let mut reads = vec![find_referenced::<Category>(new.category_id)];
        if let Some(id) = id {
            reads.extend([inventory::lock(id), inventory::count_open_orders(id)]);
        }
        reads
    }

    fn apply(
        new: &NewPet,
        before: Option<&Pet>,
        found: &mut Found<'_>,
    ) -> Result<Change<Pet>, StoreError> {
        found.referenced::<Category>(new.category_id, ErrorCode::UnknownCategory)?;
        let item = match before {
            None => pets::initial_stock(new),
            Some(pet) => {
                let missing = || EngineError::internal(format!("pet {} has no stock", pet.id));
                let item: InventoryItem = found.next_row()?.ok_or_else(missing)?;
                let open_orders = found.next_row()?.unwrap_or(0);
                pets::stock_after_replace(&item, open_orders, new)?
            }
        };
        let record = Pet {
            id: item.pet_id,
            name: new.name.clone(),
            category_id: new.category_id,
            status: item.status,
        };
        Ok(Change {
            hidden: vec![item.quantity.into()],
            ..Change::to(record)
        })
    }

    fn reads_of_deletion(id: i64) -> Vec<Statement> {
        vec![inventory::count_open_orders(id)]
    }

    fn check_deletion(&self, found: &mut Found<'_>) -> Result<Option<Statement>, StoreError> {
        pets::check_delete(self.id, found.next_row()?.unwrap_or(0))?;
        Ok(None)
    }
}
