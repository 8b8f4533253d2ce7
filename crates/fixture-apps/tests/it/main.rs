//! The applications as a browser without scripts sees them: over real HTTP.

mod cases;
mod client;
mod guest;
mod hook;
mod log;
mod meridian;
mod meridian_admin;
mod meridian_faults;
mod meridian_variants;
mod parabank_faults;
mod parabank_forms;
mod parabank_pages;
mod parabank_proxy;
mod parabank_session;
mod server;

type Outcome = Result<(), Box<dyn std::error::Error>>;
