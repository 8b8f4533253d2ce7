//! The JSON service behind the pages: data, money that moves, refusals.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use waymark_fixture_apps::{Delays, Options, serve_parabank};

use crate::Outcome;
use crate::client::{Client, bank, john};

const BANK: &str = "/parabank/services_proxy/bank";

async fn balance(client: &mut Client, account: u32) -> Result<f64, Box<dyn std::error::Error>> {
    let answer = client.get(&format!("{BANK}/accounts/{account}")).await?;
    Ok(answer.json()?["balance"].as_f64().ok_or("no balance")?)
}

async fn transactions(client: &mut Client, rest: &str) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    let answer = client.get(&format!("{BANK}/accounts/{rest}")).await?;
    assert_eq!(answer.status, 200, "{rest}");
    Ok(serde_json::from_str(&answer.body)?)
}

#[tokio::test]
async fn without_a_session_every_call_is_401_with_a_basic_challenge() -> Outcome {
    let (_running, mut client) = bank().await?;
    for (method, call) in [
        ("GET", "customers/12212/accounts"),
        ("GET", "accounts/12345"),
        ("GET", "nothing"),
        ("POST", "transfer?fromAccountId=12345&toAccountId=12456&amount=1"),
    ] {
        let answer = client.send(method, &format!("{BANK}/{call}"), "", "").await?;
        assert_eq!(answer.status, 401, "{call}");
        assert!(answer.header("www-authenticate").is_some_and(|h| h.starts_with("Basic")));
    }
    Ok(())
}

#[tokio::test]
async fn john_has_his_eleven_accounts() -> Outcome {
    let (_running, mut client) = john().await?;
    let accounts = client.get(&format!("{BANK}/customers/12212/accounts")).await?.json()?;
    let rows: Vec<(u64, f64, &str)> = accounts
        .as_array()
        .ok_or("no list")?
        .iter()
        .map(|a| {
            assert_eq!(a["customerId"], 12212);
            (
                a["id"].as_u64().unwrap_or_default(),
                a["balance"].as_f64().unwrap_or(f64::NAN),
                a["type"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            (12345, -2300.0, "CHECKING"),
            (12456, 10.45, "CHECKING"),
            (12567, 100.0, "CHECKING"),
            (12678, -100.0, "SAVINGS"),
            (12789, 100.0, "CHECKING"),
            (12900, 0.0, "CHECKING"),
            (13011, 100.0, "CHECKING"),
            (13122, 1100.0, "CHECKING"),
            (13233, 100.0, "CHECKING"),
            (13344, 1231.1, "SAVINGS"),
            (54321, 1351.12, "CHECKING"),
        ]
    );
    Ok(())
}

#[tokio::test]
async fn the_other_customer_has_one_account() -> Outcome {
    let (_running, mut client) = bank().await?;
    client.post("/parabank/login.htm", "username=parasoft&password=demo").await?;
    let accounts = client.get(&format!("{BANK}/customers/12323/accounts")).await?.json()?;
    assert_eq!(accounts, json!([{"id": 13455, "customerId": 12323, "type": "CHECKING", "balance": 2014.76}]));
    Ok(())
}

#[tokio::test]
async fn months_and_types_filter_the_transactions() -> Outcome {
    let (_running, mut client) = john().await?;
    for (month, kind, count) in [
        ("All", "All", 5),
        ("December", "All", 2),
        ("December", "Credit", 1),
        ("December", "Debit", 1),
        ("All", "Credit", 1),
        ("All", "Debit", 4),
        ("March", "All", 0),
    ] {
        let path = format!("12345/transactions/month/{month}/type/{kind}");
        assert_eq!(transactions(&mut client, &path).await?.len(), count, "{month} {kind}");
    }
    let all = transactions(&mut client, "12345/transactions/month/All/type/All").await?;
    assert_eq!(all[0]["description"], "Check # 1111");
    assert_eq!(all[0]["type"], "Credit");
    assert_eq!(all[0]["amount"], 300.0);
    assert_eq!(all[2]["description"], "Bill Payment to Bank of America Visa");
    Ok(())
}

#[tokio::test]
async fn a_transfer_moves_the_money_and_is_booked_on_both_accounts() -> Outcome {
    let (_running, mut client) = john().await?;
    let call = format!("{BANK}/transfer?fromAccountId=13122&toAccountId=12456&amount=100.05");
    assert_eq!(client.send("POST", &call, "", "").await?.status, 200);
    assert_eq!(balance(&mut client, 13122).await?, 999.95);
    assert_eq!(balance(&mut client, 12456).await?, 110.5);
    for (account, kind, text) in [(13122, "Debit", "Funds Transfer Sent"), (12456, "Credit", "Funds Transfer Received")]
    {
        let path = format!("{account}/transactions/onDate/09-14-2026");
        let booked = transactions(&mut client, &path).await?;
        assert_eq!(booked.len(), 1);
        assert_eq!(booked[0]["type"], kind);
        assert_eq!(booked[0]["description"], text);
        assert_eq!(booked[0]["amount"], 100.05);
    }
    Ok(())
}

#[tokio::test]
async fn a_refused_transfer_moves_nothing() -> Outcome {
    let (_running, mut client) = john().await?;
    for query in [
        "fromAccountId=13122&toAccountId=12456&amount=",
        "fromAccountId=13122&toAccountId=12456&amount=ten",
        "fromAccountId=13122&toAccountId=12456&amount=1,000",
        "fromAccountId=13122&toAccountId=99999&amount=10",
        "fromAccountId=&toAccountId=12456&amount=10",
        "amount=10",
    ] {
        let answer = client.send("POST", &format!("{BANK}/transfer?{query}"), "", "").await?;
        assert_eq!(answer.status, 400, "{query}");
    }
    assert_eq!(balance(&mut client, 13122).await?, 1100.0);
    assert_eq!(balance(&mut client, 12456).await?, 10.45);
    Ok(())
}

#[tokio::test]
async fn a_transfer_is_not_made_by_reading() -> Outcome {
    let (_running, mut client) = john().await?;
    let call = format!("{BANK}/transfer?fromAccountId=13122&toAccountId=12456&amount=10");
    assert_eq!(client.get(&call).await?.status, 404);
    assert_eq!(balance(&mut client, 13122).await?, 1100.0);
    Ok(())
}

#[tokio::test]
async fn a_bill_is_paid_from_the_account() -> Outcome {
    let (_running, mut client) = john().await?;
    let call = format!("{BANK}/billpay?accountId=13122&amount=25.50");
    let payee = json!({"name": "Gas & Light", "accountNumber": "77"}).to_string();
    let answer = client.send("POST", &call, "Content-Type: application/json\r\n", &payee).await?;
    assert_eq!(answer.json()?, json!({"payeeName": "Gas & Light", "amount": 25.5, "accountId": "13122"}));
    assert_eq!(balance(&mut client, 13122).await?, 1074.5);
    let booked = transactions(&mut client, "13122/transactions/amount/25.50").await?;
    assert_eq!(booked[0]["description"], "Bill Payment to Gas & Light");
    assert_eq!(client.send("POST", &call, "", "no json").await?.status, 400);
    Ok(())
}

#[tokio::test]
async fn a_new_account_gets_its_first_hundred_from_another() -> Outcome {
    let (_running, mut client) = john().await?;
    let call = format!("{BANK}/createAccount?customerId=12212&newAccountType=1&fromAccountId=13122");
    let account = client.send("POST", &call, "", "").await?.json()?;
    assert_eq!(account["type"], "SAVINGS");
    assert_eq!(account["balance"], 100.0);
    assert_eq!(balance(&mut client, 13122).await?, 1000.0);
    let all = client.get(&format!("{BANK}/customers/12212/accounts")).await?.json()?;
    assert_eq!(all.as_array().map(Vec::len), Some(12));
    Ok(())
}

#[tokio::test]
async fn a_loan_is_granted_or_denied_with_a_reason() -> Outcome {
    let (_running, mut client) = john().await?;
    for (amount, down, from, approved, message) in [
        ("1000", "100", 13122, true, Value::Null),
        ("1000", "5000", 13122, false, json!("You do not have sufficient funds for the given down payment.")),
        ("9000000", "100", 13122, false, json!("We cannot grant a loan in that amount with your available funds.")),
    ] {
        let call =
            format!("{BANK}/requestLoan?customerId=12212&amount={amount}&downPayment={down}&fromAccountId={from}");
        let answer = client.send("POST", &call, "", "").await?.json()?;
        assert_eq!(answer["approved"], approved, "{amount}");
        assert_eq!(answer["message"], message, "{amount}");
        assert_eq!(answer["accountId"].is_null(), !approved, "{amount}");
    }
    assert_eq!(balance(&mut client, 13122).await?, 1000.0);
    Ok(())
}

#[tokio::test]
async fn transactions_are_found_by_id_date_range_and_amount() -> Outcome {
    let (_running, mut client) = john().await?;
    let found = client.get(&format!("{BANK}/transactions/14143")).await?.json()?;
    assert_eq!(found["description"], "Check # 1111");
    assert_eq!(client.get(&format!("{BANK}/transactions/1")).await?.status, 404);
    for (rest, count) in [
        ("onDate/12-11-2025", 1),
        ("onDate/12-13-2025", 0),
        ("fromDate/12-01-2025/toDate/01-31-2026", 3),
        ("amount/1000", 2),
        ("amount/3", 0),
    ] {
        let path = format!("12345/transactions/{rest}");
        assert_eq!(transactions(&mut client, &path).await?.len(), count, "{rest}");
    }
    let bad = client.get(&format!("{BANK}/accounts/12345/transactions/onDate/2025-12-11")).await?;
    assert_eq!(bad.status, 400);
    Ok(())
}

#[tokio::test]
async fn an_unknown_account_is_refused_with_a_sentence() -> Outcome {
    let (_running, mut client) = john().await?;
    let answer = client.get(&format!("{BANK}/accounts/99999")).await?;
    assert_eq!((answer.status, answer.body.as_str()), (400, "Could not find account # 99999"));
    Ok(())
}

#[tokio::test]
async fn a_profile_is_changed_and_keeps_what_is_not_in_the_form() -> Outcome {
    let (_running, mut client) = john().await?;
    let body = json!({
        "firstName": "Johnny", "lastName": "Smith", "phoneNumber": "1",
        "address": {"street": "2 Side St", "city": "C", "state": "S", "zipCode": "Z"},
    });
    let call = format!("{BANK}/customers/update/12212");
    assert_eq!(client.send("POST", &call, "", &body.to_string()).await?.status, 200);
    let customer = client.get(&format!("{BANK}/customers/12212")).await?.json()?;
    assert_eq!(customer["firstName"], "Johnny");
    assert_eq!(customer["address"]["street"], "2 Side St");
    assert_eq!(customer["ssn"], "622-11-9999");
    assert!(client.get("/parabank/overview.htm").await?.has("Welcome</b> Johnny Smith"));
    Ok(())
}

#[tokio::test]
async fn an_answer_takes_the_time_it_was_given() -> Outcome {
    let delays = Delays { transactions: Duration::from_millis(300), ..Delays::none() };
    let running = serve_parabank(Options { delays, ..Options::default() }).await?;
    let mut client = Client::new(&running);
    client.post("/parabank/login.htm", "username=john&password=demo").await?;
    let start = Instant::now();
    transactions(&mut client, "12345/transactions/month/All/type/All").await?;
    assert!(start.elapsed() >= Duration::from_millis(300));
    assert!(Delays::default().transactions >= Duration::from_millis(100));
    assert!(Delays::default().accounts > Duration::ZERO);
    Ok(())
}
