//! The HTTP methods of a path item.

/// The keys of a path item that are operations, in the order of OpenAPI. `query` is of OpenAPI 3.2.
pub const METHODS: [&str; 9] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
];
