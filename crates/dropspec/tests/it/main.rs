//! Tests of the commands as processes.

mod add;
mod adopt;
mod anywhere;
mod bundle;
mod checkout;
mod diff;
mod docs;
mod generate;
mod install;
mod levels;
mod made;
mod mock;
mod names;
mod new;
mod own_document;
mod release;
mod repair;
mod replay;
mod tokens;
mod usage;
mod warnings;
mod wrong_input;
