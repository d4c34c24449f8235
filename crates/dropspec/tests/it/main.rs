//! Tests of the commands as processes.

mod bundle;
mod checkout;
mod diff;
mod generate;
mod own_document;
mod release;
