//! The operations: the harbours are a table, and their tides a rule of thumb.

use chrono::{DateTime, TimeDelta, Utc};
use dropshot::{ErrorStatusCode, HttpResponseOk, Path, Query, RequestContext};
use dropspec_runtime::OperationError;
use tides_api::api::TidesApi;
use tides_api::parameters::{IdPath, ListHarboursQuery, ListTidesQuery};
use tides_api::types::{Error, Harbour, Tide};

/// Id, name, country, range in metres, and a high water in seconds after 1970.
const HARBOURS: [(&str, &str, &str, f64, i64); 3] = [
    ("boston", "Boston", "US", 2.9, 14_000),
    ("brest", "Brest", "FR", 4.2, 31_000),
    ("saint-malo", "Saint-Malo", "FR", 8.0, 38_000),
];

/// From one high water to the next: half a lunar day.
const PERIOD_SECONDS: i64 = 44_714;

impl TidesApi for crate::App {
    type Context = std::sync::Arc<dropspec_gate::Gate<crate::App>>;

    async fn list_harbours(
        _: RequestContext<Self::Context>,
        query: Query<ListHarboursQuery>,
    ) -> Result<HttpResponseOk<Vec<Harbour>>, OperationError<Error>> {
        let wanted = query.into_inner().country;
        let harbours =
            HARBOURS.map(|(id, name, country, range, _)| Harbour::new(id, name, country, range));
        let is_wanted = |it: &Harbour| wanted.as_ref().is_none_or(|country| *country == it.country);
        Ok(HttpResponseOk(
            harbours.into_iter().filter(is_wanted).collect(),
        ))
    }

    async fn get_harbour(
        _: RequestContext<Self::Context>,
        path: Path<IdPath>,
    ) -> Result<HttpResponseOk<Harbour>, OperationError<Error>> {
        let (harbour, _) = find(&path.into_inner().id)?;
        Ok(HttpResponseOk(harbour))
    }

    async fn list_tides(
        _: RequestContext<Self::Context>,
        path: Path<IdPath>,
        query: Query<ListTidesQuery>,
    ) -> Result<HttpResponseOk<Vec<Tide>>, OperationError<Error>> {
        let (harbour, first) = find(&path.into_inner().id)?;
        let ListTidesQuery { after, limit } = query.into_inner();
        let passed = (after.timestamp() - first).div_euclid(PERIOD_SECONDS) + 1;
        let tide = |number| {
            let seconds = first + (passed + i64::from(number)) * PERIOD_SECONDS;
            Tide::new(
                DateTime::<Utc>::UNIX_EPOCH + TimeDelta::seconds(seconds),
                harbour.range,
            )
        };
        Ok(HttpResponseOk((0..limit).map(tide).collect()))
    }
}

/// A harbour, and the time of one of its high waters.
fn find(id: &str) -> Result<(Harbour, i64), OperationError<Error>> {
    let found = HARBOURS.into_iter().find(|harbour| harbour.0 == id);
    let (id, name, country, range, first) = found.ok_or_else(|| {
        let error = Error::new("unknown_harbour", format!("there is no harbour {id}"));
        OperationError::new(ErrorStatusCode::NOT_FOUND, error)
    })?;
    Ok((Harbour::new(id, name, country, range), first))
}
