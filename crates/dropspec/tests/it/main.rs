//! Tests of the commands as processes.

mod checkout;
mod diff;
mod generate;
mod own_document;
mod release;
