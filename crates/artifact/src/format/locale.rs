//! Conventions for numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The marks of one convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Between units and tenths.
    pub decimal: char,
    /// Between groups of three digits; the first is the one that is written. White space of any kind is `' '`.
    pub groups: &'static [char],
}

macro_rules! locales {
    ($($(#[$doc:meta])* $variant:ident = $word:literal $decimal:literal $groups:expr, $dollar:expr;)+) => {
        /// Conventions for numbers.
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
        )]
        pub enum Locale {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)+
        }

        impl Locale {
            /// Every locale.
            pub const ALL: &'static [Locale] = &[$(Locale::$variant),+];

            /// The word as it is written in artifacts.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Locale::$variant => $word),+ }
            }

            pub(crate) fn marks(self) -> Marks {
                match self { $(Locale::$variant => Marks { decimal: $decimal, groups: &$groups }),+ }
            }

            /// The currency of the place, which decides a sign that several currencies share.
            pub(crate) fn home_currency(self) -> &'static str {
                match self { $(Locale::$variant => $dollar),+ }
            }
        }
    };
}

locales! {
    /// 1,234.50
    #[default] EnUs = "en-US" '.' [','], "USD";
    /// 1,234.50
    EnGb = "en-GB" '.' [','], "GBP";
    /// 1,234.50
    EnCa = "en-CA" '.' [','], "CAD";
    /// 1,234.50
    EnAu = "en-AU" '.' [','], "AUD";
    /// 1,234.50
    JaJp = "ja-JP" '.' [','], "JPY";
    /// 1.234,50
    DeDe = "de-DE" ',' ['.'], "EUR";
    /// 1.234,50 or 1 234,50
    DeAt = "de-AT" ',' ['.', ' '], "EUR";
    /// 1’234.50 or 1'234.50
    DeCh = "de-CH" '.' ['’', '\''], "CHF";
    /// 1 234,50
    FrFr = "fr-FR" ',' [' '], "EUR";
    /// 1.234,50 or 1 234,50
    EsEs = "es-ES" ',' ['.', ' '], "EUR";
    /// 1.234,50
    ItIt = "it-IT" ',' ['.'], "EUR";
    /// 1.234,50
    NlNl = "nl-NL" ',' ['.'], "EUR";
    /// 1.234,50 or 1 234,50
    PtPt = "pt-PT" ',' ['.', ' '], "EUR";
    /// 1.234,50
    PtBr = "pt-BR" ',' ['.'], "BRL";
    /// 1 234,50
    PlPl = "pl-PL" ',' [' '], "PLN";
    /// 1 234,50
    CsCz = "cs-CZ" ',' [' '], "CZK";
    /// 1 234,50
    SvSe = "sv-SE" ',' [' '], "SEK";
    /// 1 234,50
    NbNo = "nb-NO" ',' [' '], "NOK";
    /// 1 234,50
    FiFi = "fi-FI" ',' [' '], "EUR";
    /// 1.234,50
    DaDk = "da-DK" ',' ['.'], "DKK";
}
