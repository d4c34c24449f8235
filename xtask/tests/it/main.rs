//! The commands as a person and CI run them.

mod checkout;
mod diff;
mod generate;
mod release;
