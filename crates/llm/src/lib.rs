//! Models of discovery: providers over the network, a script that stands in for one, a recording that is played back.
//!
//! All of them answer behind `waymark_discovery::Model`. [`resolve`] chooses one from variables and options that a shell
//! hands in, [`connect`] makes it, [`try_model`] asks it one tiny question. Keys are secrets that do not print, and stand in no
//! error, ledger or recording. Knows neither the screen nor what its requests are about, and reads no file and no
//! variable.

mod answer;
mod anthropic;
mod ask;
mod cassette;
mod config;
mod http;
mod in_order;
mod jev;
mod openai;
mod prices;
mod scripted;
mod trial;

pub use ask::{Form, Pace, Remote};
pub use cassette::{Cassette, CassetteError, Recording};
pub use config::{
    ADVICE, AnswerBy, CONFIG_CODES, ConfigError, Options, Provider, Settings, answer_by_variable, connect, connect_jev,
    connect_selector, resolve, resolve_selector, variables,
};
pub use jev::Jev;
pub use prices::Prices;
pub use scripted::{ScriptError, Scripted};
pub use trial::{Problem, Trial, hint, try_model};
