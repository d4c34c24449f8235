//! What a browser does in another way: time, and futures that stay on their thread.

#[cfg(not(target_arch = "wasm32"))]
mod here {
    pub(crate) use tokio::time::{Instant, sleep};

    /// A future in a box; outside of a browser it can be sent to another thread.
    pub type BoxFuture<'a, T> = futures::future::BoxFuture<'a, T>;

    /// A stream in a box; outside of a browser it can be sent to another thread.
    pub type BoxStream<'a, T> = futures::stream::BoxStream<'a, T>;

    /// What has to be [`Send`] for such a future or stream to be.
    pub(crate) trait MaybeSend: Send {}

    impl<T: Send> MaybeSend for T {}
}

#[cfg(target_arch = "wasm32")]
mod here {
    pub(crate) use gloo_timers::future::sleep;
    pub(crate) use web_time::Instant;

    /// A future in a box; outside of a browser it can be sent to another thread.
    pub type BoxFuture<'a, T> = futures::future::LocalBoxFuture<'a, T>;

    /// A stream in a box; outside of a browser it can be sent to another thread.
    pub type BoxStream<'a, T> = futures::stream::LocalBoxStream<'a, T>;

    /// What has to be [`Send`] for such a future or stream to be.
    pub(crate) trait MaybeSend {}

    impl<T> MaybeSend for T {}
}

pub use here::{BoxFuture, BoxStream};
pub(crate) use here::{Instant, MaybeSend, sleep};
