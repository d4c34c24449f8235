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
    CancelOrderRequestHeaders, CategoryIdPath, CreateCategoryRequestHeaders,
    CreateCategoryResponseHeaders, CreatePetRequestHeaders, CreatePetResponseHeaders,
    DeleteCategoryRequestHeaders, DeletePetRequestHeaders, GetCategoryResponseHeaders,
    GetInventoryResponseHeaders, GetOrderResponseHeaders, GetPetResponseHeaders,
    ListCategoriesQuery, ListCategoriesResponseHeaders, ListInventoryQuery,
    ListInventoryResponseHeaders, ListOrdersQuery, ListOrdersResponseHeaders, ListPetsQuery,
    ListPetsResponseHeaders, OrderIdPath, PetIdPath, PlaceOrderRequestHeaders,
    PlaceOrderResponseHeaders, ReplaceCategoryRequestHeaders, ReplaceCategoryResponseHeaders,
    ReplacePetRequestHeaders, ReplacePetResponseHeaders, SetInventoryRequestHeaders,
    SetInventoryResponseHeaders, UpdateOrderRequestHeaders, UpdateOrderResponseHeaders,
};
use petstore_api::types::{
    Categories, Category, Error, Inventory, InventoryItem, InventoryUpdate, NewCategory, NewPet,
    Order, Orders, Pet, Pets, RateLimitStatus,
};
use petstore_api::{PetstoreApi, PetstoreInterface};
use serde::Serialize;
use spec_gate::auth::Principal;
use spec_gate::conditional::EntityTag;
use spec_gate::error::GateError;
use spec_gate::keys::to_storage_error;
use spec_gate::{Database, Gate};
use spec_runtime::Interface as _;

use self::convert::{
    convert_inventory_query, convert_orders_query, convert_page_request, convert_pets_query,
    convert_rate_limit,
};
use self::next_page::next_page_link;
use crate::error;
use crate::store::{
    AnyStore, CategoryStore as _, Created, IdempotentRequest, InventoryStore as _, OrderStore as _,
    Page, PetStore as _, StoreError,
};

/// The generated interface of the petstore: operation table, dispatch to [`Petstore`], plans and error codes.
pub type Interface = PetstoreInterface<Petstore>;

type Context = RequestContext<Arc<Gate<Petstore>>>;
type WithHeaders<T, H> = Result<HttpResponseHeaders<T, H>, Error>;

/// The petstore behind the gate: implements the operations of the document; its state is the store.
#[derive(Debug)]
pub struct Petstore {
    /// The records.
    pub store: AnyStore,
    /// The database of the records.
    pub database: Database,
}

impl PetstoreApi for Petstore {
    type Context = Arc<Gate<Petstore>>;

    async fn list_pets(
        rqctx: Context,
        query: Query<ListPetsQuery>,
    ) -> WithHeaders<HttpResponseOk<Pets>, ListPetsResponseHeaders> {
        let (filter, page) = convert_pets_query(query.into_inner());
        let page = store(&rqctx).list_pets(filter, page).await;
        let (items, link, e_tag) = convert_page(&rqctx, page, |pet| pet.id)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Pets(items)),
            ListPetsResponseHeaders { link, e_tag },
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
            e_tag: EntityTag::of(&record).into(),
        };
        Ok(HttpResponseHeaders::new(
            HttpResponseCreated(record.into()),
            headers,
        ))
    }

    async fn get_pet(
        rqctx: Context,
        path: Path<PetIdPath>,
    ) -> WithHeaders<HttpResponseOk<Pet>, GetPetResponseHeaders> {
        let id = path.into_inner().pet_id;
        let record = store(&rqctx).get_pet(id).await;
        let (body, e_tag) = convert_record(&rqctx, record)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(body),
            GetPetResponseHeaders { e_tag },
        ))
    }

    async fn replace_pet(
        rqctx: Context,
        path: Path<PetIdPath>,
        headers: Header<ReplacePetRequestHeaders>,
        body: TypedBody<NewPet>,
    ) -> WithHeaders<HttpResponseOk<Pet>, ReplacePetResponseHeaders> {
        let id = path.into_inner().pet_id;
        let new = body.into_inner().into();
        let precondition = headers.into_inner().if_match.into();
        let record = store(&rqctx).replace_pet(id, new, precondition).await;
        let (body, e_tag) = convert_record(&rqctx, record)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(body),
            ReplacePetResponseHeaders { e_tag },
        ))
    }

    async fn delete_pet(
        rqctx: Context,
        path: Path<PetIdPath>,
        headers: Header<DeletePetRequestHeaders>,
    ) -> Result<HttpResponseDeleted, Error> {
        let id = path.into_inner().pet_id;
        let precondition = headers.into_inner().if_match.into();
        let deleted = store(&rqctx).delete_pet(id, precondition).await;
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
        let (items, link, e_tag) = convert_page(&rqctx, page, |category| category.id)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Categories(items)),
            ListCategoriesResponseHeaders { link, e_tag },
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
            e_tag: EntityTag::of(&record).into(),
        };
        Ok(HttpResponseHeaders::new(
            HttpResponseCreated(record.into()),
            headers,
        ))
    }

    async fn get_category(
        rqctx: Context,
        path: Path<CategoryIdPath>,
    ) -> WithHeaders<HttpResponseOk<Category>, GetCategoryResponseHeaders> {
        let id = path.into_inner().category_id;
        let record = store(&rqctx).get_category(id).await;
        let (body, e_tag) = convert_record(&rqctx, record)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(body),
            GetCategoryResponseHeaders { e_tag },
        ))
    }

    async fn replace_category(
        rqctx: Context,
        path: Path<CategoryIdPath>,
        headers: Header<ReplaceCategoryRequestHeaders>,
        body: TypedBody<NewCategory>,
    ) -> WithHeaders<HttpResponseOk<Category>, ReplaceCategoryResponseHeaders> {
        let id = path.into_inner().category_id;
        let new = body.into_inner().into();
        let precondition = headers.into_inner().if_match.into();
        let record = store(&rqctx).replace_category(id, new, precondition).await;
        let (body, e_tag) = convert_record(&rqctx, record)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(body),
            ReplaceCategoryResponseHeaders { e_tag },
        ))
    }

    async fn delete_category(
        rqctx: Context,
        path: Path<CategoryIdPath>,
        headers: Header<DeleteCategoryRequestHeaders>,
    ) -> Result<HttpResponseDeleted, Error> {
        let id = path.into_inner().category_id;
        let precondition = headers.into_inner().if_match.into();
        let deleted = store(&rqctx).delete_category(id, precondition).await;
        deleted.map_err(to_api_error(&rqctx))?;
        Ok(HttpResponseDeleted())
    }

    async fn list_orders(
        rqctx: Context,
        query: Query<ListOrdersQuery>,
    ) -> WithHeaders<HttpResponseOk<Orders>, ListOrdersResponseHeaders> {
        let (filter, page) = convert_orders_query(query.into_inner());
        let page = store(&rqctx).list_orders(filter, page).await;
        let (items, link, e_tag) = convert_page(&rqctx, page, |order| order.id)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Orders(items)),
            ListOrdersResponseHeaders { link, e_tag },
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
            e_tag: EntityTag::of(&record).into(),
        };
        Ok(HttpResponseHeaders::new(
            HttpResponseCreated(record.into()),
            headers,
        ))
    }

    async fn get_order(
        rqctx: Context,
        path: Path<OrderIdPath>,
    ) -> WithHeaders<HttpResponseOk<Order>, GetOrderResponseHeaders> {
        let id = path.into_inner().order_id;
        let record = store(&rqctx).get_order(id).await;
        let (body, e_tag) = convert_record(&rqctx, record)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(body),
            GetOrderResponseHeaders { e_tag },
        ))
    }

    async fn update_order(
        rqctx: Context,
        path: Path<OrderIdPath>,
        headers: Header<UpdateOrderRequestHeaders>,
        body: TypedBody<Order>,
    ) -> WithHeaders<HttpResponseOk<Order>, UpdateOrderResponseHeaders> {
        let id = path.into_inner().order_id;
        let change = body.into_inner().into();
        let precondition = headers.into_inner().if_match.into();
        let record = store(&rqctx).update_order(id, change, precondition).await;
        let (body, e_tag) = convert_record(&rqctx, record)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(body),
            UpdateOrderResponseHeaders { e_tag },
        ))
    }

    async fn cancel_order(
        rqctx: Context,
        path: Path<OrderIdPath>,
        headers: Header<CancelOrderRequestHeaders>,
    ) -> Result<HttpResponseDeleted, Error> {
        let id = path.into_inner().order_id;
        let precondition = headers.into_inner().if_match.into();
        let deleted = store(&rqctx).cancel_order(id, precondition).await;
        deleted.map_err(to_api_error(&rqctx))?;
        Ok(HttpResponseDeleted())
    }

    async fn list_inventory(
        rqctx: Context,
        query: Query<ListInventoryQuery>,
    ) -> WithHeaders<HttpResponseOk<Inventory>, ListInventoryResponseHeaders> {
        let (filter, page) = convert_inventory_query(query.into_inner());
        let page = store(&rqctx).list_inventory(filter, page).await;
        let (items, link, e_tag) = convert_page(&rqctx, page, |item| item.pet_id)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Inventory(items)),
            ListInventoryResponseHeaders { link, e_tag },
        ))
    }

    async fn get_inventory(
        rqctx: Context,
        path: Path<PetIdPath>,
    ) -> WithHeaders<HttpResponseOk<InventoryItem>, GetInventoryResponseHeaders> {
        let id = path.into_inner().pet_id;
        let record = store(&rqctx).get_inventory_item(id).await;
        let (body, e_tag) = convert_record(&rqctx, record)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(body),
            GetInventoryResponseHeaders { e_tag },
        ))
    }

    async fn set_inventory(
        rqctx: Context,
        path: Path<PetIdPath>,
        headers: Header<SetInventoryRequestHeaders>,
        body: TypedBody<InventoryUpdate>,
    ) -> WithHeaders<HttpResponseOk<InventoryItem>, SetInventoryResponseHeaders> {
        let id = path.into_inner().pet_id;
        let quantity = body.into_inner().quantity;
        let precondition = headers.into_inner().if_match.into();
        let record = store(&rqctx)
            .set_inventory(id, quantity, precondition)
            .await;
        let (body, e_tag) = convert_record(&rqctx, record)?;
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(body),
            SetInventoryResponseHeaders { e_tag },
        ))
    }

    async fn get_rate_limit(rqctx: Context) -> Result<HttpResponseOk<RateLimitStatus>, Error> {
        let gate = rqctx.context();
        // The document has no public operation, so there is no call without a key.
        let error = || internal_error(&rqctx);
        let call = gate.call().ok_or_else(error)?;
        let Principal { account, plan, .. } = call.principal().ok_or_else(error)?;
        let limiter = gate.limiter().ok_or_else(error)?;
        let status = limiter.status(account, call.time).await;
        let status = status
            .map_err(|error| error::to_error(gate.storage_error(&error, &rqctx.request_id)))?;
        Ok(HttpResponseOk(convert_rate_limit(plan, status)))
    }
}

fn internal_error(rqctx: &Context) -> Error {
    let error = GateError::internal();
    error::to_error(error.into_info(Interface::error_codes(), &rqctx.request_id))
}

fn store(rqctx: &Context) -> &AnyStore {
    &rqctx.context().service().store
}

/// Returns a function that converts an error of the store to an `Error` object, and logs errors of the database.
fn to_api_error(rqctx: &Context) -> impl Fn(StoreError) -> Error {
    |error| match error {
        StoreError::RuleViolation(violation) => error::from_violation(&violation),
        StoreError::Engine(error) => {
            let gate = rqctx.context();
            let error = to_storage_error(error);
            error::to_error(gate.storage_error(&error, &rqctx.request_id))
        }
    }
}

/// Converts a record to its type of the interface, and renders its `ETag` header.
fn convert_record<R: Serialize, T: From<R>>(
    rqctx: &Context,
    record: Result<R, StoreError>,
) -> Result<(T, String), Error> {
    let record = record.map_err(to_api_error(rqctx))?;
    let e_tag = EntityTag::of(&record).into();
    Ok((record.into(), e_tag))
}

/// Converts the records of a page to types of the interface, and renders the `Link` header to the next page and the `ETag`
/// header of the list. `id` returns the id of a record.
fn convert_page<R: Serialize, T: From<R>>(
    rqctx: &Context,
    page: Result<Page<R>, StoreError>,
    id: impl Fn(&R) -> i64,
) -> Result<(Vec<T>, Option<String>, String), Error> {
    let Page { items, more } = page.map_err(to_api_error(rqctx))?;
    let e_tag = EntityTag::of(&(&items, more)).into();
    let last = items.last().filter(|_| more);
    let link = last.map(|last| next_page_link(&rqctx.request, id(last)));
    Ok((items.into_iter().map(T::from).collect(), link, e_tag))
}

/// Describes the current call by its caller, operation, idempotency key and body hash, so that the store can replay its
/// response. `None` without an idempotency key.
fn idempotent_request(
    rqctx: &Context,
    operation: &'static str,
    key: Option<String>,
) -> Option<IdempotentRequest> {
    let key = key?;
    let call = rqctx.context().call()?;
    Some(IdempotentRequest {
        caller: call.principal()?.account.key_id.to_string(),
        operation,
        key,
        body_hash: call.body_hash?,
        now: call.time.wall,
        expired: call.time.without_steps_forward(),
    })
}
