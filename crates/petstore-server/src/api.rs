//! The operations: each unpacks its arguments, calls the store, and wraps what
//! comes back. Rules live in `pets`, `categories`, `orders` and `inventory`.

mod convert;
mod next_page;

use std::sync::Arc;

use dropshot::{
    Header, HttpResponseCreated, HttpResponseDeleted, HttpResponseHeaders, HttpResponseOk, Path,
    Query, RequestContext, TypedBody,
};
use petstore_api::PetstoreApi;
use petstore_api::parameters::{
    CategoryIdPath, CreateCategoryRequestHeaders, CreateCategoryResponseHeaders,
    CreatePetRequestHeaders, CreatePetResponseHeaders, ListCategoriesQuery,
    ListCategoriesResponseHeaders, ListInventoryQuery, ListInventoryResponseHeaders,
    ListOrdersQuery, ListOrdersResponseHeaders, ListPetsQuery, ListPetsResponseHeaders,
    OrderIdPath, PetIdPath, PlaceOrderRequestHeaders, PlaceOrderResponseHeaders,
};
use petstore_api::types::{
    Categories, Category, Error, Inventory, InventoryItem, InventoryUpdate, NewCategory, NewPet,
    Order, Orders, Pet, Pets, RateLimitStatus,
};

use self::next_page::next_page;
use crate::auth::Caller;
use crate::call::Call;
use crate::error;
use crate::service::Service;
use crate::store::{Created, IdempotentRequest, StoreError};

type Context = RequestContext<Arc<Service>>;
type WithHeaders<T, H> = Result<HttpResponseHeaders<T, H>, Error>;

/// The petstore's operations over its store.
#[derive(Debug)]
pub enum PetstoreImpl {}

impl PetstoreApi for PetstoreImpl {
    type Context = Arc<Service>;

    async fn list_pets(
        rqctx: Context,
        query: Query<ListPetsQuery>,
    ) -> WithHeaders<HttpResponseOk<Pets>, ListPetsResponseHeaders> {
        let (filter, range) = convert::pets_query(query.into_inner());
        let page = rqctx
            .context()
            .store
            .pets(filter, range)
            .await
            .map_err(told(&rqctx))?;
        let last = page.items.last().map(|pet| pet.id);
        let link = next_page(&rqctx.request, page.more, last);
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Pets(convert::all(page.items))),
            ListPetsResponseHeaders { link },
        ))
    }

    async fn create_pet(
        rqctx: Context,
        headers: Header<CreatePetRequestHeaders>,
        body: TypedBody<NewPet>,
    ) -> WithHeaders<HttpResponseCreated<Pet>, CreatePetResponseHeaders> {
        let key = idempotency(&rqctx, "createPet", headers.into_inner().idempotency_key);
        let pet = body.into_inner().into();
        let created = rqctx.context().store.create_pet(pet, key).await;
        let Created { record, replayed } = created.map_err(told(&rqctx))?;
        let location = format!("/pets/{}", record.id);
        Ok(HttpResponseHeaders::new(
            HttpResponseCreated(record.into()),
            CreatePetResponseHeaders {
                location,
                idempotency_replayed: replayed.then_some(true),
            },
        ))
    }

    async fn get_pet(rqctx: Context, path: Path<PetIdPath>) -> Result<HttpResponseOk<Pet>, Error> {
        let pet = rqctx
            .context()
            .store
            .pet(path.into_inner().pet_id)
            .await
            .map_err(told(&rqctx))?;
        Ok(HttpResponseOk(pet.into()))
    }

    async fn replace_pet(
        rqctx: Context,
        path: Path<PetIdPath>,
        body: TypedBody<NewPet>,
    ) -> Result<HttpResponseOk<Pet>, Error> {
        let id = path.into_inner().pet_id;
        let pet = rqctx
            .context()
            .store
            .replace_pet(id, body.into_inner().into())
            .await;
        Ok(HttpResponseOk(pet.map_err(told(&rqctx))?.into()))
    }

    async fn delete_pet(
        rqctx: Context,
        path: Path<PetIdPath>,
    ) -> Result<HttpResponseDeleted, Error> {
        let id = path.into_inner().pet_id;
        rqctx
            .context()
            .store
            .delete_pet(id)
            .await
            .map_err(told(&rqctx))?;
        Ok(HttpResponseDeleted())
    }

    async fn list_categories(
        rqctx: Context,
        query: Query<ListCategoriesQuery>,
    ) -> WithHeaders<HttpResponseOk<Categories>, ListCategoriesResponseHeaders> {
        let ListCategoriesQuery { limit, after } = query.into_inner();
        let range = convert::range(limit, after);
        let page = rqctx
            .context()
            .store
            .categories(range)
            .await
            .map_err(told(&rqctx))?;
        let last = page.items.last().map(|category| category.id);
        let link = next_page(&rqctx.request, page.more, last);
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Categories(convert::all(page.items))),
            ListCategoriesResponseHeaders { link },
        ))
    }

    async fn create_category(
        rqctx: Context,
        headers: Header<CreateCategoryRequestHeaders>,
        body: TypedBody<NewCategory>,
    ) -> WithHeaders<HttpResponseCreated<Category>, CreateCategoryResponseHeaders> {
        let key = idempotency(
            &rqctx,
            "createCategory",
            headers.into_inner().idempotency_key,
        );
        let category = body.into_inner().into();
        let created = rqctx.context().store.create_category(category, key).await;
        let Created { record, replayed } = created.map_err(told(&rqctx))?;
        let location = format!("/categories/{}", record.id);
        Ok(HttpResponseHeaders::new(
            HttpResponseCreated(record.into()),
            CreateCategoryResponseHeaders {
                location,
                idempotency_replayed: replayed.then_some(true),
            },
        ))
    }

    async fn get_category(
        rqctx: Context,
        path: Path<CategoryIdPath>,
    ) -> Result<HttpResponseOk<Category>, Error> {
        let id = path.into_inner().category_id;
        let category = rqctx
            .context()
            .store
            .category(id)
            .await
            .map_err(told(&rqctx))?;
        Ok(HttpResponseOk(category.into()))
    }

    async fn replace_category(
        rqctx: Context,
        path: Path<CategoryIdPath>,
        body: TypedBody<NewCategory>,
    ) -> Result<HttpResponseOk<Category>, Error> {
        let id = path.into_inner().category_id;
        let category = rqctx
            .context()
            .store
            .replace_category(id, body.into_inner().into())
            .await;
        Ok(HttpResponseOk(category.map_err(told(&rqctx))?.into()))
    }

    async fn delete_category(
        rqctx: Context,
        path: Path<CategoryIdPath>,
    ) -> Result<HttpResponseDeleted, Error> {
        let id = path.into_inner().category_id;
        rqctx
            .context()
            .store
            .delete_category(id)
            .await
            .map_err(told(&rqctx))?;
        Ok(HttpResponseDeleted())
    }

    async fn list_orders(
        rqctx: Context,
        query: Query<ListOrdersQuery>,
    ) -> WithHeaders<HttpResponseOk<Orders>, ListOrdersResponseHeaders> {
        let (filter, range) = convert::orders_query(query.into_inner());
        let page = rqctx
            .context()
            .store
            .orders(filter, range)
            .await
            .map_err(told(&rqctx))?;
        let last = page.items.last().map(|order| order.id);
        let link = next_page(&rqctx.request, page.more, last);
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Orders(convert::all(page.items))),
            ListOrdersResponseHeaders { link },
        ))
    }

    async fn place_order(
        rqctx: Context,
        headers: Header<PlaceOrderRequestHeaders>,
        body: TypedBody<Order>,
    ) -> WithHeaders<HttpResponseCreated<Order>, PlaceOrderResponseHeaders> {
        let key = idempotency(&rqctx, "placeOrder", headers.into_inner().idempotency_key);
        let order = body.into_inner().into();
        let created = rqctx.context().store.place_order(order, key).await;
        let Created { record, replayed } = created.map_err(told(&rqctx))?;
        let location = format!("/store/orders/{}", record.id);
        Ok(HttpResponseHeaders::new(
            HttpResponseCreated(record.into()),
            PlaceOrderResponseHeaders {
                location,
                idempotency_replayed: replayed.then_some(true),
            },
        ))
    }

    async fn get_order(
        rqctx: Context,
        path: Path<OrderIdPath>,
    ) -> Result<HttpResponseOk<Order>, Error> {
        let order = rqctx
            .context()
            .store
            .order(path.into_inner().order_id)
            .await
            .map_err(told(&rqctx))?;
        Ok(HttpResponseOk(order.into()))
    }

    async fn update_order(
        rqctx: Context,
        path: Path<OrderIdPath>,
        body: TypedBody<Order>,
    ) -> Result<HttpResponseOk<Order>, Error> {
        let id = path.into_inner().order_id;
        let order = rqctx
            .context()
            .store
            .update_order(id, body.into_inner().into())
            .await;
        Ok(HttpResponseOk(order.map_err(told(&rqctx))?.into()))
    }

    async fn cancel_order(
        rqctx: Context,
        path: Path<OrderIdPath>,
    ) -> Result<HttpResponseDeleted, Error> {
        let id = path.into_inner().order_id;
        rqctx
            .context()
            .store
            .cancel_order(id)
            .await
            .map_err(told(&rqctx))?;
        Ok(HttpResponseDeleted())
    }

    async fn list_inventory(
        rqctx: Context,
        query: Query<ListInventoryQuery>,
    ) -> WithHeaders<HttpResponseOk<Inventory>, ListInventoryResponseHeaders> {
        let (filter, range) = convert::inventory_query(query.into_inner());
        let page = rqctx
            .context()
            .store
            .inventory(filter, range)
            .await
            .map_err(told(&rqctx))?;
        let last = page.items.last().map(|item| item.pet_id);
        let link = next_page(&rqctx.request, page.more, last);
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Inventory(convert::all(page.items))),
            ListInventoryResponseHeaders { link },
        ))
    }

    async fn get_inventory(
        rqctx: Context,
        path: Path<PetIdPath>,
    ) -> Result<HttpResponseOk<InventoryItem>, Error> {
        let id = path.into_inner().pet_id;
        let item = rqctx
            .context()
            .store
            .inventory_item(id)
            .await
            .map_err(told(&rqctx))?;
        Ok(HttpResponseOk(item.into()))
    }

    async fn set_inventory(
        rqctx: Context,
        path: Path<PetIdPath>,
        body: TypedBody<InventoryUpdate>,
    ) -> Result<HttpResponseOk<InventoryItem>, Error> {
        let id = path.into_inner().pet_id;
        let item = rqctx
            .context()
            .store
            .set_inventory(id, body.into_inner().quantity)
            .await;
        Ok(HttpResponseOk(item.map_err(told(&rqctx))?.into()))
    }

    async fn get_rate_limit(rqctx: Context) -> Result<HttpResponseOk<RateLimitStatus>, Error> {
        let service = rqctx.context();
        let Caller { account, plan, .. } = caller()?;
        let status = service
            .limiter
            .status(&account, service.clock.now().timestamp());
        let status = status.map_err(told(&rqctx))?;
        Ok(HttpResponseOk(convert::rate_limit(plan, status)))
    }
}

/// Who makes this call. The gate lets nobody through to an operation unidentified.
fn caller() -> Result<Caller, Error> {
    let call = Call::current().ok_or_else(error::internal)?;
    Ok(call.caller)
}

/// What the client is told about an error of the store.
fn told(rqctx: &Context) -> impl Fn(StoreError) -> Error {
    |error| error::of_store(error, &rqctx.context().log_of(&rqctx.request_id))
}

/// The idempotency of this call, where the client asked for it.
fn idempotency(
    rqctx: &Context,
    operation: &'static str,
    key: Option<String>,
) -> Option<IdempotentRequest> {
    let (key, Call { caller, body }) = key.zip(Call::current())?;
    Some(IdempotentRequest {
        caller: caller.account.key_id.to_string(),
        operation,
        key,
        body_hash: body?,
        now: rqctx.context().clock.now(),
    })
}
