//! The operations: prices by zone and weight, for those whose tokens have the scope.

use dropshot::{HttpResponseOk, RequestContext, TypedBody};
use dropspec_runtime::OperationError;
use parcels_api::api::ParcelsApi;
use parcels_api::types::{Error, Estimate, Parcel, Zone, ZoneName};

/// Euro cents for a kilogram.
const fn cents(zone: ZoneName) -> i64 {
    match zone {
        ZoneName::Home => 200,
        ZoneName::Europe => 450,
        ZoneName::World => 1200,
    }
}

impl ParcelsApi for crate::App {
    type Context = std::sync::Arc<dropspec_gate::Gate<crate::App>>;

    async fn list_zones(
        _: RequestContext<Self::Context>,
    ) -> Result<HttpResponseOk<Vec<Zone>>, OperationError<Error>> {
        let zones = ZoneName::ALL.map(|zone| Zone::new(zone, cents(zone)));
        Ok(HttpResponseOk(zones.to_vec()))
    }

    async fn estimate_price(
        rqctx: RequestContext<Self::Context>,
        body: TypedBody<Parcel>,
    ) -> Result<HttpResponseOk<Estimate>, OperationError<Error>> {
        let parcel = body.into_inner();
        let call = rqctx.context().current_call();
        let sender = call.as_ref().and_then(|call| call.principal());
        let subject = sender.map_or("", |sender| &sender.identity.sub);
        let price = (parcel.grams * cents(parcel.zone) + 999) / 1000;
        Ok(HttpResponseOk(Estimate::new(price, subject)))
    }
}
