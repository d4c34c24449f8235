//! Webhooks that are signed by HMAC-SHA256, as [Standard Webhooks](https://www.standardwebhooks.com) defines it: a sender makes its
//! requests by a [`Receiver`], which receivers check by [`verify`]. It sends nothing, and reads no clock.

mod sign;
#[cfg(test)]
mod tests;
mod verify;

pub use sign::*;
pub use verify::{TOLERANCE, VerifyError, verify};
