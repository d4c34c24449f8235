//! The methods that the gate is registered for: all of the IANA registry, so that even a rare one gets the gate's 405
//! instead of dropshot's.

use http::Method;

/// The methods of the IANA HTTP Method Registry (RFC 9110, section 18.2) without `PRI`, which is not a request, and
/// `*`.
const REGISTERED_METHODS: &str = "
    ACL BASELINE-CONTROL BIND CHECKIN CHECKOUT CONNECT COPY DELETE GET HEAD LABEL LINK LOCK MERGE
    MKACTIVITY MKCALENDAR MKCOL MKREDIRECTREF MKWORKSPACE MOVE OPTIONS ORDERPATCH PATCH POST PROPFIND
    PROPPATCH PUT QUERY REBIND REPORT SEARCH TRACE UNBIND UNCHECKOUT UNLINK UNLOCK UPDATE
    UPDATEREDIRECTREF VERSION-CONTROL
";

/// All methods of the IANA registry, parsed.
pub fn registered_methods() -> impl Iterator<Item = Method> {
    REGISTERED_METHODS.split_whitespace().map(|name| {
        Method::from_bytes(name.as_bytes()).expect("the registry holds valid method names")
    })
}
