//! The operations: each unpacks its arguments, calls the store, and wraps the
//! result. The rules are in `pets`, `categories`, `orders` and `inventory`.

mod convert;
mod next_page;
mod outcome;

use std::sync::Arc;

use dropshot::{
    Header, HttpResponseCreated, HttpResponseDeleted, HttpResponseHeaders as WithHeaders,
    HttpResponseOk, Path, Query, RequestContext, TypedBody,
};
// The parameters and headers of each operation, which are named after it.
use petstore_api::parameters::*;
use petstore_api::types::{
    Categories, Category, Error, Inventory, InventoryItem, InventoryUpdate, NewCategory, NewPet,
    Order, Orders, Pet, Pets, RateLimitStatus,
};
use petstore_api::{PetstoreApi, PetstoreInterface};
use spec_gate::Gate;

use self::convert::{
    convert_inventory_query, convert_orders_query, convert_page_request, convert_pets_query,
};
use self::outcome::{
    idempotent_request, read_created, read_page, read_rate_limit, read_record, to_api_error,
};
use crate::store::Store;

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

    async fn list_pets(
        rqctx: Context,
        query: Query<ListPetsQuery>,
    ) -> Reply<HttpResponseOk<Pets>, ListPetsResponseHeaders> {
        let (filter, page) = convert_pets_query(query.into_inner());
        let page = store(&rqctx).list_pets(filter, page).await;
        let (items, link, e_tag) = read_page(&rqctx, page, |pet| pet.id)?;
        let headers = ListPetsResponseHeaders { link, e_tag };
        Ok(WithHeaders::new(HttpResponseOk(Pets(items)), headers))
    }

    async fn create_pet(
        rqctx: Context,
        headers: Header<CreatePetRequestHeaders>,
        body: TypedBody<NewPet>,
    ) -> Reply<HttpResponseCreated<Pet>, CreatePetResponseHeaders> {
        let key = headers.into_inner().idempotency_key;
        let request = idempotent_request(&rqctx, "createPet", key);
        let new = body.into_inner().into();
        let created = store(&rqctx).create_pet(new, request).await;
        let (id, body, e_tag, idempotency_replayed) = read_created(&rqctx, created, |it| it.id)?;
        let headers = CreatePetResponseHeaders {
            e_tag,
            idempotency_replayed,
            location: format!("/pets/{id}"),
        };
        Ok(WithHeaders::new(body, headers))
    }

    async fn get_pet(
        rqctx: Context,
        path: Path<PetIdPath>,
    ) -> Reply<HttpResponseOk<Pet>, GetPetResponseHeaders> {
        let record = store(&rqctx).get_pet(path.into_inner().pet_id).await;
        let (body, e_tag) = read_record(&rqctx, record)?;
        Ok(WithHeaders::new(body, GetPetResponseHeaders { e_tag }))
    }

    async fn replace_pet(
        rqctx: Context,
        path: Path<PetIdPath>,
        headers: Header<ReplacePetRequestHeaders>,
        body: TypedBody<NewPet>,
    ) -> Reply<HttpResponseOk<Pet>, ReplacePetResponseHeaders> {
        let (id, change) = (path.into_inner().pet_id, body.into_inner().into());
        let precondition = headers.into_inner().if_match.into();
        let record = store(&rqctx).replace_pet(id, change, precondition).await;
        let (body, e_tag) = read_record(&rqctx, record)?;
        Ok(WithHeaders::new(body, ReplacePetResponseHeaders { e_tag }))
    }

    async fn delete_pet(
        rqctx: Context,
        path: Path<PetIdPath>,
        headers: Header<DeletePetRequestHeaders>,
    ) -> Result<HttpResponseDeleted, Error> {
        let precondition = headers.into_inner().if_match.into();
        let id = path.into_inner().pet_id;
        let deleted = store(&rqctx).delete_pet(id, precondition).await;
        deleted.map_err(to_api_error(&rqctx))?;
        Ok(HttpResponseDeleted())
    }

    async fn list_categories(
        rqctx: Context,
        query: Query<ListCategoriesQuery>,
    ) -> Reply<HttpResponseOk<Categories>, ListCategoriesResponseHeaders> {
        let ListCategoriesQuery { limit, after } = query.into_inner();
        let page = convert_page_request(limit, after);
        let page = store(&rqctx).list_categories(page).await;
        let (items, link, e_tag) = read_page(&rqctx, page, |category| category.id)?;
        let headers = ListCategoriesResponseHeaders { link, e_tag };
        Ok(WithHeaders::new(HttpResponseOk(Categories(items)), headers))
    }

    async fn create_category(
        rqctx: Context,
        headers: Header<CreateCategoryRequestHeaders>,
        body: TypedBody<NewCategory>,
    ) -> Reply<HttpResponseCreated<Category>, CreateCategoryResponseHeaders> {
        let key = headers.into_inner().idempotency_key;
        let request = idempotent_request(&rqctx, "createCategory", key);
        let new = body.into_inner().into();
        let created = store(&rqctx).create_category(new, request).await;
        let (id, body, e_tag, idempotency_replayed) = read_created(&rqctx, created, |it| it.id)?;
        let headers = CreateCategoryResponseHeaders {
            e_tag,
            idempotency_replayed,
            location: format!("/categories/{id}"),
        };
        Ok(WithHeaders::new(body, headers))
    }

    async fn get_category(
        rqctx: Context,
        path: Path<CategoryIdPath>,
    ) -> Reply<HttpResponseOk<Category>, GetCategoryResponseHeaders> {
        let record = store(&rqctx)
            .get_category(path.into_inner().category_id)
            .await;
        let (body, e_tag) = read_record(&rqctx, record)?;
        Ok(WithHeaders::new(body, GetCategoryResponseHeaders { e_tag }))
    }

    async fn replace_category(
        rqctx: Context,
        path: Path<CategoryIdPath>,
        headers: Header<ReplaceCategoryRequestHeaders>,
        body: TypedBody<NewCategory>,
    ) -> Reply<HttpResponseOk<Category>, ReplaceCategoryResponseHeaders> {
        let (id, change) = (path.into_inner().category_id, body.into_inner().into());
        let precondition = headers.into_inner().if_match.into();
        let record = store(&rqctx)
            .replace_category(id, change, precondition)
            .await;
        let (body, e_tag) = read_record(&rqctx, record)?;
        Ok(WithHeaders::new(
            body,
            ReplaceCategoryResponseHeaders { e_tag },
        ))
    }

    async fn delete_category(
        rqctx: Context,
        path: Path<CategoryIdPath>,
        headers: Header<DeleteCategoryRequestHeaders>,
    ) -> Result<HttpResponseDeleted, Error> {
        let precondition = headers.into_inner().if_match.into();
        let id = path.into_inner().category_id;
        let deleted = store(&rqctx).delete_category(id, precondition).await;
        deleted.map_err(to_api_error(&rqctx))?;
        Ok(HttpResponseDeleted())
    }

    async fn list_orders(
        rqctx: Context,
        query: Query<ListOrdersQuery>,
    ) -> Reply<HttpResponseOk<Orders>, ListOrdersResponseHeaders> {
        let (filter, page) = convert_orders_query(query.into_inner());
        let page = store(&rqctx).list_orders(filter, page).await;
        let (items, link, e_tag) = read_page(&rqctx, page, |order| order.id)?;
        let headers = ListOrdersResponseHeaders { link, e_tag };
        Ok(WithHeaders::new(HttpResponseOk(Orders(items)), headers))
    }

    async fn place_order(
        rqctx: Context,
        headers: Header<PlaceOrderRequestHeaders>,
        body: TypedBody<Order>,
    ) -> Reply<HttpResponseCreated<Order>, PlaceOrderResponseHeaders> {
        let key = headers.into_inner().idempotency_key;
        let request = idempotent_request(&rqctx, "placeOrder", key);
        let new = body.into_inner().into();
        let created = store(&rqctx).place_order(new, request).await;
        let (id, body, e_tag, idempotency_replayed) = read_created(&rqctx, created, |it| it.id)?;
        let headers = PlaceOrderResponseHeaders {
            e_tag,
            idempotency_replayed,
            location: format!("/store/orders/{id}"),
        };
        Ok(WithHeaders::new(body, headers))
    }

    async fn get_order(
        rqctx: Context,
        path: Path<OrderIdPath>,
    ) -> Reply<HttpResponseOk<Order>, GetOrderResponseHeaders> {
        let record = store(&rqctx).get_order(path.into_inner().order_id).await;
        let (body, e_tag) = read_record(&rqctx, record)?;
        Ok(WithHeaders::new(body, GetOrderResponseHeaders { e_tag }))
    }

    async fn update_order(
        rqctx: Context,
        path: Path<OrderIdPath>,
        headers: Header<UpdateOrderRequestHeaders>,
        body: TypedBody<Order>,
    ) -> Reply<HttpResponseOk<Order>, UpdateOrderResponseHeaders> {
        let (id, change) = (path.into_inner().order_id, body.into_inner().into());
        let precondition = headers.into_inner().if_match.into();
        let record = store(&rqctx).update_order(id, change, precondition).await;
        let (body, e_tag) = read_record(&rqctx, record)?;
        Ok(WithHeaders::new(body, UpdateOrderResponseHeaders { e_tag }))
    }

    async fn cancel_order(
        rqctx: Context,
        path: Path<OrderIdPath>,
        headers: Header<CancelOrderRequestHeaders>,
    ) -> Result<HttpResponseDeleted, Error> {
        let precondition = headers.into_inner().if_match.into();
        let id = path.into_inner().order_id;
        let deleted = store(&rqctx).cancel_order(id, precondition).await;
        deleted.map_err(to_api_error(&rqctx))?;
        Ok(HttpResponseDeleted())
    }

    async fn list_inventory(
        rqctx: Context,
        query: Query<ListInventoryQuery>,
    ) -> Reply<HttpResponseOk<Inventory>, ListInventoryResponseHeaders> {
        let (filter, page) = convert_inventory_query(query.into_inner());
        let page = store(&rqctx).list_inventory(filter, page).await;
        let (items, link, e_tag) = read_page(&rqctx, page, |item| item.pet_id)?;
        let headers = ListInventoryResponseHeaders { link, e_tag };
        Ok(WithHeaders::new(HttpResponseOk(Inventory(items)), headers))
    }

    async fn get_inventory(
        rqctx: Context,
        path: Path<PetIdPath>,
    ) -> Reply<HttpResponseOk<InventoryItem>, GetInventoryResponseHeaders> {
        let record = store(&rqctx)
            .get_inventory_item(path.into_inner().pet_id)
            .await;
        let (body, e_tag) = read_record(&rqctx, record)?;
        Ok(WithHeaders::new(
            body,
            GetInventoryResponseHeaders { e_tag },
        ))
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
