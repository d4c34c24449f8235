//! Placeholder until the first code of this crate lands.
