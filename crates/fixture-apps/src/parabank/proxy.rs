//! The JSON service that the pages' scripts talk to, below `/parabank/services_proxy/bank/`.
//!
//! Without a logged-in session every call is 401 with a basic challenge. A refused call is 400
//! with one sentence as text, a missing transaction 404.

use std::time::Duration;

use axum::Json;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use time::{Date, Time};

use super::App;
use super::bank::{self, Account, AccountKind, Bank, Customer, Loan, NoAccount, TODAY, Transaction};
use super::faulty::{self, Instead};
use super::pages::INTERNAL_ERROR;
use super::visit::Visit;
use crate::faults::{Place, Struck};
use crate::server::fields;

/// One call of the service.
pub struct Call<'a> {
    pub method: &'a Method,
    /// Path below the service: `accounts/12345`.
    pub resource: &'a str,
    pub query: &'a str,
    pub body: &'a [u8],
}

pub async fn answer(app: &App, visit: Option<&Visit>, request: Option<&Struck>, call: Call<'_>) -> Response {
    let Some(visit) = visit.filter(|visit| visit.customer.is_some()) else {
        return unauthorized();
    };
    let segments: Vec<&str> = call.resource.split('/').collect();
    let place = place(call.method, &segments);
    if let Some(response) = fault(app, place, visit, request).await {
        return response;
    }
    tokio::time::sleep(delay(app, place)).await;
    let result = carry_out(&mut app.site().bank, &segments, &call);
    let booked = place == Place::Submit && result.is_ok();
    if booked {
        app.log.change_booked();
    }
    if booked && let Some(response) = fault(app, Place::Booked, visit, request).await {
        return response;
    }
    match result {
        Ok(Reply::Json(value)) => ([(CACHE_CONTROL, "no-store")], Json(value)).into_response(),
        Ok(Reply::Text(text)) => text.into_response(),
        Err(refusal) => plain(refusal.status, refusal.text),
    }
}

fn carry_out(bank: &mut Bank, segments: &[&str], call: &Call<'_>) -> Result<Reply, Refusal> {
    if call.method == Method::GET {
        read(bank, segments)
    } else if call.method == Method::POST {
        write(bank, segments, &Parameters(fields(call.query.as_bytes())), call.body)
    } else {
        Err(Refusal::no_such_call())
    }
}

async fn fault(app: &App, place: Place, visit: &Visit, request: Option<&Struck>) -> Option<Response> {
    Some(match faulty::instead(app, place, visit, request?).await? {
        Instead::LoggedOut => unauthorized(),
        Instead::Broken => plain(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL_ERROR.to_owned()),
        Instead::Refused => plain(StatusCode::FORBIDDEN, faulty::NOT_AUTHORIZED.to_owned()),
    })
}

fn unauthorized() -> Response {
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, r#"Basic realm="ParaBank""#)], "Log in first.").into_response()
}

fn plain(status: StatusCode, text: String) -> Response {
    (status, [(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

enum Reply {
    Json(Value),
    Text(String),
}

struct Refusal {
    status: StatusCode,
    text: String,
}

impl Refusal {
    fn no_such_call() -> Self {
        Self { status: StatusCode::NOT_FOUND, text: "There is no such call.".to_owned() }
    }

    fn bad(text: &str) -> Self {
        Self { status: StatusCode::BAD_REQUEST, text: text.to_owned() }
    }
}

impl From<NoAccount> for Refusal {
    fn from(error: NoAccount) -> Self {
        Self::bad(&error.to_string())
    }
}

struct Parameters(Vec<(String, String)>);

impl Parameters {
    fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    fn cents(&self, name: &str) -> Result<i64, Refusal> {
        bank::parse_cents(self.text(name)).ok_or_else(|| Refusal::bad(&format!("{name} is not an amount")))
    }
}

fn place(method: &Method, segments: &[&str]) -> Place {
    match segments {
        _ if method != Method::GET => Place::Submit,
        ["customers", _, "accounts"] => Place::Accounts,
        [_, _, "transactions", ..] | ["transactions", ..] => Place::Transactions,
        _ => Place::Account,
    }
}

fn delay(app: &App, place: Place) -> Duration {
    match place {
        Place::Accounts => app.delays.accounts,
        Place::Transactions => app.delays.transactions,
        Place::Submit => app.delays.submit,
        _ => app.delays.account,
    }
}

fn read(bank: &Bank, segments: &[&str]) -> Result<Reply, Refusal> {
    let value = match segments {
        ["customers", id] => customer_json(customer(bank, id)?),
        ["customers", id, "accounts"] => {
            let id = customer(bank, id)?.id;
            bank.accounts_of(id).map(account_json).collect()
        }
        ["accounts", id] => account_json(bank.account(id)?),
        ["accounts", id, "transactions", rest @ ..] => {
            let account = bank.account(id)?.id;
            let wanted = filter(rest)?;
            bank.transactions_of(account).filter(|t| wanted(t)).map(transaction_json).collect()
        }
        ["transactions", id] => {
            id.parse().ok().and_then(|id| bank.transaction(id)).map(transaction_json).ok_or_else(|| Refusal {
                status: StatusCode::NOT_FOUND,
                text: format!("Could not find transaction # {id}"),
            })?
        }
        _ => return Err(Refusal::no_such_call()),
    };
    Ok(Reply::Json(value))
}

type Filter<'a> = Box<dyn Fn(&Transaction) -> bool + 'a>;

/// Which transactions of an account are meant by the rest of the path.
fn filter<'a>(rest: &[&'a str]) -> Result<Filter<'a>, Refusal> {
    Ok(match *rest {
        [] => Box::new(|_| true),
        ["month", month, "type", kind] => Box::new(move |t| {
            (month == "All" || t.date.month().to_string() == month) && (kind == "All" || t.direction.name() == kind)
        }),
        ["onDate", day] => {
            let day = date(day)?;
            Box::new(move |t| t.date == day)
        }
        ["fromDate", first, "toDate", last] => {
            let days = date(first)?..=date(last)?;
            Box::new(move |t| days.contains(&t.date))
        }
        ["amount", amount] => {
            let cents = bank::parse_cents(amount).ok_or_else(|| Refusal::bad("Invalid amount"))?;
            Box::new(move |t| t.cents == cents)
        }
        _ => return Err(Refusal::no_such_call()),
    })
}

fn write(bank: &mut Bank, segments: &[&str], parameters: &Parameters, body: &[u8]) -> Result<Reply, Refusal> {
    match segments {
        ["transfer"] => {
            let cents = parameters.cents("amount")?;
            let (from, to) = (parameters.text("fromAccountId"), parameters.text("toAccountId"));
            bank.transfer(from, to, cents)?;
            Ok(Reply::Text(format!("{} moved from account #{from} to account #{to}", bank::print_cents(cents))))
        }
        ["billpay"] => {
            let payee: Payee = parse(body)?;
            let cents = parameters.cents("amount")?;
            let from = parameters.text("accountId");
            bank.pay_bill(from, &payee.name, cents)?;
            Ok(Reply::Json(json!({
                "payeeName": payee.name, "amount": units(cents), "accountId": from,
            })))
        }
        ["createAccount"] => {
            let kind = match parameters.text("newAccountType") {
                "0" => AccountKind::Checking,
                "1" => AccountKind::Savings,
                _ => return Err(Refusal::bad("newAccountType is not 0 or 1")),
            };
            let owner = customer(bank, parameters.text("customerId"))?.id;
            let id = bank.open_account(owner, kind, parameters.text("fromAccountId"))?;
            Ok(Reply::Json(account_json(bank.account(&id.to_string())?)))
        }
        ["requestLoan"] => {
            let owner = customer(bank, parameters.text("customerId"))?.id;
            let decision = bank.request_loan(
                owner,
                parameters.cents("amount")?,
                parameters.cents("downPayment")?,
                parameters.text("fromAccountId"),
            )?;
            let (approved, message, account) = match decision {
                Loan::Approved { account } => (true, None, Some(account)),
                Loan::Denied { reason } => (false, Some(reason), None),
            };
            Ok(Reply::Json(json!({
                "responseDate": milliseconds(TODAY), "loanProviderName": "Meridian Loan Desk",
                "approved": approved, "message": message, "accountId": account,
            })))
        }
        ["customers", "update", id] => {
            let profile: Profile = parse(body)?;
            let id = customer(bank, id)?.id;
            if let Some(customer) = bank.customer_mut(id) {
                customer.first_name = profile.first_name;
                customer.last_name = profile.last_name;
                customer.street = profile.address.street;
                customer.city = profile.address.city;
                customer.state = profile.address.state;
                customer.zip_code = profile.address.zip_code;
                customer.phone_number = profile.phone_number;
            }
            Ok(Reply::Text("The profile is updated.".to_owned()))
        }
        _ => Err(Refusal::no_such_call()),
    }
}

#[derive(Deserialize)]
struct Payee {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    first_name: String,
    last_name: String,
    phone_number: String,
    address: Address,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Address {
    street: String,
    city: String,
    state: String,
    zip_code: String,
}

fn parse<T: for<'a> Deserialize<'a>>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| Refusal::bad(&error.to_string()))
}

fn customer<'a>(bank: &'a Bank, id: &str) -> Result<&'a Customer, Refusal> {
    id.parse()
        .ok()
        .and_then(|id| bank.customer(id))
        .ok_or_else(|| Refusal::bad(&format!("Could not find customer # {id}")))
}

fn date(text: &str) -> Result<Date, Refusal> {
    bank::parse_date(text).ok_or_else(|| Refusal::bad("Invalid date format"))
}

fn account_json(account: &Account) -> Value {
    json!({
        "id": account.id, "customerId": account.customer,
        "type": account.kind.name(), "balance": units(account.cents),
    })
}

fn transaction_json(transaction: &Transaction) -> Value {
    json!({
        "id": transaction.id, "accountId": transaction.account,
        "type": transaction.direction.name(), "date": milliseconds(transaction.date),
        "amount": units(transaction.cents), "description": transaction.description,
    })
}

fn customer_json(customer: &Customer) -> Value {
    json!({
        "id": customer.id, "firstName": customer.first_name, "lastName": customer.last_name,
        "address": {
            "street": customer.street, "city": customer.city,
            "state": customer.state, "zipCode": customer.zip_code,
        },
        "phoneNumber": customer.phone_number, "ssn": customer.ssn,
    })
}

/// The number of dollars, exact as far as pages print it.
fn units(cents: i64) -> f64 {
    cents as f64 / 100.0
}

fn milliseconds(date: Date) -> i64 {
    date.with_time(Time::MIDNIGHT).assume_utc().unix_timestamp() * 1000
}
