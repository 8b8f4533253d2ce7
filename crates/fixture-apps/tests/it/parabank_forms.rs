//! The forms that the server itself answers.

use crate::Outcome;
use crate::client::{bank, between};

const ANNA: &str = "customer.firstName=Anna&customer.lastName=Berg&customer.address.street=1+Elm\
    &customer.address.city=Town&customer.address.state=TX&customer.address.zipCode=75001\
    &customer.phoneNumber=&customer.ssn=000-00-0001&customer.username=anna\
    &customer.password=secret&repeatedPassword=secret";

#[tokio::test]
async fn registering_makes_a_customer_who_is_logged_in() -> Outcome {
    let (_running, mut client) = bank().await?;
    let form = client.get("/parabank/register.htm").await?;
    assert!(form.has("<h1 class=\"title\">Signing up is easy!</h1>"));
    assert!(form.has("id=\"customer.address.street\""));
    assert!(!form.has("is required."));
    let answer = client.post("/parabank/register.htm", ANNA).await?;
    assert_eq!(answer.title(), "ParaBank | Customer Created");
    assert!(answer.has("Welcome anna"));
    assert!(answer.has("<b>Welcome</b> Anna Berg"));
    assert!(client.get("/parabank/overview.htm").await?.has("Accounts Overview"));
    let again = client.post("/parabank/register.htm", ANNA).await?;
    assert!(again.has("This username already exists."));
    Ok(())
}

#[tokio::test]
async fn an_incomplete_registration_says_which_fields_are_missing() -> Outcome {
    let (_running, mut client) = bank().await?;
    let form = ANNA
        .replace("customer.ssn=000-00-0001", "customer.ssn=")
        .replace("repeatedPassword=secret", "repeatedPassword=other");
    let answer = client.post("/parabank/register.htm", &form).await?;
    let wrong = |id: &str| between(&answer.body, &format!("id=\"{id}.errors\" class=\"error\">"), "<");
    assert_eq!(wrong("customer.ssn"), "Social Security Number is required.");
    assert_eq!(wrong("repeatedPassword"), "Passwords did not match.");
    assert_eq!(wrong("customer.firstName"), "");
    assert!(answer.has("id=\"customer.firstName\" name=\"customer.firstName\" class=\"input\" value=\"Anna\""));
    assert!(!answer.has("value=\"secret\""));
    assert!(answer.has("<h2>Customer Login</h2>"));
    Ok(())
}

#[tokio::test]
async fn a_forgotten_login_is_found_by_exact_data_only() -> Outcome {
    let (_running, mut client) = bank().await?;
    let form = "firstName=John&lastName=Smith&address.street=1431+Main+St&address.city=Beverly+Hills\
        &address.state=CA&address.zipCode=90210&ssn=622-11-9999";
    let wrong = form.replace("622", "623");
    let answer = client.post("/parabank/lookup.htm", &wrong).await?;
    assert!(answer.has("The customer information provided could not be found."));
    let answer = client.post("/parabank/lookup.htm", form).await?;
    assert!(answer.has("<b>Username</b>: john"));
    assert!(answer.has("<b>Welcome</b> John Smith"));
    Ok(())
}

#[tokio::test]
async fn a_message_to_customer_care_is_thanked_for() -> Outcome {
    let (_running, mut client) = bank().await?;
    let empty = client.post("/parabank/contact.htm", "name=&email=a&phone=1&message=x").await?;
    assert!(empty.has("Name is required."));
    let sent = client.post("/parabank/contact.htm", "name=Al+%3Cb%3E&email=a&phone=1&message=x").await?;
    assert!(sent.has("Thank you Al &lt;b&gt;"));
    Ok(())
}
