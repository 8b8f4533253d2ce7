//! Where a fault strikes: pages of one application, screens of another, and kinds of requests.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::FaultError;

/// A page, named as its address is, a screen, named by its identifier, or a kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Index,
    /// The answer to a sign-on, and the login form that stands in for a page after sign-on.
    Login,
    Overview,
    Activity,
    Transaction,
    Transfer,
    BillPay,
    OpenAccount,
    FindTransactions,
    RequestLoan,
    UpdateProfile,
    Register,
    Lookup,
    Contact,
    /// Data: a customer's list of accounts.
    Accounts,
    /// Data: the details of one account or customer.
    Account,
    /// Data: transactions.
    Transactions,
    /// Data: what changes something, before it is done.
    Submit,
    /// Data: what changed something, after it was done.
    Booked,
    /// Sign-on.
    Mi0100,
    /// Member inquiry.
    Mi0200,
    /// Member detail.
    Mi0210,
    /// Share accounts.
    Sa0320,
    /// Loan accounts.
    Ln0410,
    /// Open a sub-account.
    Sa0500,
    /// Its receipt: what strikes here strikes after it was booked.
    Sa0510,
    /// Transfer between shares.
    Tr0600,
    /// Its confirmation.
    Tr0610,
    /// Its second confirmation, of one tenant.
    Tr0615,
    /// Its receipt: what strikes here strikes after it was booked.
    Tr0620,
    /// Teller notes.
    Tn0700,
    /// Administration.
    Ad0900,
}

impl Place {
    pub const ALL: [Place; 32] = [
        Place::Index,
        Place::Login,
        Place::Overview,
        Place::Activity,
        Place::Transaction,
        Place::Transfer,
        Place::BillPay,
        Place::OpenAccount,
        Place::FindTransactions,
        Place::RequestLoan,
        Place::UpdateProfile,
        Place::Register,
        Place::Lookup,
        Place::Contact,
        Place::Accounts,
        Place::Account,
        Place::Transactions,
        Place::Submit,
        Place::Booked,
        Place::Mi0100,
        Place::Mi0200,
        Place::Mi0210,
        Place::Sa0320,
        Place::Ln0410,
        Place::Sa0500,
        Place::Sa0510,
        Place::Tr0600,
        Place::Tr0610,
        Place::Tr0615,
        Place::Tr0620,
        Place::Tn0700,
        Place::Ad0900,
    ];

    /// The word it is asked for by; a page's is the file name in its address without `.htm`,
    /// a screen's the identifier that stands on it.
    pub fn name(self) -> &'static str {
        match self {
            Place::Index => "index",
            Place::Login => "login",
            Place::Overview => "overview",
            Place::Activity => "activity",
            Place::Transaction => "transaction",
            Place::Transfer => "transfer",
            Place::BillPay => "billpay",
            Place::OpenAccount => "openaccount",
            Place::FindTransactions => "findtrans",
            Place::RequestLoan => "requestloan",
            Place::UpdateProfile => "updateprofile",
            Place::Register => "register",
            Place::Lookup => "lookup",
            Place::Contact => "contact",
            Place::Accounts => "accounts",
            Place::Account => "account",
            Place::Transactions => "transactions",
            Place::Submit => "submit",
            Place::Booked => "booked",
            Place::Mi0100 => "MI0100",
            Place::Mi0200 => "MI0200",
            Place::Mi0210 => "MI0210",
            Place::Sa0320 => "SA0320",
            Place::Ln0410 => "LN0410",
            Place::Sa0500 => "SA0500",
            Place::Sa0510 => "SA0510",
            Place::Tr0600 => "TR0600",
            Place::Tr0610 => "TR0610",
            Place::Tr0615 => "TR0615",
            Place::Tr0620 => "TR0620",
            Place::Tn0700 => "TN0700",
            Place::Ad0900 => "AD0900",
        }
    }

    /// The page at an address below the context: `overview.htm`.
    pub(crate) fn of_page(file: &str) -> Option<Self> {
        let name = file.strip_suffix(".htm")?;
        Self::ALL.into_iter().find(|place| *place < Place::Accounts && place.name() == name)
    }

    /// All places of ParaBank.
    pub(crate) fn of_parabank() -> &'static [Place] {
        let (known, _) = ALL.split_at(Place::Mi0100 as usize);
        known
    }

    /// All places of Meridian: its screens, and what changes something.
    /// The places of the console.
    #[must_use]
    pub fn of_meridian() -> &'static [Place] {
        let (_, known) = ALL.split_at(Place::Submit as usize);
        known
    }

    pub fn is_page(self) -> bool {
        self < Place::Accounts || self.is_screen()
    }

    /// A page that names itself by an identifier.
    pub fn is_screen(self) -> bool {
        self >= Place::Mi0100
    }

    /// A page that needs a session.
    pub fn is_after_sign_on(self) -> bool {
        (Place::Overview..=Place::UpdateProfile).contains(&self) || self > Place::Mi0100
    }

    /// A request for data that changes nothing.
    pub fn is_read(self) -> bool {
        (Place::Accounts..=Place::Transactions).contains(&self)
    }
}

static ALL: [Place; 32] = Place::ALL;

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Place {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        Self::ALL
            .into_iter()
            .find(|place| place.name() == text)
            .ok_or_else(|| FaultError::Place { name: text.to_owned() })
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
