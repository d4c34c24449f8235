//! Bundles of small documents.
#![allow(clippy::unwrap_used)]

mod common;
mod corpus;
mod overlays;
mod references;
mod text;
