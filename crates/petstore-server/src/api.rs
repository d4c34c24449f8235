//! The operations: each unpacks its arguments, calls the store, and wraps the
//! result. The rules are in `pets`, `categories`, `orders` and `inventory`.

mod convert;
mod next_page;

use std::sync::Arc;

use dropshot::{
    Header, HttpResponseCreated, HttpResponseDeleted, HttpResponseHeaders, HttpResponseOk, Path,
    Query, RequestContext, TypedBody,
};
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
use petstore_api::{PetstoreApi, PetstoreInterface};
use spec_gate::Gate;
use spec_gate::auth::{KeyPrincipal, Principal};
use spec_gate::call::Call;
use spec_gate::error::GateError;
use spec_runtime::Interface as _;

use self::convert::{
    convert_inventory_query, convert_orders_query, convert_page_request, convert_pets_query,
    convert_rate_limit,
};
use self::next_page::next_page_link;
use crate::error;
use crate::store::{Created, IdempotentRequest, Page, Store, StoreError};

/// The generated interface of the petstore: operation table, dispatch to [`Petstore`], plans and error codes.
pub type Interface = PetstoreInterface<Petstore>;

type Context = RequestContext<Arc<Gate<Petstore>>>;
type WithHeaders<T, H> = Result<HttpResponseHeaders<T, H>, Error>;

/// The petstore behind the gate: implements the operations of the document; its state is the store.
#[derive(Debug)]
pub struct Petstore {
    /// The records.
    pub store: Store,
}

impl PetstoreApi for Petstore {
    type Context = Arc<Gate<Petstore>>;

    async fn list_pets(
        rqctx: Context,
        query: Query<ListPetsQuery>,
    ) -> WithHeaders<HttpResponseOk<Pets>, ListPetsResponseHeaders> {
        let (filter, page) = convert_pets_query(query.into_inner());
        let page = store(&rqctx).list_pets(filter, page).await;
        let (items, link) = convert_page(&rqctx, page, |pet| pet.id)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Pets(items)),
            ListPetsResponseHeaders { link },
        ))
    }

    async fn create_pet(
        rqctx: Context,
        headers: Header<CreatePetRequestHeaders>,
        body: TypedBody<NewPet>,
    ) -> WithHeaders<HttpResponseCreated<Pet>, CreatePetResponseHeaders> {
        let key = headers.into_inner().idempotency_key;
        let request = idempotent_request(&rqctx, "createPet", key);
        let new = body.into_inner().into();
        let created = store(&rqctx).create_pet(new, request).await;
        let Created { record, replayed } = created.map_err(to_api_error(&rqctx))?;
        let headers = CreatePetResponseHeaders {
            location: format!("/pets/{}", record.id),
            idempotency_replayed: replayed.then_some(true),
        };
        Ok(HttpResponseHeaders::new(
            HttpResponseCreated(record.into()),
            headers,
        ))
    }

    async fn get_pet(rqctx: Context, path: Path<PetIdPath>) -> Result<HttpResponseOk<Pet>, Error> {
        let id = path.into_inner().pet_id;
        let record = store(&rqctx).get_pet(id).await;
        Ok(HttpResponseOk(record.map_err(to_api_error(&rqctx))?.into()))
    }

    async fn replace_pet(
        rqctx: Context,
        path: Path<PetIdPath>,
        body: TypedBody<NewPet>,
    ) -> Result<HttpResponseOk<Pet>, Error> {
        let id = path.into_inner().pet_id;
        let new = body.into_inner().into();
        let record = store(&rqctx).replace_pet(id, new).await;
        Ok(HttpResponseOk(record.map_err(to_api_error(&rqctx))?.into()))
    }

    async fn delete_pet(
        rqctx: Context,
        path: Path<PetIdPath>,
    ) -> Result<HttpResponseDeleted, Error> {
        let id = path.into_inner().pet_id;
        let deleted = store(&rqctx).delete_pet(id).await;
        deleted.map_err(to_api_error(&rqctx))?;
        Ok(HttpResponseDeleted())
    }

    async fn list_categories(
        rqctx: Context,
        query: Query<ListCategoriesQuery>,
    ) -> WithHeaders<HttpResponseOk<Categories>, ListCategoriesResponseHeaders> {
        let ListCategoriesQuery { limit, after } = query.into_inner();
        let page = convert_page_request(limit, after);
        let page = store(&rqctx).list_categories(page).await;
        let (items, link) = convert_page(&rqctx, page, |category| category.id)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Categories(items)),
            ListCategoriesResponseHeaders { link },
        ))
    }

    async fn create_category(
        rqctx: Context,
        headers: Header<CreateCategoryRequestHeaders>,
        body: TypedBody<NewCategory>,
    ) -> WithHeaders<HttpResponseCreated<Category>, CreateCategoryResponseHeaders> {
        let key = headers.into_inner().idempotency_key;
        let request = idempotent_request(&rqctx, "createCategory", key);
        let new = body.into_inner().into();
        let created = store(&rqctx).create_category(new, request).await;
        let Created { record, replayed } = created.map_err(to_api_error(&rqctx))?;
        let headers = CreateCategoryResponseHeaders {
            location: format!("/categories/{}", record.id),
            idempotency_replayed: replayed.then_some(true),
        };
        Ok(HttpResponseHeaders::new(
            HttpResponseCreated(record.into()),
            headers,
        ))
    }

    async fn get_category(
        rqctx: Context,
        path: Path<CategoryIdPath>,
    ) -> Result<HttpResponseOk<Category>, Error> {
        let id = path.into_inner().category_id;
        let record = store(&rqctx).get_category(id).await;
        Ok(HttpResponseOk(record.map_err(to_api_error(&rqctx))?.into()))
    }

    async fn replace_category(
        rqctx: Context,
        path: Path<CategoryIdPath>,
        body: TypedBody<NewCategory>,
    ) -> Result<HttpResponseOk<Category>, Error> {
        let id = path.into_inner().category_id;
        let new = body.into_inner().into();
        let record = store(&rqctx).replace_category(id, new).await;
        Ok(HttpResponseOk(record.map_err(to_api_error(&rqctx))?.into()))
    }

    async fn delete_category(
        rqctx: Context,
        path: Path<CategoryIdPath>,
    ) -> Result<HttpResponseDeleted, Error> {
        let id = path.into_inner().category_id;
        let deleted = store(&rqctx).delete_category(id).await;
        deleted.map_err(to_api_error(&rqctx))?;
        Ok(HttpResponseDeleted())
    }

    async fn list_orders(
        rqctx: Context,
        query: Query<ListOrdersQuery>,
    ) -> WithHeaders<HttpResponseOk<Orders>, ListOrdersResponseHeaders> {
        let (filter, page) = convert_orders_query(query.into_inner());
        let page = store(&rqctx).list_orders(filter, page).await;
        let (items, link) = convert_page(&rqctx, page, |order| order.id)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Orders(items)),
            ListOrdersResponseHeaders { link },
        ))
    }

    async fn place_order(
        rqctx: Context,
        headers: Header<PlaceOrderRequestHeaders>,
        body: TypedBody<Order>,
    ) -> WithHeaders<HttpResponseCreated<Order>, PlaceOrderResponseHeaders> {
        let key = headers.into_inner().idempotency_key;
        let request = idempotent_request(&rqctx, "placeOrder", key);
        let new = body.into_inner().into();
        let created = store(&rqctx).place_order(new, request).await;
        let Created { record, replayed } = created.map_err(to_api_error(&rqctx))?;
        let headers = PlaceOrderResponseHeaders {
            location: format!("/store/orders/{}", record.id),
            idempotency_replayed: replayed.then_some(true),
        };
        Ok(HttpResponseHeaders::new(
            HttpResponseCreated(record.into()),
            headers,
        ))
    }

    async fn get_order(
        rqctx: Context,
        path: Path<OrderIdPath>,
    ) -> Result<HttpResponseOk<Order>, Error> {
        let id = path.into_inner().order_id;
        let record = store(&rqctx).get_order(id).await;
        Ok(HttpResponseOk(record.map_err(to_api_error(&rqctx))?.into()))
    }

    async fn update_order(
        rqctx: Context,
        path: Path<OrderIdPath>,
        body: TypedBody<Order>,
    ) -> Result<HttpResponseOk<Order>, Error> {
        let id = path.into_inner().order_id;
        let change = body.into_inner().into();
        let record = store(&rqctx).update_order(id, change).await;
        Ok(HttpResponseOk(record.map_err(to_api_error(&rqctx))?.into()))
    }

    async fn cancel_order(
        rqctx: Context,
        path: Path<OrderIdPath>,
    ) -> Result<HttpResponseDeleted, Error> {
        let id = path.into_inner().order_id;
        let deleted = store(&rqctx).cancel_order(id).await;
        deleted.map_err(to_api_error(&rqctx))?;
        Ok(HttpResponseDeleted())
    }

    async fn list_inventory(
        rqctx: Context,
        query: Query<ListInventoryQuery>,
    ) -> WithHeaders<HttpResponseOk<Inventory>, ListInventoryResponseHeaders> {
        let (filter, page) = convert_inventory_query(query.into_inner());
        let page = store(&rqctx).list_inventory(filter, page).await;
        let (items, link) = convert_page(&rqctx, page, |item| item.pet_id)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Inventory(items)),
            ListInventoryResponseHeaders { link },
        ))
    }

    async fn get_inventory(
        rqctx: Context,
        path: Path<PetIdPath>,
    ) -> Result<HttpResponseOk<InventoryItem>, Error> {
        let id = path.into_inner().pet_id;
        let record = store(&rqctx).get_inventory_item(id).await;
        Ok(HttpResponseOk(record.map_err(to_api_error(&rqctx))?.into()))
    }

    async fn set_inventory(
        rqctx: Context,
        path: Path<PetIdPath>,
        body: TypedBody<InventoryUpdate>,
    ) -> Result<HttpResponseOk<InventoryItem>, Error> {
        let id = path.into_inner().pet_id;
        let quantity = body.into_inner().quantity;
        let record = store(&rqctx).set_inventory(id, quantity).await;
        Ok(HttpResponseOk(record.map_err(to_api_error(&rqctx))?.into()))
    }

    async fn get_rate_limit(rqctx: Context) -> Result<HttpResponseOk<RateLimitStatus>, Error> {
        let gate = rqctx.context();
        let KeyPrincipal { account, plan, .. } = key_principal()?;
        let limiter = gate.limiter().ok_or_else(internal_error)?;
        let status = limiter.status(&account, gate.now().timestamp());
        let status = status
            .map_err(|error| error::to_error(gate.storage_error(&error, &rqctx.request_id)))?;
        Ok(HttpResponseOk(convert_rate_limit(plan, status)))
    }
}

/// Returns the API key that the current call was authenticated with. The document has no public operation, so the gate
/// admits no call without one.
fn key_principal() -> Result<KeyPrincipal, Error> {
    match Call::current().map(|call| call.principal) {
        Some(Principal::Key(key)) => Ok(key),
        Some(Principal::Anonymous(_)) | None => Err(internal_error()),
    }
}

fn internal_error() -> Error {
    error::to_error(GateError::internal().into_info(Interface::error_codes()))
}

fn store(rqctx: &Context) -> &Store {
    &rqctx.context().service().store
}

/// Returns a function that converts an error of the store to an `Error` object, and logs errors of the database.
fn to_api_error(rqctx: &Context) -> impl Fn(StoreError) -> Error {
    |error| match error {
        StoreError::RuleViolation(violation) => error::from_violation(&violation),
        StoreError::Engine(error) => {
            let gate = rqctx.context();
            error::to_error(gate.storage_error(&error.into(), &rqctx.request_id))
        }
    }
}

/// Converts the records of a page to types of the interface, and renders the `Link` header to the next page. `id` returns
/// the id of a record.
fn convert_page<R, T: From<R>>(
    rqctx: &Context,
    page: Result<Page<R>, StoreError>,
    id: impl Fn(&R) -> i64,
) -> Result<(Vec<T>, Option<String>), Error> {
    let Page { items, more } = page.map_err(to_api_error(rqctx))?;
    let last = items.last().filter(|_| more);
    let link = last.map(|last| next_page_link(&rqctx.request, id(last)));
    Ok((items.into_iter().map(T::from).collect(), link))
}

/// Describes the current call by its caller, operation, idempotency key and body hash, so that the store can replay its
/// response. `None` without an idempotency key.
fn idempotent_request(
    rqctx: &Context,
    operation: &'static str,
    key: Option<String>,
) -> Option<IdempotentRequest> {
    let key = key?;
    let call = Call::current()?;
    let Principal::Key(principal) = call.principal else {
        return None;
    };
    Some(IdempotentRequest {
        caller: principal.account.key_id.to_string(),
        operation,
        key,
        body_hash: call.body_hash?,
        now: rqctx.context().now(),
    })
}
