//! The methods of HTTP that an operation can have.

use std::fmt;

/// Defines the methods, with the key of each in a path item and its name in a request.
macro_rules! methods {
    ($($method:ident = $key:literal $name:literal,)*) => {
        /// A method of the IANA HTTP Method Registry (RFC 9110, section 18.2), except those that no operation can have: `CONNECT`,
        /// `PRI` and `*`; and `PURGE`, which is not registered, but which caches have.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Method {
            $(#[doc = concat!("`", $name, "`")] $method,)*
        }

        /// The keys of a path item that are operations, in the order of OpenAPI. `query` is of OpenAPI 3.2. Those in capitals are the
        /// keys of `additionalOperations` in a document; in a document that was read, they are keys of the path item.
        pub const METHODS: [&str; Method::ALL.len()] = [$($key),*];

        impl Method {
            /// All methods, in the order of [`METHODS`].
            pub const ALL: &'static [Method] = &[$(Method::$method),*];

            /// The name of the method in a request, such as `GET`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Method::$method => $name,)*
                }
            }
        }
    };
}

methods! {
    Get = "get" "GET",
    Put = "put" "PUT",
    Post = "post" "POST",
    Delete = "delete" "DELETE",
    Options = "options" "OPTIONS",
    Head = "head" "HEAD",
    Patch = "patch" "PATCH",
    Trace = "trace" "TRACE",
    Query = "query" "QUERY",
    Acl = "ACL" "ACL",
    BaselineControl = "BASELINE-CONTROL" "BASELINE-CONTROL",
    Bind = "BIND" "BIND",
    Checkin = "CHECKIN" "CHECKIN",
    Checkout = "CHECKOUT" "CHECKOUT",
    Copy = "COPY" "COPY",
    Label = "LABEL" "LABEL",
    Link = "LINK" "LINK",
    Lock = "LOCK" "LOCK",
    Merge = "MERGE" "MERGE",
    Mkactivity = "MKACTIVITY" "MKACTIVITY",
    Mkcalendar = "MKCALENDAR" "MKCALENDAR",
    Mkcol = "MKCOL" "MKCOL",
    Mkredirectref = "MKREDIRECTREF" "MKREDIRECTREF",
    Mkworkspace = "MKWORKSPACE" "MKWORKSPACE",
    Move = "MOVE" "MOVE",
    Orderpatch = "ORDERPATCH" "ORDERPATCH",
    Propfind = "PROPFIND" "PROPFIND",
    Proppatch = "PROPPATCH" "PROPPATCH",
    Purge = "PURGE" "PURGE",
    Rebind = "REBIND" "REBIND",
    Report = "REPORT" "REPORT",
    Search = "SEARCH" "SEARCH",
    Unbind = "UNBIND" "UNBIND",
    Uncheckout = "UNCHECKOUT" "UNCHECKOUT",
    Unlink = "UNLINK" "UNLINK",
    Unlock = "UNLOCK" "UNLOCK",
    Update = "UPDATE" "UPDATE",
    Updateredirectref = "UPDATEREDIRECTREF" "UPDATEREDIRECTREF",
    VersionControl = "VERSION-CONTROL" "VERSION-CONTROL",
}

impl Method {
    /// The key of the method in [`METHODS`], such as `get`.
    pub const fn key(self) -> &'static str {
        METHODS[self as usize]
    }

    /// Finds the method with this key in [`METHODS`].
    pub fn of_key(key: &str) -> Option<Method> {
        let mut all = Method::ALL.iter().copied();
        all.find(|method| method.key() == key)
    }

    /// Finds the method with this name in a request.
    pub fn parse(name: &str) -> Option<Method> {
        let mut all = Method::ALL.iter().copied();
        all.find(|method| method.as_str() == name)
    }

    /// Whether the method with this name in a request has a property. One that is not among them has none.
    pub fn has(name: &str, property: impl FnOnce(Method) -> bool) -> bool {
        Method::parse(name).is_some_and(property)
    }

    /// Whether the registry says that requests with this method only read (RFC 9110, section 9.2.1).
    pub const fn is_safe(self) -> bool {
        use Method::{Get, Head, Options, Propfind, Query, Report, Search, Trace};
        matches!(
            self,
            Get | Head | Options | Trace | Query | Propfind | Report | Search
        )
    }

    /// Whether the registry says that a repeated request has the effect of one (RFC 9110, section 9.2.2), as two purges have.
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Method::Post | Method::Patch | Method::Lock)
    }

    /// Whether the method has a field of its own in a path item. The others stand in `additionalOperations`.
    pub fn is_fixed_field(self) -> bool {
        self <= Method::Query
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
