//! The HTML pages: what each address answers.

use axum::http::StatusCode;

use super::Site;
use super::bank;
use super::forms;
use super::view::{Page, template};
use super::visit::Visit;
use crate::markup::escape;
use crate::server::random_hex;

/// One request for a page.
pub struct Ask<'a> {
    pub visit: &'a Visit,
    /// Path with the context, without path parameters.
    pub path: &'a str,
    pub query: Vec<(String, String)>,
    pub form: Vec<(String, String)>,
    pub is_post: bool,
}

impl Ask<'_> {
    /// A field of the form, without surrounding space; empty where it is missing.
    pub fn field(&self, name: &str) -> &str {
        value(&self.form, name).map(str::trim).unwrap_or_default()
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        value(&self.query, name)
    }
}

pub enum Answer {
    Show(Page),
    /// The error view with a status of its own.
    Fail(StatusCode, &'static str),
    /// Redirect to a path below the context.
    GoTo(String),
    /// The login form at the address that was asked for.
    LogInFirst,
    NotFound,
}

pub fn answer(site: &mut Site, ask: &Ask) -> Answer {
    let name = match ask.path {
        "/" | "/parabank" | "/parabank/" | "/parabank/index.jsp" => {
            return Answer::GoTo("/index.htm".to_owned());
        }
        path => path.strip_prefix("/parabank/").unwrap_or_default(),
    };
    match name {
        "index.htm" => fixed("Welcome | Online Banking", template::INDEX),
        "login.htm" => log_in(site, ask),
        "logout.htm" => {
            site.sessions.end(&ask.visit.session);
            Answer::GoTo("/index.htm".to_owned())
        }
        "about.htm" => fixed("About Us", template::ABOUT),
        "services.htm" => fixed("Services", template::SERVICES),
        "products.htm" => fixed("Products", template::PRODUCTS),
        "locations.htm" => fixed("Locations", template::LOCATIONS),
        "forum.htm" => fixed("Forum", template::FORUM),
        "sitemap.htm" => fixed("Site Map", template::SITE_MAP),
        "admin.htm" => fixed("Administration", template::ADMIN),
        "error.htm" => Answer::Show(Page::error(INTERNAL_ERROR)),
        "register.htm" => forms::register(site, ask),
        "lookup.htm" => forms::look_up(site, ask),
        "contact.htm" => forms::contact(ask),
        _ => protected(site, ask, name),
    }
}

pub const INTERNAL_ERROR: &str = "An internal error has occurred and has been logged.";

fn protected(site: &Site, ask: &Ask, name: &str) -> Answer {
    const NAMES: [&str; 9] = [
        "overview.htm",
        "activity.htm",
        "transaction.htm",
        "transfer.htm",
        "billpay.htm",
        "openaccount.htm",
        "findtrans.htm",
        "requestloan.htm",
        "updateprofile.htm",
    ];
    if !NAMES.contains(&name) {
        return Answer::NotFound;
    }
    let Some(customer) = ask.visit.customer else {
        return Answer::LogInFirst;
    };
    let id = customer.to_string();
    let own = [("customer", id.as_str())];
    Answer::Show(match name {
        "overview.htm" => Page::new("Accounts Overview", template::OVERVIEW, &own),
        "activity.htm" => activity(site, ask),
        "transaction.htm" => transaction(site, ask),
        "transfer.htm" => Page::new("Transfer Funds", template::TRANSFER, &own),
        "billpay.htm" => bill_pay(site, customer),
        "openaccount.htm" => Page::new("Open Account", template::OPEN_ACCOUNT, &own),
        "findtrans.htm" => Page::new("Find Transactions", template::FIND_TRANSACTIONS, &own),
        "requestloan.htm" => Page::new("Loan Request", template::REQUEST_LOAN, &own),
        _ => Page::new("Update Profile", template::UPDATE_PROFILE, &own),
    })
}

fn fixed(title: &str, template: &str) -> Answer {
    Answer::Show(Page::new(title, template, &[]))
}

fn log_in(site: &mut Site, ask: &Ask) -> Answer {
    let (username, password) = (ask.field("username"), ask.field("password"));
    if username.is_empty() || password.is_empty() {
        return Answer::Show(Page::error("Please enter a username and password."));
    }
    let Some(customer) = site.bank.sign_on(username, password) else {
        return Answer::Show(Page::error("The username and password could not be verified."));
    };
    site.sessions.log_in(&ask.visit.session, customer.id);
    let forward = ask.field("forwardAction");
    // The target stays below the context, so a forged field cannot lead elsewhere.
    Answer::GoTo(if forward.starts_with('/') { forward.to_owned() } else { "/overview.htm".to_owned() })
}

fn activity(site: &Site, ask: &Ask) -> Page {
    let Some(id) = ask.parameter("id").filter(|id| !id.is_empty()) else {
        return Page::error("Missing account #");
    };
    match site.bank.account(id) {
        Ok(account) => Page::new(
            "Account Activity",
            template::ACTIVITY,
            &[("account", &account.id.to_string()), ("!months", &months())],
        ),
        Err(error) => Page::error(&error.to_string()),
    }
}

fn transaction(site: &Site, ask: &Ask) -> Page {
    let Some(id) = ask.parameter("id").filter(|id| !id.is_empty()) else {
        return Page::error("Missing transaction #");
    };
    let Some(transaction) = id.parse().ok().and_then(|id| site.bank.transaction(id)) else {
        return Page::error(&format!("Could not find transaction # {id}"));
    };
    Page::new(
        "Transaction Details",
        template::TRANSACTION,
        &[
            ("id", &transaction.id.to_string()),
            ("date", &bank::print_date(transaction.date)),
            ("description", &transaction.description),
            ("type", transaction.direction.name()),
            ("amount", &bank::print_cents(transaction.cents)),
        ],
    )
}

fn bill_pay(site: &Site, customer: u32) -> Page {
    let accounts: String = site.bank.accounts_of(customer).map(|account| option(&account.id.to_string())).collect();
    // Without random numbers there would have been no session either.
    let phone = random_hex().map(uuid_shaped).unwrap_or_default();
    Page::new("Bill Pay", template::BILLPAY, &[("!accounts", &accounts), ("phone", &phone)])
}

fn months() -> String {
    std::iter::once("All".to_owned())
        .chain(
            std::iter::successors(Some(time::Month::January), |month| {
                Some(month.next()).filter(|next| *next != time::Month::January)
            })
            .map(|month| month.to_string()),
        )
        .map(|month| option(&month))
        .collect()
}

fn option(value: &str) -> String {
    let value = escape(value);
    format!(r#"<option value="{value}">{value}</option>"#)
}

fn uuid_shaped(hex: String) -> String {
    let mut uuid = hex;
    for at in [20, 16, 12, 8] {
        uuid.insert(at, '-');
    }
    uuid
}

fn value<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
