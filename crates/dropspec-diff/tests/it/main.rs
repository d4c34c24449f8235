//! Tests of the comparison through its public interface.

mod acknowledged;
mod common;
mod docs;
mod equalities;
mod exchanges;
mod findings;
mod harmless;
mod identities;
mod mutations;
mod newer;
mod one_edit;
mod policy;
mod proofs;
mod reports;
mod roles;
mod rules;
mod usage;
mod versions;
