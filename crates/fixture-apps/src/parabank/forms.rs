//! The forms that the server itself answers: register, lookup of a forgotten login, contact.

use super::Site;
use super::bank::Customer;
use super::pages::{Answer, Ask};
use super::view::{Page, template};

pub fn register(site: &mut Site, ask: &Ask) -> Answer {
    let mut complaints = missing(ask, REGISTER);
    if ask.is_post {
        let (username, password) = (ask.field("customer.username"), ask.field("customer.password"));
        if site.bank.has_username(username) {
            complaints.push(("customer.username", "This username already exists.".to_owned()));
        }
        if !ask.field("repeatedPassword").is_empty() && ask.field("repeatedPassword") != password {
            complaints.push(("repeatedPassword", "Passwords did not match.".to_owned()));
        }
    }
    if !ask.is_post || !complaints.is_empty() {
        return again(ask, "Register for Free Online Account Access", template::REGISTER, REGISTER, &complaints);
    }
    let text = |name: &str| ask.field(name).to_owned();
    let username = text("customer.username");
    let id = site.bank.register(Customer {
        id: 0,
        username: username.clone(),
        password: text("customer.password"),
        first_name: text("customer.firstName"),
        last_name: text("customer.lastName"),
        street: text("customer.address.street"),
        city: text("customer.address.city"),
        state: text("customer.address.state"),
        zip_code: text("customer.address.zipCode"),
        phone_number: text("customer.phoneNumber"),
        ssn: text("customer.ssn"),
    });
    site.sessions.log_in(&ask.visit.session, id);
    Answer::Show(Page::new("Customer Created", template::REGISTERED, &[("username", &username)]))
}

pub fn look_up(site: &mut Site, ask: &Ask) -> Answer {
    const TITLE: &str = "Customer Lookup";
    let complaints = missing(ask, LOOKUP);
    if !ask.is_post || !complaints.is_empty() {
        return again(ask, TITLE, template::LOOKUP, LOOKUP, &complaints);
    }
    let found = site.bank.look_up(|customer| {
        [
            (customer.first_name.as_str(), "firstName"),
            (&customer.last_name, "lastName"),
            (&customer.street, "address.street"),
            (&customer.city, "address.city"),
            (&customer.state, "address.state"),
            (&customer.zip_code, "address.zipCode"),
            (&customer.ssn, "ssn"),
        ]
        .iter()
        .all(|(known, field)| *known == ask.field(field))
    });
    let Some(customer) = found else {
        return Answer::Show(Page::error("The customer information provided could not be found."));
    };
    site.sessions.log_in(&ask.visit.session, customer.id);
    Answer::Show(Page::new(
        TITLE,
        template::LOOKED_UP,
        &[("username", &customer.username), ("password", &customer.password)],
    ))
}

pub fn contact(ask: &Ask) -> Answer {
    const TITLE: &str = "Customer Care";
    let complaints = missing(ask, CONTACT);
    if !ask.is_post || !complaints.is_empty() {
        return again(ask, TITLE, template::CONTACT, CONTACT, &complaints);
    }
    Answer::Show(Page::new(TITLE, template::CONTACTED, &[("name", ask.field("name"))]))
}

/// A field that must be filled: its name and what the page calls it.
type Field = (&'static str, &'static str);

const REGISTER: &[Field] = &[
    ("customer.firstName", "First name"),
    ("customer.lastName", "Last name"),
    ("customer.address.street", "Address"),
    ("customer.address.city", "City"),
    ("customer.address.state", "State"),
    ("customer.address.zipCode", "Zip Code"),
    ("customer.ssn", "Social Security Number"),
    ("customer.username", "Username"),
    ("customer.password", "Password"),
    ("repeatedPassword", "Password confirmation"),
];

const LOOKUP: &[Field] = &[
    ("firstName", "First name"),
    ("lastName", "Last name"),
    ("address.street", "Address"),
    ("address.city", "City"),
    ("address.state", "State"),
    ("address.zipCode", "Zip Code"),
    ("ssn", "Social Security Number"),
];

const CONTACT: &[Field] = &[("name", "Name"), ("email", "Email"), ("phone", "Phone"), ("message", "Message")];

fn missing(ask: &Ask, fields: &[Field]) -> Vec<(&'static str, String)> {
    fields
        .iter()
        .filter(|(name, _)| ask.is_post && ask.field(name).is_empty())
        .map(|(name, shown)| (*name, format!("{shown} is required.")))
        .collect()
}

/// The form with what was typed and what is wrong; passwords are typed anew.
fn again(ask: &Ask, title: &str, template: &str, fields: &[Field], complaints: &[(&'static str, String)]) -> Answer {
    let wrong: Vec<(String, &str)> =
        complaints.iter().map(|(name, text)| (format!("wrong.{name}"), text.as_str())).collect();
    let mut values: Vec<(&str, &str)> = wrong.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    values.extend(
        fields
            .iter()
            .map(|(name, _)| (*name, ask.field(name)))
            .filter(|(name, _)| !name.to_lowercase().contains("password")),
    );
    values.push(("customer.phoneNumber", ask.field("customer.phoneNumber")));
    Answer::Show(Page::new(title, template, &values))
}
