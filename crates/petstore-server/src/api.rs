//! The operations: each unpacks its arguments, calls the store, and wraps the
//! result. The rules are in `pets`, `categories`, `orders` and `inventory`.

mod convert;
mod next_page;
mod operations;
mod outcome;

use std::sync::Arc;

use dropshot::{
    Header, HttpResponseCreated, HttpResponseDeleted, HttpResponseHeaders as WithHeaders,
    HttpResponseOk, Path, Query, RequestContext, TypedBody,
};
// The parameters and headers of each operation, which are named after it.
use dropspec_gate::Gate;
use petstore_api::parameters::*;
use petstore_api::types::*;
use petstore_api::{PetstoreApi, PetstoreInterface};

use self::operations::operations;
use self::outcome::{read_rate_limit, read_record};
use crate::inventory;
use crate::store::Store;
use crate::{categories, orders, pets};

/// The generated interface of the petstore: operation table, dispatch to [`Petstore`], plans and error codes.
pub type Interface = PetstoreInterface<Petstore>;

type Context = RequestContext<Arc<Gate<Petstore>>>;
type Reply<T, H> = Result<WithHeaders<T, H>, Error>;

/// The petstore behind the gate: implements the operations of the document; its state is the store.
#[derive(Debug)]
pub struct Petstore {
    /// The records.
    pub store: Store,
}

impl PetstoreApi for Petstore {
    type Context = Arc<Gate<Petstore>>;

    operations! { pets::Pet => Pet;
        list list_pets(ListPetsQuery { id, category_id, status }) -> Pets, ListPetsResponseHeaders;
        create create_pet(CreatePet, CreatePetRequestHeaders, NewPet) -> CreatePetResponseHeaders;
        get get_pet(PetIdPath { pet_id }) -> GetPetResponseHeaders;
        replace replace_pet(PetIdPath { pet_id }, ReplacePetRequestHeaders, NewPet)
            -> ReplacePetResponseHeaders;
        delete delete_pet(PetIdPath { pet_id }, DeletePetRequestHeaders);
    }

    operations! { categories::Category => Category;
        list list_categories(ListCategoriesQuery {}) -> Categories, ListCategoriesResponseHeaders;
        create create_category(CreateCategory, CreateCategoryRequestHeaders, NewCategory)
            -> CreateCategoryResponseHeaders;
        get get_category(CategoryIdPath { category_id }) -> GetCategoryResponseHeaders;
        replace replace_category(CategoryIdPath { category_id }, ReplaceCategoryRequestHeaders, NewCategory)
            -> ReplaceCategoryResponseHeaders;
        delete delete_category(CategoryIdPath { category_id }, DeleteCategoryRequestHeaders);
    }

    operations! { orders::Order => Order;
        list list_orders(ListOrdersQuery { pet_id, complete }) -> Orders, ListOrdersResponseHeaders;
        create place_order(PlaceOrder, PlaceOrderRequestHeaders, Order) -> PlaceOrderResponseHeaders;
        get get_order(OrderIdPath { order_id }) -> GetOrderResponseHeaders;
        replace update_order(OrderIdPath { order_id }, UpdateOrderRequestHeaders, Order)
            -> UpdateOrderResponseHeaders;
        delete cancel_order(OrderIdPath { order_id }, CancelOrderRequestHeaders);
    }

    operations! { inventory::InventoryItem => InventoryItem;
        list list_inventory(ListInventoryQuery { status }) -> Inventory, ListInventoryResponseHeaders;
        get get_inventory(PetIdPath { pet_id }) -> GetInventoryResponseHeaders;
    }

    async fn set_inventory(
        rqctx: Context,
        path: Path<PetIdPath>,
        headers: Header<SetInventoryRequestHeaders>,
        body: TypedBody<InventoryUpdate>,
    ) -> Reply<HttpResponseOk<InventoryItem>, SetInventoryResponseHeaders> {
        let (id, change) = (path.into_inner().pet_id, body.into_inner().quantity);
        let precondition = headers.into_inner().if_match.into();
        let record = store(&rqctx).set_inventory(id, change, precondition).await;
        let (body, e_tag) = read_record(&rqctx, record)?;
        Ok(WithHeaders::new(
            body,
            SetInventoryResponseHeaders { e_tag },
        ))
    }

    async fn get_rate_limit(rqctx: Context) -> Result<HttpResponseOk<RateLimitStatus>, Error> {
        Ok(HttpResponseOk(read_rate_limit(&rqctx).await?))
    }
}

fn store(rqctx: &Context) -> &Store {
    &rqctx.context().service().store
}
