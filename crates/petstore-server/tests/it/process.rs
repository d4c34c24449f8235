//! The binary as operators and clients use it: its commands, its panel and log, TLS and a proxy, kills and full disks,
//! and clients that are slow, broken or many.

mod backup;
mod clocks;
mod connections;
mod copy;
mod copy_errors;
mod copy_faults;
mod copy_fixture;
mod crash;
mod fleet;
mod hanging_disk;
mod hostile_clients;
mod key_changes;
mod keys;
mod kill_under_load;
mod limits;
mod log_privacy;
mod metrics;
mod migrate;
mod open_files;
mod operator;
mod operator_page;
mod panel;
mod postgres;
mod proxy;
mod reference_page;
mod reference_page_access;
mod schemathesis;
mod start;
mod stop;
mod store_outages;
mod tail;
mod tls;
mod traces;
mod usage;
