//! Makes dropshot's contexts of requests, for a listener that is not dropshot's.
//!
//! The methods of a generated trait take a [`RequestContext`], as those of any dropshot API. dropshot makes one only in its
//! own accept loop, which bounds no connections and cannot be replaced: the struct is `#[non_exhaustive]`, and the state of
//! the server in it cannot be made outside of dropshot. So a server of dropshot is asked once for the first context, and
//! [`renew`] makes the others. It has the only unsafe code of the workspace, and so a crate of its own.
//!
//! The smallest change of dropshot that makes this crate superfluous: a public `HttpServer::serve_connection(io, remote_addr)`,
//! or public constructors of `RequestContext` and `DropshotState`. A patched copy of dropshot would have to be patched into
//! each workspace with a generated trait, and a proxy before dropshot's listener would copy each byte twice more.

mod first;

use std::mem::{MaybeUninit, size_of};
use std::sync::Arc;

use dropshot::{
    ApiEndpointBodyContentType, RequestContext, RequestEndpointMetadata, RequestInfo, ServerContext,
};
use slog::Logger;

pub use self::first::make_first;

/// Makes the context of a request, of the same server as another context. Its endpoint has no name and no variables, and
/// dropshot's own arguments read a body of any length: who calls the handler limits it.
///
/// `server.local_addr` and `server.using_tls()` are those of the server that made the first context, not of the listener.
#[must_use]
#[allow(unsafe_code)]
pub fn renew<C: ServerContext>(
    other: &RequestContext<C>,
    request_id: String,
    log: Logger,
    request: RequestInfo,
) -> RequestContext<C> {
    // A version of dropshot with another field does not compile: the fields below are all that the struct has room for.
    const {
        let fields = size_of::<Arc<()>>()
            + size_of::<RequestEndpointMetadata>()
            + size_of::<String>()
            + size_of::<Logger>()
            + size_of::<RequestInfo>();
        assert!(size_of::<RequestContext<C>>() == fields);
    }
    let server = Arc::clone(&other.server);
    let endpoint = RequestEndpointMetadata {
        operation_id: String::new(),
        variables: Default::default(),
        body_content_type: ApiEndpointBodyContentType::Json,
        request_body_max_bytes: Some(usize::MAX),
    };
    let mut context = MaybeUninit::<RequestContext<C>>::uninit();
    let place = context.as_mut_ptr();
    // SAFETY: `place` is valid for writes, each field is written once with a value of its type, and the check above shows
    // that there is no other field, so that all of the struct is initialized.
    unsafe {
        (&raw mut (*place).server).write(server);
        (&raw mut (*place).endpoint).write(endpoint);
        (&raw mut (*place).request_id).write(request_id);
        (&raw mut (*place).log).write(log);
        (&raw mut (*place).request).write(request);
        context.assume_init()
    }
}

#[cfg(test)]
mod tests {
    use slog::{Discard, o};

    use super::*;

    #[test]
    fn contexts_share_their_server_and_own_the_rest() {
        let (log, state) = (Logger::root(Discard, o!()), Arc::new(()));
        let first = make_first(Arc::clone(&state), log.clone()).unwrap();
        let request = http::Request::get("/pets").body(()).unwrap();
        let info = RequestInfo::new(&request, ([192, 0, 2, 1], 5000).into());
        let context = renew(&first, "id".to_owned(), log, info);
        assert!(Arc::ptr_eq(context.context(), &state));
        assert_eq!(context.request_id, "id");
        assert_eq!(context.request.uri().path(), "/pets");
        assert_eq!(context.endpoint.request_body_max_bytes, Some(usize::MAX));
        drop((first, context));
        assert_eq!(Arc::strong_count(&state), 1, "nothing is leaked");
    }
}
