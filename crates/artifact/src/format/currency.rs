//! Currencies by their three letters and by their signs.

/// The codes of ISO 4217 that banks hold accounts in.
const CODES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN \
BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD \
HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD \
MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON \
RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX \
USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL";

/// The signs, longest first where one begins another; each with the currencies that use it.
const SIGNS: &[(&str, &[&str])] = &[
    ("US$", &["USD"]),
    ("CA$", &["CAD"]),
    ("AU$", &["AUD"]),
    ("NZ$", &["NZD"]),
    ("HK$", &["HKD"]),
    ("MX$", &["MXN"]),
    ("NT$", &["TWD"]),
    ("R$", &["BRL"]),
    ("C$", &["CAD"]),
    ("A$", &["AUD"]),
    ("S$", &["SGD"]),
    (
        "$",
        &[
            "USD", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN", "TWD", "ARS", "CLP", "COP", "UYU", "BBD", "BMD", "BND",
            "BSD", "BZD", "FJD", "GYD", "JMD", "KYD", "LRD", "NAD", "SBD", "SRD", "TTD", "XCD",
        ],
    ),
    ("€", &["EUR"]),
    ("£", &["GBP", "EGP", "FKP", "GIP", "LBP", "SHP", "SSP", "SYP"]),
    ("¥", &["JPY", "CNY"]),
    ("zł", &["PLN"]),
    ("Kč", &["CZK"]),
    ("SFr.", &["CHF"]),
    ("Fr.", &["CHF"]),
    ("kr.", &["DKK", "NOK", "SEK", "ISK"]),
    ("kr", &["SEK", "NOK", "DKK", "ISK"]),
    ("Ft", &["HUF"]),
    ("lei", &["RON"]),
    ("₹", &["INR"]),
    ("₽", &["RUB"]),
    ("₩", &["KRW", "KPW"]),
    ("₺", &["TRY"]),
    ("₪", &["ILS"]),
    ("₴", &["UAH"]),
    ("₫", &["VND"]),
];

/// What a text says of the currency of its amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named<'a> {
    /// Three letters.
    Code(&'a str),
    /// A sign, with the currencies that use it.
    Sign(&'static [&'static str]),
}

/// Whether the three letters are a currency.
pub(crate) fn is_code(word: &str) -> bool {
    word.len() == 3 && CODES.split_ascii_whitespace().any(|code| code == word)
}

/// The currency at the beginning of the text, and the rest.
pub(crate) fn strip_before(text: &str) -> Option<(Named<'_>, &str)> {
    if let Some((code, rest)) = text.split_at_checked(3)
        && is_code(code)
        && !rest.starts_with(char::is_alphabetic)
        && !rest.starts_with('$')
    {
        return Some((Named::Code(code), rest));
    }
    SIGNS.iter().find_map(|(sign, of)| text.strip_prefix(sign).map(|rest| (Named::Sign(of), rest)))
}

/// The currency at the end of the text, and what is before it.
pub(crate) fn strip_after(text: &str) -> Option<(Named<'_>, &str)> {
    if let Some(at) = text.len().checked_sub(3)
        && let Some((rest, code)) = text.split_at_checked(at)
        && is_code(code)
        && !rest.ends_with(char::is_alphabetic)
    {
        return Some((Named::Code(code), rest));
    }
    SIGNS
        .iter()
        .find_map(|(sign, of)| text.strip_suffix(sign).map(|rest| (Named::Sign(of), rest)))
        .filter(|(_, rest)| !rest.ends_with(char::is_alphabetic))
}
