//! What is looked for beyond the registered values.

use serde::Deserialize;

/// The content of `redaction.yaml`. Whoever reads the file checks `version`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// The version of the file; 1.
    pub version: u32,
    /// Names of fields whose values are masked, compared without case and without `_`, `-` and blanks.
    pub field_names: Vec<String>,
    /// Names of parameters in addresses whose values are masked, compared likewise.
    pub query_parameters: Vec<String>,
    /// Kinds of values that are found by their form.
    pub patterns: Vec<PatternKind>,
    /// More kinds, by regular expression.
    #[serde(default)]
    pub custom: Vec<CustomPattern>,
}

/// A kind of value that is found by its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatternKind {
    /// Card numbers: 13 to 19 digits with a valid check digit.
    Card,
    /// US social security and tax numbers, `NNN-NN-NNNN`.
    UsTaxId,
    /// International bank account numbers with a valid checksum.
    Iban,
    /// E-mail addresses.
    Email,
    /// `Bearer` and `Basic` credentials of a request.
    Bearer,
    /// User name and password in an address.
    UserInfo,
    /// Keys of programming interfaces, by the beginnings that issuers give them or by the name before them; private keys.
    ApiKey,
    /// What a `Cookie` or `Set-Cookie` header carries.
    Cookie,
}

/// A kind of value with an expression of its own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomPattern {
    /// What the mask calls it.
    pub name: String,
    /// A regular expression; its group `secret`, else the whole match, is masked.
    pub regex: String,
}
