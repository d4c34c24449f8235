//! The operations of a resource that are the same for every one, but for the types that are named after them.

/// Implements the usual operations on the records of a table, those that are given, in this order. `=>` stands between the record
/// and what responses show of it, which may be one type.
///
/// ```ignore
/// operations! { Review => Review;
///     list list_reviews(ListReviewsQuery { pet_id }) -> Reviews, ListReviewsResponseHeaders;
///     create create_review(CreateReview, CreateReviewRequestHeaders, NewReview) -> CreateReviewResponseHeaders;
///     get get_review(ReviewIdPath { review_id }) -> GetReviewResponseHeaders;
///     replace replace_review(ReviewIdPath { review_id }, ReplaceReviewRequestHeaders, NewReview)
///         -> ReplaceReviewResponseHeaders;
///     delete delete_review(ReviewIdPath { review_id }, DeleteReviewRequestHeaders);
/// }
/// ```
///
/// The parameters of a list in braces are its filters: columns of their names must equal them. A parameter of the document that is
/// missing there does not compile.
macro_rules! operations {
    ($record:ty => $body:ident;
        $(list $list:ident($query:ident { $($filter:ident),* }) -> $page:ident, $list_headers:ident;)?
        $(create $create:ident($operation:ident, $create_request:ident, $new:ident) -> $create_headers:ident;)?
        $(get $get:ident($get_path:ident { $get_id:ident }) -> $get_headers:ident;)?
        $(replace $replace:ident($replace_path:ident { $replace_id:ident }, $replace_request:ident, $change:ident)
            -> $replace_headers:ident;)?
        $(delete $delete:ident($delete_path:ident { $delete_id:ident }, $delete_request:ident);)?
    ) => {
        $(async fn $list(
            rqctx: Context,
            query: Query<$query>,
        ) -> Reply<HttpResponseOk<$page>, $list_headers> {
            let $query { $($filter,)* limit, after } = query.into_inner();
            let filters = vec![$(($crate::store::column(stringify!($filter)), $filter.into())),*];
            let page = outcome::list::<$record, $body>(&rqctx, filters, limit, after).await?;
            let (items, link, e_tag) = page;
            let headers = $list_headers { link, e_tag };
            Ok(WithHeaders::new(HttpResponseOk($page(items)), headers))
        })?

        $(async fn $create(
            rqctx: Context,
            headers: Header<$create_request>,
            body: TypedBody<$new>,
        ) -> Reply<HttpResponseCreated<$body>, $create_headers> {
            let key = headers.into_inner().idempotency_key;
            let operation = petstore_api::Operation::$operation.info();
            let new = body.into_inner();
            let created = outcome::create::<$record, $body>(&rqctx, operation, key, new).await?;
            let (body, location, e_tag, idempotency_replayed) = created;
            let headers = $create_headers { e_tag, idempotency_replayed, location };
            Ok(WithHeaders::new(HttpResponseCreated(body), headers))
        })?

        $(async fn $get(
            rqctx: Context,
            path: Path<$get_path>,
        ) -> Reply<HttpResponseOk<$body>, $get_headers> {
            let record = store(&rqctx).get::<$record>(path.into_inner().$get_id).await;
            let (body, e_tag) = outcome::read_record(&rqctx, record)?;
            Ok(WithHeaders::new(body, $get_headers { e_tag }))
        })?

        $(async fn $replace(
            rqctx: Context,
            path: Path<$replace_path>,
            headers: Header<$replace_request>,
            body: TypedBody<$change>,
        ) -> Reply<HttpResponseOk<$body>, $replace_headers> {
            let (id, change) = (path.into_inner().$replace_id, body.into_inner());
            let precondition = headers.into_inner().if_match.into();
            let record = store(&rqctx).replace::<$record>(id, change, precondition).await;
            let (body, e_tag) = outcome::read_record(&rqctx, record)?;
            Ok(WithHeaders::new(body, $replace_headers { e_tag }))
        })?

        $(async fn $delete(
            rqctx: Context,
            path: Path<$delete_path>,
            headers: Header<$delete_request>,
        ) -> Result<HttpResponseDeleted, Error> {
            let precondition = headers.into_inner().if_match.into();
            let id = path.into_inner().$delete_id;
            let deleted = store(&rqctx).delete::<$record>(id, precondition).await;
            deleted.map_err(outcome::to_api_error(&rqctx))?;
            Ok(HttpResponseDeleted())
        })?
    };
}

pub(super) use operations;
