//! What each fault does at a screen of the console, and that it does it as often as it was told and nowhere else.

use std::time::{Duration, Instant};

use serde_json::json;
use waymark_fixture_apps::meridian::Variant;
use waymark_fixture_apps::{Delays, FAULTS_PATH, HOOK_PATH, KEY_HEADER, Mode, Options, serve_meridian, serve_parabank};

use crate::Outcome;
use crate::client::{Client, SLOW, console, teller};

const MOVE: &str = "FRSHR=12345-00&TOSHR=12345-10&TRAMT=10.25&TRMEMO=rent";
const NOTICE: &str = "SCHEDULED MAINTENANCE";
const CRASH: &str = "ABEND S0C7";
const REFUSED: &str = "SEC-0413 OPERATOR NOT ENTITLED TO THIS FUNCTION";
const FAILED: &str = "SYS-9001";

/// Screens of a console with these faults: status, and how often a text is there.
async fn check(faults: &str, text: &str, expected: &[(&str, u16, usize)]) -> Outcome {
    let (running, mut client) = teller(faults).await?;
    for (number, (screen, status, times)) in expected.iter().enumerate() {
        let answer = client.get(&format!("/meridian/{screen}")).await?;
        let found = (answer.status, answer.times(text));
        assert_eq!(found, (*status, *times), "{faults}: {text} in {number}, {screen}: {}", answer.body);
    }
    assert!(running.faults().iter().all(|fault| fault.count.is_none()), "{:?}", running.faults());
    Ok(())
}

#[tokio::test]
async fn each_fault_strikes_its_screen_as_often_as_it_is_told() -> Outcome {
    let once = |status, times| [("ln0410", 200, 0), ("sa0320", status, times), ("sa0320", 200, 0)];
    check("interstitial@SA0320", NOTICE, &once(200, 1)).await?;
    check("native_dialog@SA0320", "alert(", &once(200, 1)).await?;
    check("undeclared_dialog@SA0320", "confirm(", &once(200, 1)).await?;
    check("host_500:1@SA0320", CRASH, &once(500, 1)).await?;
    check("not_authorized:1@SA0320", REFUSED, &once(403, 1)).await?;
    check("app_error:1@SA0320", FAILED, &once(200, 1)).await?;
    check("rename_control:1@SA0320", "Amount Held", &once(200, 1)).await?;
    let twice = [("sa0320", 200, 1), ("sa0320", 200, 1), ("sa0320", 200, 0)];
    check("interstitial:2@SA0320", NOTICE, &twice).await?;
    let always = [("sa0320", 200, 0), ("ln0410", 500, 1), ("ln0410", 500, 1)];
    check("host_500@LN0410", CRASH, &always).await
}

#[tokio::test]
async fn a_fault_at_no_screen_strikes_all_after_sign_on() -> Outcome {
    check("interstitial:2", NOTICE, &[("mi0200", 200, 1), ("tr0600", 200, 1), ("mi0200", 200, 0)]).await?;
    let (running, mut client) = console(Variant::A).await?;
    running.inject(["interstitial".parse()?])?;
    assert!(!client.get("/meridian/mi0100").await?.has(NOTICE));
    assert!(!client.get("/meridian/mi0200").await?.has(NOTICE), "the sign-on screen stands there");
    running.inject(["interstitial@MI0100".parse()?])?;
    assert!(client.get("/meridian/mi0200").await?.has(NOTICE));
    Ok(())
}

#[tokio::test]
async fn the_main_control_is_renamed_doubled_or_gone() -> Outcome {
    check("duplicate_control@MI0200", "value=\"Inquire\"", &[("mi0200", 200, 2)]).await?;
    check("rename_control@MI0200", "value=\"Proceed\"", &[("mi0200", 200, 1)]).await?;
    check("element_missing@MI0200", "type=\"submit\"", &[("mi0200", 200, 0)]).await?;
    check("duplicate_control@MI0210", ">Share Accounts</a>", &[("mi0210", 200, 2)]).await?;
    check("rename_control@MI0210", ">Share Accounts</a>", &[("mi0210", 200, 0)]).await?;
    check("duplicate_control@SA0320", "REGULAR SAVINGS", &[("sa0320", 200, 2)]).await?;
    check("undeclared_dialog@TR0600", "onclick=\"return confirm(", &[("tr0600", 200, 1)]).await?;
    let (_running, mut client) = teller("rename_control@TR0610 duplicate_control:1@TR0600").await?;
    assert_eq!(client.get("/meridian/tr0600").await?.times("value=\"Review\""), 2);
    let confirm = client.post("/meridian/tr0610", MOVE).await?;
    assert_eq!((confirm.times("value=\"Post Transfer\""), confirm.times("value=\"Proceed\"")), (0, 1));
    Ok(())
}

#[tokio::test]
async fn an_expired_session_shows_the_sign_on_screen_until_somebody_signs_on() -> Outcome {
    let (running, mut client) = teller("session_expired@SA0320").await?;
    let gone = client.get("/meridian/sa0320").await?;
    assert!(gone.status == 200 && gone.has("MI0100") && gone.has("SO-0012 SESSION ENDED"), "{}", gone.body);
    assert!(client.get("/meridian/mi0200").await?.has("SO-0012"));
    client.post("/meridian/mi0100", "OPID=teller1&OPPW=demo123").await?;
    assert!(client.get("/meridian/sa0320").await?.has("MI-0012"), "the member must be looked up again");
    assert_eq!(running.log().count_strikes(Mode::SessionTimeout), 1);
    let (running, mut stranger) = console(Variant::A).await?;
    running.inject(["session_expired@SA0320".parse()?, "session_expired@MI0100".parse()?])?;
    stranger.get("/meridian/sa0320").await?;
    assert!(running.log().strikes().is_empty(), "where nobody is signed on no session expires");
    Ok(())
}

#[tokio::test]
async fn a_slow_screen_is_late_and_its_console_can_be_stopped_meanwhile() -> Outcome {
    let (_running, mut client) = teller("slow:1@SA0320").await?;
    for (screen, late) in [("ln0410", false), ("sa0320", true), ("sa0320", false)] {
        let start = Instant::now();
        assert_eq!(client.get(&format!("/meridian/{screen}")).await?.status, 200);
        assert_eq!(start.elapsed() >= SLOW, late, "{screen}");
    }
    assert_eq!(Delays::default().slow_load, Duration::from_secs(6));
    let running = serve_meridian(Options { faults: vec!["slow@MI0100".parse()?], ..Options::default() }).await?;
    let mut client = Client::new(&running);
    let start = Instant::now();
    let log = running.log();
    let (_, stopped) = tokio::join!(client.get("/meridian/mi0100"), async {
        assert!(log.wait_for(Duration::from_secs(3), |log| log.count_strikes(Mode::SlowLoad) == 1).await);
        running.stop().await;
        start.elapsed()
    });
    assert!(stopped < Duration::from_secs(4), "{stopped:?}");
    Ok(())
}

/// What is posted where a fault strikes the press that cannot be taken back.
async fn posted(fault: &str, status: u16, text: &str, booked: usize) -> Outcome {
    let (running, mut client) = teller(fault).await?;
    let answer = client.post("/meridian/tr0620", MOVE).await?;
    assert!(answer.status == status && answer.has(text), "{fault}: {} {}", answer.status, answer.body);
    assert_eq!(running.log().booked(), booked, "{fault}");
    running.clear_faults();
    client.post("/meridian/mi0100", "OPID=teller1&OPPW=demo123").await?;
    client.post("/meridian/mi0210", "MBRNO=12345").await?;
    assert_eq!(client.get("/meridian/sa0320").await?.times("R700101"), 2 * booked, "{fault}");
    Ok(())
}

#[tokio::test]
async fn a_fault_before_the_booking_prevents_it_and_one_after_it_hides_it() -> Outcome {
    posted("host_500@submit", 500, CRASH, 0).await?;
    posted("not_authorized@submit", 403, REFUSED, 0).await?;
    posted("session_expired@submit", 200, "SO-0012", 0).await?;
    posted("host_500@booked", 500, CRASH, 1).await?;
    posted("session_expired@booked", 200, "SO-0012", 1).await?;
    posted("host_500@TR0620", 500, CRASH, 1).await?;
    posted("app_error@TR0620", 200, FAILED, 1).await?;
    posted("interstitial@TR0620", 200, NOTICE, 1).await
}

#[tokio::test]
async fn what_is_refused_is_no_booking_that_could_be_struck() -> Outcome {
    let (running, mut client) = teller("host_500@booked").await?;
    let answer = client.post("/meridian/sa0510", "ACTYP=MONEY+MARKET&OPDEP=1&FRSHR=12345-00").await?;
    assert!(answer.status == 200 && answer.has("SA-0021"));
    assert!(running.log().strikes().is_empty());
    Ok(())
}

#[tokio::test]
async fn the_hook_knows_the_screens_and_no_place_of_another_bank() -> Outcome {
    let (running, mut client) = teller("").await?;
    let said = client.get(HOOK_PATH).await?.json()?;
    assert_eq!(said["fixture"], "meridian");
    assert_eq!((&said["places"][0], &said["places"][2]), (&json!("submit"), &json!("MI0100")));
    assert_eq!(said["modes"].as_array().map(Vec::len), Some(11));
    let right = format!("{KEY_HEADER}: {}\r\n", running.key());
    let set = client.send("POST", FAULTS_PATH, &right, r#"{"faults": ["host_500:2@LN0410"]}"#).await?;
    assert_eq!(set.json()?["faults"], json!(["server_error:2@LN0410"]));
    assert_eq!(client.send("POST", FAULTS_PATH, "", r#"{"faults": []}"#).await?.status, 403);
    let other = client.send("POST", FAULTS_PATH, &right, r#"{"faults": ["slow@overview"]}"#).await?;
    assert!(other.status == 400 && other.has("can strike nowhere in `meridian`"), "{}", other.body);
    assert_eq!(running.faults().len(), 1, "all or none");
    assert!(running.inject(["slow@overview".parse()?]).is_err());
    for fault in ["slow@MI0200", "app_error"] {
        let refused = serve_parabank(Options { faults: vec![fault.parse()?], ..Options::default() }).await;
        assert!(refused.is_err_and(|error| error.to_string().contains("nowhere in `parabank`")), "{fault}");
    }
    Ok(())
}
