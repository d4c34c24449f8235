//! Tests of the commands as processes.

mod bundle;
mod checkout;
mod diff;
mod docs;
mod generate;
mod new;
mod own_document;
mod release;
mod roundtrip;
mod warnings;
