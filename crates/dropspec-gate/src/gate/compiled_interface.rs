//! What the gate compiles from the document at the start.

use dropspec_runtime::security::Security;
use dropspec_runtime::{Decoder, Interface};

use super::route::RouteTable;
use crate::base_path::BasePath;

/// The routes and the request decoder of an interface, compiled from its document at the start.
#[derive(Debug)]
pub struct CompiledInterface<I> {
    pub(super) security: Security<I>,
    pub(super) routes: RouteTable,
    pub(super) decoder: Decoder,
}

impl<I: Interface> CompiledInterface<I> {
    /// Compiles the security, the routes and the request decoder of an interface. `realm` is the name of the service.
    /// Everything is below `base_path`.
    ///
    /// # Errors
    ///
    /// If a path template, a parameter or an access of the document is not supported.
    pub fn new(realm: &str, base_path: &BasePath) -> anyhow::Result<CompiledInterface<I>> {
        let security = Security::new();
        Ok(CompiledInterface {
            routes: RouteTable::new(realm, base_path, &security)?,
            decoder: Decoder::new(I::document(), I::operations())?,
            security,
        })
    }
}
