//! `--all`: the records of a list that continues by `Link` headers (RFC 8288).

use dropspec_client::sending::link;
use serde_json::Value;

use crate::console::Failure;
use crate::request::Request;
use crate::send::{Response, Session};

/// Reads a list to its last page. The response is the last one, with the records of all.
///
/// Only the query of the link to the next page is used: path and host stay, so that a service behind a path prefix works, and
/// the credentials are sent to no other host.
///
/// # Errors
/// A page cannot be read, or is no list, or its link leads nowhere.
pub(crate) async fn read_all(session: &Session, mut request: Request) -> Result<Response, Failure> {
    let wrong = |problem: String| Err(Failure::NoResponse(problem));
    let mut records: Vec<Value> = Vec::new();
    loop {
        let mut page = session.send(&request).await?;
        let Some(Value::Array(more)) = page.json() else {
            return wrong("a page of the list is no JSON array".to_owned());
        };
        records.extend(more);
        let Some(next) = link::find_next_page(&page.headers) else {
            page.bytes = Value::Array(records).to_string().into_bytes();
            return Ok(page);
        };
        let Some(query) = link::query_of(next) else {
            return wrong(format!("the link to the next page has no query: {next}"));
        };
        // A cache that ignores the query would return the first page forever.
        if query == request.parts.query {
            return wrong(format!(
                "the link to the next page names the same page again: {next}"
            ));
        }
        query.clone_into(&mut request.parts.query);
    }
}
