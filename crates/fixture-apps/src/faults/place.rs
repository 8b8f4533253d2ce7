//! Where a fault strikes: pages, and kinds of data requests.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::FaultError;

/// A page, named as its address is, or a kind of request that its script makes.
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
}

impl Place {
    pub const ALL: [Place; 19] = [
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
    ];

    /// The word it is asked for by; a page's is the file name in its address without `.htm`.
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
        }
    }

    /// The page at an address below the context: `overview.htm`.
    pub(crate) fn of_page(file: &str) -> Option<Self> {
        let name = file.strip_suffix(".htm")?;
        Self::ALL.into_iter().find(|place| place.is_page() && place.name() == name)
    }

    pub fn is_page(self) -> bool {
        self < Place::Accounts
    }

    /// A page that needs a session.
    pub fn is_after_sign_on(self) -> bool {
        (Place::Overview..=Place::UpdateProfile).contains(&self)
    }

    /// A request for data that changes nothing.
    pub fn is_read(self) -> bool {
        (Place::Accounts..=Place::Transactions).contains(&self)
    }
}

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
