//! The main control of each page, and how a fault changes it.

use crate::faults::Place;

/// A control as it stands in the page, and what a fault puts in its place.
pub struct Control {
    pub markup: String,
    pub missing: String,
    pub renamed: String,
    pub twice: String,
    /// What a press on it is known by; empty where it is no button.
    pub selector: &'static str,
}

impl Control {
    pub fn of(place: Place) -> Option<Self> {
        let (kind, name, other, selector) = match place {
            Place::Index | Place::Login => ("submit", "Log In", "Enter", "form[name=login] input[type=submit]"),
            Place::Overview => return Some(account_link()),
            Place::Activity => ("submit", "Go", "Show", "#activityForm input[type=submit]"),
            Place::Transfer => ("submit", "Transfer", "Move Money", "#transferForm input[type=submit]"),
            Place::BillPay => ("button", "Send Payment", "Pay Now", "#billpayForm input[type=button]"),
            Place::OpenAccount => {
                ("button", "Open New Account", "Create Account", "#openAccountForm input[type=button]")
            }
            Place::FindTransactions => return Some(find_by_id()),
            Place::RequestLoan => ("button", "Apply Now", "Ask For Loan", "#requestLoanForm input[type=button]"),
            Place::UpdateProfile => {
                ("button", "Update Profile", "Save Changes", "#updateProfileForm input[type=button]")
            }
            Place::Register => ("submit", "Register", "Sign Up Now", "#customerForm input[type=submit]"),
            Place::Lookup => ("submit", "Find My Login Info", "Look It Up", "#lookupForm input[type=submit]"),
            Place::Contact => ("submit", "Send to Customer Care", "Post Message", "#contactForm input[type=submit]"),
            _ => return None,
        };
        let button = |name: &str| format!(r#"<input type="{kind}" class="button" value="{name}"/>"#);
        Some(Self::new(button(name), button(other), selector))
    }

    fn new(markup: String, renamed: String, selector: &'static str) -> Self {
        Self { twice: format!("{markup} {markup}"), missing: String::new(), markup, renamed, selector }
    }
}

/// The first of four buttons of the same name.
fn find_by_id() -> Control {
    let button = |name: &str| format!(r#"<button type="submit" class="button" id="findById">{name}</button>"#);
    Control::new(button("Find Transactions"), button("Look Up"), "#findById")
}

/// The line of the script that makes the link of an account. Missing is the link, not the number;
/// twice is the whole row. Another name would be another number, so there is none.
fn account_link() -> Control {
    let markup = r#"bank.link(row.insertCell(), "activity.htm?id=" + account.id, account.id);"#;
    Control {
        markup: markup.to_owned(),
        missing: "row.insertCell().textContent = account.id;".to_owned(),
        renamed: markup.to_owned(),
        twice: format!("{markup} bank.repeat(row);"),
        selector: "",
    }
}
