//! The bank behind the pages: customers, accounts, transactions, on a day that never ends.
//!
//! Amounts are whole cents. It does not know HTTP. Like the application it stands in for, it lets
//! a customer overdraw and does not ask whose account is moved.

#![expect(clippy::inconsistent_digit_grouping, reason = "amounts are cents: the last two digits stand apart")]

use std::collections::BTreeMap;

use time::Date;
use time::macros::date;

use super::seed;

/// The day on which everything happens.
pub const TODAY: Date = date!(2026 - 09 - 14);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Customer {
    pub id: u32,
    pub username: String,
    pub password: String,
    pub first_name: String,
    pub last_name: String,
    pub street: String,
    pub city: String,
    pub state: String,
    pub zip_code: String,
    pub phone_number: String,
    pub ssn: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountKind {
    Checking,
    Savings,
    Loan,
}

impl AccountKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Checking => "CHECKING",
            Self::Savings => "SAVINGS",
            Self::Loan => "LOAN",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub id: u32,
    pub customer: u32,
    pub kind: AccountKind,
    pub cents: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Credit,
    Debit,
}

impl Direction {
    pub fn name(self) -> &'static str {
        match self {
            Self::Credit => "Credit",
            Self::Debit => "Debit",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    pub id: u32,
    pub account: u32,
    pub direction: Direction,
    pub date: Date,
    /// Never negative for seeded ones; a transfer of a negative amount keeps its sign.
    pub cents: i64,
    pub description: String,
}

/// The answer of the loan desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loan {
    Approved { account: u32 },
    Denied { reason: &'static str },
}

/// No account of that number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Could not find account # {0}")]
pub struct NoAccount(pub String);

#[derive(Debug)]
pub struct Bank {
    customers: Vec<Customer>,
    accounts: BTreeMap<u32, Account>,
    transactions: Vec<Transaction>,
    next_account: u32,
    next_transaction: u32,
    next_customer: u32,
}

pub const NO_DOWN_PAYMENT: &str = "You do not have sufficient funds for the given down payment.";
pub const NO_FUNDS: &str = "We cannot grant a loan in that amount with your available funds.";

/// Least deposit of a new account.
pub const OPENING_CENTS: i64 = 100_00;

impl Bank {
    /// As at the start; `john` has the password that is given, else his own.
    pub fn seeded(password: Option<&str>) -> Self {
        let transactions = seed::transactions();
        Self {
            customers: seed::customers(password),
            accounts: seed::accounts().into_iter().map(|a| (a.id, a)).collect(),
            next_transaction: transactions.iter().map(|t| t.id + 1).max().unwrap_or(1),
            transactions,
            next_account: 54_432,
            next_customer: 12_434,
        }
    }

    pub fn customer(&self, id: u32) -> Option<&Customer> {
        self.customers.iter().find(|c| c.id == id)
    }

    pub fn customer_mut(&mut self, id: u32) -> Option<&mut Customer> {
        self.customers.iter_mut().find(|c| c.id == id)
    }

    pub fn sign_on(&self, username: &str, password: &str) -> Option<&Customer> {
        self.customers.iter().find(|c| c.username == username && c.password == password)
    }

    pub fn has_username(&self, username: &str) -> bool {
        self.customers.iter().any(|c| c.username == username)
    }

    pub fn look_up(&self, wanted: impl Fn(&Customer) -> bool) -> Option<&Customer> {
        self.customers.iter().find(|c| wanted(c))
    }

    /// Adds the customer under a new number, with one account of its own.
    pub fn register(&mut self, customer: Customer) -> u32 {
        let id = self.next_customer;
        self.next_customer += 111;
        self.customers.push(Customer { id, ..customer });
        self.add_account(id, AccountKind::Checking, 515_50);
        id
    }

    /// Accounts of a customer by number.
    pub fn accounts_of(&self, customer: u32) -> impl Iterator<Item = &Account> {
        self.accounts.values().filter(move |a| a.customer == customer)
    }

    pub fn account(&self, id: &str) -> Result<&Account, NoAccount> {
        id.parse().ok().and_then(|number: u32| self.accounts.get(&number)).ok_or_else(|| NoAccount(id.to_owned()))
    }

    /// Transactions of an account, oldest first.
    pub fn transactions_of(&self, account: u32) -> impl Iterator<Item = &Transaction> {
        let mut own: Vec<_> = self.transactions.iter().filter(|t| t.account == account).collect();
        own.sort_by_key(|t| (t.date, t.id));
        own.into_iter()
    }

    pub fn transaction(&self, id: u32) -> Option<&Transaction> {
        self.transactions.iter().find(|t| t.id == id)
    }

    /// Moves the amount and books it on both accounts.
    pub fn transfer(&mut self, from: &str, to: &str, cents: i64) -> Result<(), NoAccount> {
        let (from, to) = (self.account(from)?.id, self.account(to)?.id);
        self.book(from, Direction::Debit, cents, "Funds Transfer Sent");
        self.book(to, Direction::Credit, cents, "Funds Transfer Received");
        Ok(())
    }

    pub fn pay_bill(&mut self, from: &str, payee: &str, cents: i64) -> Result<(), NoAccount> {
        let from = self.account(from)?.id;
        self.book(from, Direction::Debit, cents, &format!("Bill Payment to {payee}"));
        Ok(())
    }

    /// Opens an account with the least deposit, taken from another account.
    pub fn open_account(&mut self, customer: u32, kind: AccountKind, from: &str) -> Result<u32, NoAccount> {
        let from = self.account(from)?.id;
        let id = self.add_account(customer, kind, 0);
        self.book(from, Direction::Debit, OPENING_CENTS, "Funds Transfer Sent");
        self.book(id, Direction::Credit, OPENING_CENTS, "Funds Transfer Received");
        Ok(id)
    }

    /// Grants a loan of at most five times what the customer has, if the down payment is there.
    pub fn request_loan(
        &mut self,
        customer: u32,
        cents: i64,
        down_payment: i64,
        from: &str,
    ) -> Result<Loan, NoAccount> {
        let from = self.account(from)?.clone();
        if down_payment > from.cents {
            return Ok(Loan::Denied { reason: NO_DOWN_PAYMENT });
        }
        let available: i64 = self.accounts_of(customer).map(|a| a.cents.max(0)).sum();
        if cents > available.saturating_mul(5) {
            return Ok(Loan::Denied { reason: NO_FUNDS });
        }
        self.book(from.id, Direction::Debit, down_payment, "Down Payment for Loan");
        let account = self.add_account(customer, AccountKind::Loan, cents);
        Ok(Loan::Approved { account })
    }

    fn add_account(&mut self, customer: u32, kind: AccountKind, cents: i64) -> u32 {
        let id = self.next_account;
        self.next_account += 111;
        self.accounts.insert(id, Account { id, customer, kind, cents });
        id
    }

    fn book(&mut self, account: u32, direction: Direction, cents: i64, description: &str) {
        let Some(booked) = self.accounts.get_mut(&account) else {
            return;
        };
        booked.cents = match direction {
            Direction::Credit => booked.cents.saturating_add(cents),
            Direction::Debit => booked.cents.saturating_sub(cents),
        };
        self.transactions.push(Transaction {
            id: self.next_transaction,
            account,
            direction,
            date: TODAY,
            cents,
            description: description.to_owned(),
        });
        self.next_transaction += 111;
    }
}

/// Cents of a plain decimal such as `12`, `-3.5` or `.25`; nothing else is an amount.
pub fn parse_cents(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = whole.bytes().chain(part.bytes()).all(|b| b.is_ascii_digit());
    if !all_digits || part.len() > 2 || whole.len() + part.len() == 0 {
        return None;
    }
    let cents: i64 = format!("{whole}{part:0<2}").parse().ok()?;
    Some(if negative { -cents } else { cents })
}

/// `-$2300.00`: without thousands separators, as the pages print it.
pub fn print_cents(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let size = cents.unsigned_abs();
    format!("{sign}${}.{:02}", size / 100, size % 100)
}

/// `09-14-2026`
pub fn print_date(date: Date) -> String {
    format!("{:02}-{:02}-{:04}", u8::from(date.month()), date.day(), date.year())
}

/// The day of `09-14-2026`.
pub fn parse_date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let month = time::Month::try_from(month.parse::<u8>().ok()?).ok()?;
    Date::from_calendar_date(year.parse().ok()?, month, day.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, cents: Option<i64>) {
        assert_eq!(parse_cents(text), cents, "{text:?}");
    }

    #[test]
    fn only_plain_decimals_are_amounts() {
        check("100", Some(100_00));
        check("0.5", Some(50));
        check(".25", Some(25));
        check("-3.10", Some(-3_10));
        check("", None);
        check(".", None);
        check("1,000", None);
        check("1.005", None);
        check("12abc", None);
        check("99999999999999999999", None);
    }

    #[test]
    fn money_is_printed_without_thousands_separators() {
        assert_eq!(print_cents(-2300_00), "-$2300.00");
        assert_eq!(print_cents(1_234_567_05), "$1234567.05");
        assert_eq!(print_cents(0), "$0.00");
    }
}
