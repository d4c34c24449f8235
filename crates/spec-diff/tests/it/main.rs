//! What the comparison promises, seen from outside.

mod acknowledged;
mod common;
mod docs;
mod equalities;
mod families;
mod findings;
mod identities;
mod mutations;
mod one_edit;
mod policy;
mod reports;
mod rules;
mod versions;
