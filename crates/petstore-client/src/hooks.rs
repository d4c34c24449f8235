//! What the generated requests call: the hooks of `dropspec-client`.

use dropspec_client::{ClientHooks, HookError, Hooks, OperationInfo};
use reqwest::{Request, Response};

use crate::Client;

impl ClientHooks<Hooks> for Client {
    async fn pre<E>(
        &self,
        request: &mut Request,
        info: &OperationInfo,
    ) -> Result<(), HookError<E>> {
        self.inner.pre(request, info)
    }

    async fn exec(&self, request: Request, info: &OperationInfo) -> reqwest::Result<Response> {
        self.inner.exec(&self.client, request, info).await
    }

    async fn post<E>(
        &self,
        result: &reqwest::Result<Response>,
        _: &OperationInfo,
    ) -> Result<(), HookError<E>> {
        self.inner.post(result)
    }
}
