//! HTML from the templates of `fixtures/apps/parabank`.
//!
//! A local address is written `~/page.htm`; the session's path parameter is put into it where the
//! cookie is not known yet.

use super::bank::Customer;
use super::visit::Visit;
use crate::markup::{escape, fill};
use crate::oracle;

/// One page: what stands after "ParaBank | " in the title, and the right-hand panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub title: String,
    pub content: String,
}

impl Page {
    pub fn new(title: &str, template: &str, values: &[(&str, &str)]) -> Self {
        Self { title: title.to_owned(), content: fill(template, values) }
    }

    /// The error view: one heading, one sentence.
    pub fn error(message: &str) -> Self {
        Self::new("Error", template::ERROR, &[("message", message)])
    }
}

/// The whole document. `forward` is where the login form of a protected page leads back to.
pub fn document(page: &Page, visit: &Visit, customer: Option<&Customer>, forward: Option<&str>) -> String {
    let (panel, onload) = match customer {
        Some(customer) => {
            (fill(template::NAV, &[("name", &format!("{} {}", customer.first_name, customer.last_name))]), "")
        }
        None => (
            fill(template::LOGIN, &[("!forward", &forward.map(forward_field).unwrap_or_default())]),
            r#" onload="document.login.username.focus()""#,
        ),
    };
    let html = fill(
        template::SHELL,
        &[
            ("title", &page.title),
            ("!onload", onload),
            ("!listener", oracle::TAG),
            ("!panel", &panel),
            ("!content", &page.content),
        ],
    );
    with_session(&html, &visit.suffix())
}

pub mod template {
    macro_rules! template {
        ($($constant:ident $file:literal)*) => {
            $(pub const $constant: &str =
                include_str!(concat!("../../../../fixtures/apps/parabank/", $file));)*
        };
    }

    template!(
        SHELL "shell.html"
        LOGIN "login.html"
        NAV "nav.html"
        ERROR "error.html"
        LOGIN_FORM "login_form.html"
        INDEX "index.html"
        OVERVIEW "overview.html"
        ACTIVITY "activity.html"
        TRANSACTION "transaction.html"
        TRANSFER "transfer.html"
        BILLPAY "billpay.html"
        OPEN_ACCOUNT "openaccount.html"
        FIND_TRANSACTIONS "findtrans.html"
        REQUEST_LOAN "requestloan.html"
        UPDATE_PROFILE "updateprofile.html"
        REGISTER "register.html"
        REGISTERED "registered.html"
        LOOKUP "lookup.html"
        LOOKED_UP "lookedup.html"
        CONTACT "contact.html"
        CONTACTED "contacted.html"
        ABOUT "about.html"
        SERVICES "services.html"
        PRODUCTS "products.html"
        LOCATIONS "locations.html"
        FORUM "forum.html"
        SITE_MAP "sitemap.html"
        ADMIN "admin.html"
        NOTICE "notice.html"
        ALERT "alert.html"
        SURVEY "survey.html"
        STYLE "bank.css"
        SCRIPT "bank.js"
    );
}

fn forward_field(forward: &str) -> String {
    format!(r#"<input type="hidden" name="forwardAction" value="{}"/>"#, escape(forward))
}

fn with_session(html: &str, suffix: &str) -> String {
    let mut parts = html.split("\"~/");
    let mut linked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(['?', '#', '"']).unwrap_or(part.len());
        let (path, rest) = part.split_at(end);
        linked.push('"');
        linked.push_str(path);
        linked.push_str(suffix);
        linked.push_str(rest);
    }
    linked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_goes_before_the_query() {
        assert_eq!(
            with_session(r#"<a href="~/a.htm?id=1"> <a href="~/b.htm">"#, ";jsessionid=S"),
            r#"<a href="a.htm;jsessionid=S?id=1"> <a href="b.htm;jsessionid=S">"#
        );
    }
}
