//! What the bank holds at the start. All of it is fiction.

#![expect(clippy::inconsistent_digit_grouping, reason = "amounts are cents: the last two digits stand apart")]

use time::Date;
use time::macros::date;

use super::bank::{Account, AccountKind, Customer, Direction, Transaction};

pub fn customers(password: Option<&str>) -> Vec<Customer> {
    let customer = |id, username: &str, first: &str, last: &str, ssn: &str| Customer {
        id,
        username: username.to_owned(),
        password: "demo".to_owned(),
        first_name: first.to_owned(),
        last_name: last.to_owned(),
        street: "1431 Main St".to_owned(),
        city: "Beverly Hills".to_owned(),
        state: "CA".to_owned(),
        zip_code: "90210".to_owned(),
        phone_number: "310-447-4121".to_owned(),
        ssn: ssn.to_owned(),
    };
    let john = customer(12212, "john", "John", "Smith", "622-11-9999");
    let password = password.map_or_else(|| john.password.clone(), str::to_owned);
    vec![Customer { password, ..john }, customer(12323, "parasoft", "Robert", "Parsons", "123-45-6789")]
}

pub fn accounts() -> Vec<Account> {
    use AccountKind::{Checking, Savings};
    [
        (12345, 12212, Checking, -2300_00),
        (12456, 12212, Checking, 10_45),
        (12567, 12212, Checking, 100_00),
        (12678, 12212, Savings, -100_00),
        (12789, 12212, Checking, 100_00),
        (12900, 12212, Checking, 0),
        (13011, 12212, Checking, 100_00),
        (13122, 12212, Checking, 1100_00),
        (13233, 12212, Checking, 100_00),
        (13344, 12212, Savings, 1231_10),
        (13455, 12323, Checking, 2014_76),
        (54321, 12212, Checking, 1351_12),
    ]
    .into_iter()
    .map(|(id, customer, kind, cents)| Account { id, customer, kind, cents })
    .collect()
}

/// No transaction is of March, so that month is empty for every account.
pub fn transactions() -> Vec<Transaction> {
    use Direction::{Credit, Debit};
    let rows: &[(u32, Direction, Date, i64, &str)] = &[
        (12345, Credit, date!(2025 - 12 - 11), 300_00, "Check # 1111"),
        (12345, Debit, date!(2025 - 12 - 12), 100_00, "Check # 1211"),
        (12345, Debit, date!(2026 - 01 - 05), 1000_00, "Bill Payment to Bank of America Visa"),
        (12345, Debit, date!(2026 - 08 - 18), 100_00, "Funds Transfer Sent"),
        (12345, Debit, date!(2026 - 09 - 03), 1000_00, "Funds Transfer Sent"),
        (12456, Credit, date!(2026 - 02 - 20), 10_45, "Funds Transfer Received"),
        (12567, Credit, date!(2026 - 08 - 18), 100_00, "Funds Transfer Received"),
        (12678, Debit, date!(2026 - 06 - 30), 100_00, "Check # 2044"),
        (13122, Credit, date!(2026 - 09 - 03), 1000_00, "Funds Transfer Received"),
        (13122, Credit, date!(2025 - 12 - 19), 100_00, "Funds Transfer Received"),
        (13344, Credit, date!(2026 - 07 - 01), 1231_10, "Payroll Deposit"),
        (13455, Credit, date!(2026 - 08 - 31), 2014_76, "Payroll Deposit"),
        (54321, Credit, date!(2026 - 05 - 11), 1351_12, "Funds Transfer Received"),
    ];
    rows.iter()
        .zip((14143..).step_by(111))
        .map(|(&(account, direction, date, cents, description), id)| Transaction {
            id,
            account,
            direction,
            date,
            cents,
            description: description.to_owned(),
        })
        .collect()
}
