//! What each fault does, and that it does it as often as it was told and nowhere else.

use std::time::Instant;

use waymark_fixture_apps::{Mode, Place};

use crate::Outcome;
use crate::client::{Client, SLOW, faulty_bank, faulty_john, john};

const OVERVIEW: &str = "/parabank/overview.htm";
const ACTIVITY: &str = "/parabank/activity.htm?id=12345";
const ACCOUNTS: &str = "/parabank/services_proxy/bank/customers/12212/accounts";
const TRANSACTIONS: &str = "/parabank/services_proxy/bank/accounts/12345/transactions/month/All/type/All";
const TRANSFER: &str = "/parabank/services_proxy/bank/transfer?fromAccountId=12345&toAccountId=12456&amount=5";
const NOTICE: &str = "Scheduled Maintenance";
const ALERT: &str = "alert(";
const SURVEY: &str = "confirm(";

type Balance = Result<f64, Box<dyn std::error::Error>>;

async fn balance(client: &mut Client) -> Balance {
    let account = client.get("/parabank/services_proxy/bank/accounts/12345").await?.json()?;
    account["balance"].as_f64().ok_or_else(|| "no balance".into())
}

/// Pages of an instance with these faults, and in each how often a text is there.
async fn check(faults: &str, text: &str, expected: &[(&str, usize)]) -> Outcome {
    let (running, mut client) = faulty_john(faults).await?;
    for (number, (page, times)) in expected.iter().enumerate() {
        let answer = client.get(&format!("/parabank/{page}")).await?;
        assert_eq!(answer.status, 200, "{faults} {page}");
        assert_eq!(answer.times(text), *times, "{faults}: {text} in page {number}, {page}");
    }
    assert!(running.faults().iter().all(|fault| fault.count.is_none()), "{:?}", running.faults());
    Ok(())
}

#[tokio::test]
async fn a_notice_covers_the_page_as_often_as_it_is_told() -> Outcome {
    let pages = [("index.htm", 0), ("overview.htm", 1), ("activity.htm?id=12345", 0), ("overview.htm", 0)];
    check("interstitial", NOTICE, &pages).await?;
    let pages = [("overview.htm", 1), ("activity.htm?id=12345", 1), ("overview.htm", 0)];
    check("interstitial:2", NOTICE, &pages).await?;
    let pages = [("overview.htm", 0), ("transfer.htm", 1), ("transfer.htm", 1)];
    check("interstitial:always@transfer", NOTICE, &pages).await?;
    let (_running, mut client) = faulty_john("interstitial").await?;
    let page = client.get(OVERVIEW).await?;
    assert!(page.has(r#"<input type="button" class="button" value="Continue""#));
    assert!(page.has("id=\"accountTable\""), "the page is still there below it");
    Ok(())
}

#[tokio::test]
async fn a_native_dialog_comes_once_with_the_page_and_a_survey_with_the_press() -> Outcome {
    check("native_dialog", ALERT, &[("index.htm", 0), ("overview.htm", 1), ("overview.htm", 0)]).await?;
    check("undeclared_dialog@activity", SURVEY, &[("overview.htm", 0), ("activity.htm?id=12345", 1)]).await?;
    let (_running, mut client) = faulty_john("undeclared_dialog:always").await?;
    let overview = client.get(OVERVIEW).await?;
    assert!(overview.has("var control = \"\";"), "there is no button, so it comes with the page");
    let transfer = client.get("/parabank/transfer.htm").await?;
    assert!(transfer.has("var control = \"#transferForm input[type=submit]\";"));
    Ok(())
}

#[tokio::test]
async fn an_expired_session_shows_the_login_form_and_leads_back_after_it() -> Outcome {
    let (running, mut client) = faulty_john("session_timeout@activity").await?;
    assert!(client.get(OVERVIEW).await?.has("<b>Welcome</b> John Smith"));
    let answer = client.get(ACTIVITY).await?;
    assert_eq!((answer.status, answer.title()), (200, "ParaBank | Log In"));
    assert!(answer.has("You must be logged in to use this feature."));
    assert!(answer.has(r#"name="forwardAction" value="/activity.htm?id=12345""#));
    assert_eq!(client.get(ACCOUNTS).await?.status, 401, "it is gone for the data too");
    let form = "username=john&password=demo&forwardAction=%2Factivity.htm%3Fid%3D12345";
    let back = client.post("/parabank/login.htm", form).await?;
    assert_eq!(back.header("location"), Some("/parabank/activity.htm?id=12345"));
    assert_eq!(client.get(ACTIVITY).await?.title(), "ParaBank | Account Activity");
    assert_eq!(running.log().count_strikes(Mode::SessionTimeout), 1);
    Ok(())
}

#[tokio::test]
async fn a_session_can_expire_under_the_page_and_nothing_is_booked() -> Outcome {
    let (_running, mut client) = faulty_john("session_timeout@transactions").await?;
    assert_eq!(client.get(ACTIVITY).await?.title(), "ParaBank | Account Activity");
    let answer = client.get(TRANSACTIONS).await?;
    assert_eq!(answer.status, 401);
    assert!(answer.header("www-authenticate").is_some_and(|value| value.starts_with("Basic")));
    assert_eq!(client.get(ACTIVITY).await?.title(), "ParaBank | Log In");

    let (running, mut client) = faulty_john("").await?;
    let before = balance(&mut client).await?;
    running.inject(["session_timeout@submit".parse()?])?;
    assert_eq!(client.send("POST", TRANSFER, "", "").await?.status, 401);
    client.post("/parabank/login.htm", "username=john&password=demo").await?;
    assert_eq!(balance(&mut client).await?, before);
    Ok(())
}

#[tokio::test]
async fn where_nobody_is_logged_in_no_session_expires() -> Outcome {
    let (running, mut client) = faulty_bank("session_timeout session_timeout@index").await?;
    client.get("/parabank/index.htm").await?;
    client.get(OVERVIEW).await?;
    assert_eq!(client.get(ACCOUNTS).await?.status, 401);
    assert!(running.log().strikes().is_empty());
    assert_eq!(running.faults().len(), 2);
    Ok(())
}

#[tokio::test]
async fn a_slow_bank_is_late_with_pages_and_what_they_read_but_not_with_what_it_books() -> Outcome {
    let (running, mut client) = faulty_john("slow_load").await?;
    for (path, late) in [
        ("/parabank/index.htm", false),
        (OVERVIEW, true),
        (ACCOUNTS, true),
        (TRANSACTIONS, true),
        ("/parabank/bank.css", false),
    ] {
        let start = Instant::now();
        assert_eq!(client.get(path).await?.status, 200, "{path}");
        assert_eq!(start.elapsed() >= SLOW, late, "{path}");
    }
    let start = Instant::now();
    assert_eq!(client.send("POST", TRANSFER, "", "").await?.status, 200);
    assert!(start.elapsed() < SLOW);
    assert_eq!(running.log().count_strikes(Mode::SlowLoad), 3);
    Ok(())
}

#[tokio::test]
async fn transactions_alone_can_be_late_while_the_page_says_there_are_none() -> Outcome {
    let (running, mut client) = faulty_john("slow_load:1@transactions").await?;
    assert!(client.get(ACTIVITY).await?.has("No transactions found."));
    let start = Instant::now();
    let found = client.get(TRANSACTIONS).await?.json()?;
    assert!(start.elapsed() >= SLOW && found.as_array().is_some_and(|rows| rows.len() == 5));
    let strikes = running.log().strikes();
    assert_eq!(strikes.iter().map(|s| (s.mode, s.place)).collect::<Vec<_>>(), [(Mode::SlowLoad, Place::Transactions)]);
    Ok(())
}

#[tokio::test]
async fn an_instance_that_stops_does_not_wait_for_a_slow_answer() -> Outcome {
    let delays = waymark_fixture_apps::Delays::default();
    let faults = vec!["slow_load@index".parse()?];
    let options = waymark_fixture_apps::Options { delays, faults, ..Default::default() };
    let running = waymark_fixture_apps::serve_parabank(options).await?;
    let mut client = Client::new(&running);
    let log = running.log();
    let asked = tokio::spawn(async move { client.get("/parabank/index.htm").await.map(|a| a.status).ok() });
    assert!(log.wait_for(SLOW * 10, |log| log.count_strikes(Mode::SlowLoad) == 1).await);
    let start = Instant::now();
    running.stop().await;
    assert_eq!(asked.await?, Some(200));
    assert!(start.elapsed() < SLOW * 5);
    Ok(())
}

#[tokio::test]
async fn a_server_error_is_500_with_the_error_view() -> Outcome {
    let (running, mut client) = faulty_john("server_error:2@activity").await?;
    assert_eq!(client.get(OVERVIEW).await?.status, 200);
    for status in [500, 500, 200] {
        let answer = client.get(ACTIVITY).await?;
        assert_eq!(answer.status, status);
        assert_eq!(answer.title() == "ParaBank | Error", status == 500);
        let sentence = r#"<p class="error">An internal error has occurred and has been logged.</p>"#;
        assert_eq!(answer.has(&format!("<h1 class=\"title\">Error!</h1>\n      {sentence}")), status == 500);
    }
    assert_eq!(running.log().count_strikes(Mode::ServerError), 2);
    Ok(())
}

#[tokio::test]
async fn an_error_comes_before_a_booking_or_after_it() -> Outcome {
    for (fault, status, booked) in [
        ("server_error:1@submit", 500, 0.0),
        ("server_error:1@booked", 500, 5.0),
        ("not_authorized:1@submit", 403, 0.0),
        ("session_timeout@booked", 401, 5.0),
    ] {
        let (running, mut client) = john().await?;
        let before = balance(&mut client).await?;
        running.inject([fault.parse()?])?;
        assert_eq!(client.send("POST", TRANSFER, "", "").await?.status, status, "{fault}");
        client.post("/parabank/login.htm", "username=john&password=demo").await?;
        assert_eq!(before - balance(&mut client).await?, booked, "{fault}");
        assert_eq!(running.log().strikes().len(), 1, "{fault}");
    }
    Ok(())
}

#[tokio::test]
async fn what_was_refused_was_not_booked_so_no_fault_comes_after_it() -> Outcome {
    let (running, mut client) = faulty_john("server_error@booked").await?;
    let unknown = "/parabank/services_proxy/bank/transfer?fromAccountId=1&toAccountId=12456&amount=5";
    assert_eq!(client.send("POST", unknown, "", "").await?.status, 400);
    assert!(running.log().strikes().is_empty());
    Ok(())
}

#[tokio::test]
async fn whoever_is_not_entitled_is_told_so() -> Outcome {
    let (_running, mut client) = faulty_john("not_authorized").await?;
    let answer = client.get(ACTIVITY).await?;
    assert_eq!((answer.status, answer.title()), (403, "ParaBank | Error"));
    assert!(answer.has("<p class=\"error\">You are not authorized to use this feature. (Code: BNK-4031)</p>"));
    assert!(answer.has("<b>Welcome</b> John Smith"), "still logged in");
    assert_eq!(client.get("/parabank/index.htm").await?.status, 200);
    Ok(())
}

/// The main control of each page: as it is, and under another name.
const CONTROLS: &[(&str, &str, &str, &str)] = &[
    ("activity", "activity.htm?id=12345", r#"value="Go""#, r#"value="Show""#),
    ("transfer", "transfer.htm", r#"value="Transfer""#, r#"value="Move Money""#),
    ("billpay", "billpay.htm", r#"value="Send Payment""#, r#"value="Pay Now""#),
    ("openaccount", "openaccount.htm", r#"value="Open New Account""#, r#"value="Create Account""#),
    ("findtrans", "findtrans.htm", r#"id="findById">Find"#, r#"id="findById">Look Up"#),
    ("requestloan", "requestloan.htm", r#"value="Apply Now""#, r#"value="Ask For Loan""#),
    ("updateprofile", "updateprofile.htm", r#"value="Update Profile""#, r#"value="Save Changes""#),
    ("register", "register.htm", r#"value="Register""#, r#"value="Sign Up Now""#),
    ("lookup", "lookup.htm", r#"value="Find My Login Info""#, r#"value="Look It Up""#),
    ("contact", "contact.htm", r#"value="Send to Customer Care""#, r#"value="Post Message""#),
];

#[tokio::test]
async fn a_control_is_missing_or_renamed_or_there_twice() -> Outcome {
    for (place, page, name, other) in CONTROLS {
        check(&format!("element_missing:1@{place}"), name, &[(page, 0), (page, 1)]).await?;
        check(&format!("duplicate_control:1@{place}"), name, &[(page, 2), (page, 1)]).await?;
        check(&format!("rename_control:1@{place}"), name, &[(page, 0), (page, 1)]).await?;
        check(&format!("rename_control:1@{place}"), other, &[(page, 1), (page, 0)]).await?;
    }
    Ok(())
}

#[tokio::test]
async fn an_account_has_no_link_or_stands_there_twice() -> Outcome {
    let link = r#"bank.link(row.insertCell(), "activity.htm?id="#;
    check("element_missing:1", link, &[("overview.htm", 0), ("overview.htm", 1)]).await?;
    check("element_missing:1", "row.insertCell().textContent = account.id;", &[("overview.htm", 1)]).await?;
    check("duplicate_control:1", "bank.repeat(row)", &[("overview.htm", 1), ("overview.htm", 0)]).await?;
    Ok(())
}

#[tokio::test]
async fn the_button_of_the_login_form_is_the_control_of_whatever_page_shows_it_instead() -> Outcome {
    let (running, mut client) =
        faulty_bank("element_missing:1@index rename_control:1@login duplicate_control:1@login").await?;
    let button = r#"value="Log In""#;
    assert_eq!(client.get("/parabank/index.htm").await?.times(button), 0);
    let renamed = client.get(OVERVIEW).await?;
    assert_eq!((renamed.times(button), renamed.times(r#"value="Enter""#)), (0, 1));
    let refused = client.post("/parabank/login.htm", "username=john&password=no").await?;
    assert_eq!(refused.times(button), 2);
    assert_eq!(client.post("/parabank/login.htm", "username=john&password=demo").await?.status, 302);
    assert_eq!(running.log().strikes().len(), 3);
    Ok(())
}

#[tokio::test]
async fn a_page_that_does_not_show_the_control_is_not_struck() -> Outcome {
    let (running, mut client) = faulty_john("element_missing:1@index rename_control:1@activity").await?;
    client.get("/parabank/index.htm").await?;
    client.get("/parabank/activity.htm?id=1").await?;
    assert!(running.log().strikes().is_empty());
    Ok(())
}

#[tokio::test]
async fn several_faults_strike_at_once_and_each_is_listed_with_its_request() -> Outcome {
    let (running, mut client) = faulty_john("slow_load:1 interstitial native_dialog rename_control:1").await?;
    running.log().clear();
    client.get("/parabank/about.htm").await?;
    let page = client.get(ACTIVITY).await?;
    assert!(page.has(NOTICE) && page.has(ALERT) && page.has(r#"value="Show""#));
    let strikes = running.log().strikes();
    let modes: Vec<Mode> = strikes.iter().map(|strike| strike.mode).collect();
    assert_eq!(modes, [Mode::SlowLoad, Mode::RenameControl, Mode::Interstitial, Mode::NativeDialog]);
    let number = running.log().requests()[1].number;
    assert!(strikes.iter().all(|s| s.request == number && s.place == Place::Activity));
    assert!(strikes.iter().all(|s| s.path == "/parabank/activity.htm"));
    let told = client.get(&format!("/__oracle/log?key={}", running.key())).await?.json()?;
    assert_eq!(
        (&told["strikes"][1]["mode"], &told["strikes"][1]["place"]),
        (&"rename_control".into(), &"activity".into())
    );
    running.log().clear();
    assert!(running.log().strikes().is_empty());
    Ok(())
}

#[tokio::test]
async fn faults_belong_to_one_instance_and_can_be_taken_away() -> Outcome {
    let (one, mut client) = faulty_john("server_error").await?;
    let (_other, mut stranger) = john().await?;
    assert_eq!(stranger.get(OVERVIEW).await?.status, 200);
    assert_eq!(client.get(OVERVIEW).await?.status, 500);
    one.clear_faults();
    assert_eq!(client.get(OVERVIEW).await?.status, 200);
    assert_eq!(one.log().count_strikes(Mode::ServerError), 1);
    Ok(())
}
