//! What a call costs, where the user says what models cost.

use serde::Deserialize;
use waymark_discovery::{ModelName, Usage};
use waymark_goal::Usd;
use waymark_policy::from_yaml;

use crate::config::ConfigError;

const VERSION: u32 = 1;

/// The prices that are configured. What is not among them stays unknown.
#[derive(Clone, Debug, Default)]
pub struct Prices(Vec<Entry>);

/// The price of one model's tokens. US dollars for a million are millionths of a dollar for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Price {
    input: Usd,
    cached: Usd,
    output: Usd,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    models: Vec<Entry>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    provider: String,
    model: String,
    input_usd_per_million: Usd,
    output_usd_per_million: Usd,
    #[serde(default)]
    cached_usd_per_million: Option<Usd>,
    /// When and where the price was looked up, for whoever reads the file.
    #[serde(default, rename = "as_of")]
    _as_of: Option<String>,
    #[serde(default, rename = "source")]
    _source: Option<String>,
}

impl Prices {
    /// Reads the text of `config/models.yaml`.
    ///
    /// # Errors
    /// It is not of the expected shape or version.
    pub fn from_yaml(text: &str) -> Result<Self, ConfigError> {
        let bad =
            |message: String| ConfigError::new("prices", message, "the file's own comment says what an entry holds");
        let file: File = from_yaml("models.yaml", text).map_err(|error| bad(error.to_string()))?;
        if file.version != VERSION {
            return Err(bad(format!("models.yaml: version {} is not known", file.version)));
        }
        let twice = |at: usize, entry: &Entry| {
            file.models[..at].iter().any(|earlier| earlier.provider == entry.provider && earlier.model == entry.model)
        };
        if let Some((_, entry)) = file.models.iter().enumerate().find(|(at, entry)| twice(*at, entry)) {
            return Err(bad(format!("models.yaml: {} {} stands twice", entry.provider, entry.model)));
        }
        Ok(Prices(file.models))
    }

    /// Whether a model's calls have a price.
    #[must_use]
    pub fn knows(&self, name: &ModelName) -> bool {
        self.find(name).is_some()
    }

    pub(crate) fn find(&self, name: &ModelName) -> Option<Price> {
        let entry = self.0.iter().find(|entry| entry.provider == name.provider && entry.model == name.model)?;
        let (input, output) = (entry.input_usd_per_million, entry.output_usd_per_million);
        Some(Price { input, cached: entry.cached_usd_per_million.unwrap_or(input), output })
    }
}

impl Price {
    /// The price of a call in millionths of a dollar, rounded up; unknown where its tokens are.
    pub(crate) fn of(&self, usage: &Usage) -> Option<u64> {
        let (input, output) = (usage.input?, usage.output?);
        let cached = usage.cached.unwrap_or_default().min(input);
        let cost = |tokens: u64, price: Usd| u128::from(tokens) * u128::from(price.micros);
        let sum = cost(input - cached, self.input) + cost(cached, self.cached) + cost(output, self.output);
        u64::try_from(sum.div_ceil(1_000_000)).ok()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    const TEXT: &str = "\
version: 1
models:
  - provider: openai
    model: m
    input_usd_per_million: \"2.50\"
    output_usd_per_million: \"10.00\"
    cached_usd_per_million: \"1.25\"
    as_of: 2026-11-30
    source: the invoice
";

    fn name(model: &str) -> ModelName {
        ModelName { provider: "openai".to_owned(), model: model.to_owned(), simulated: false }
    }

    #[test]
    fn a_call_costs_what_its_tokens_cost() {
        let price = Prices::from_yaml(TEXT).unwrap().find(&name("m")).unwrap();
        let of = |input, output, cached| price.of(&Usage { input, output, cached });
        assert_eq!(of(Some(1000), Some(100), None), Some(3500));
        assert_eq!(of(Some(1000), Some(100), Some(400)), Some(3000));
        assert_eq!(of(Some(1), Some(0), None), Some(3));
        assert_eq!(of(None, Some(100), None), None);
        assert_eq!(of(Some(100), None, None), None);
    }

    #[test]
    fn what_is_not_configured_stays_unknown() {
        let prices = Prices::from_yaml(TEXT).unwrap();
        assert!(prices.knows(&name("m")) && !prices.knows(&name("n")));
        assert!(!Prices::default().knows(&name("m")));
    }

    #[test]
    fn the_file_that_ships_reads_and_names_no_price() {
        let text = include_str!("../../../config/models.yaml");
        assert!(Prices::from_yaml(text).unwrap().0.is_empty());
    }

    #[test]
    fn a_file_that_is_not_understood_is_refused() {
        for (from, to) in
            [("version: 1", "version: 2"), ("model: m", "modell: m"), ("\"2.50\"", "\"-1\""), ("\"2.50\"", "free")]
        {
            assert_eq!(Prices::from_yaml(&TEXT.replace(from, to)).unwrap_err().code, "prices");
        }
        let again = TEXT.split_once("models:\n").unwrap().1;
        assert!(Prices::from_yaml(&format!("{TEXT}{again}")).unwrap_err().message.contains("stands twice"));
    }
}
