//! The console as a browser without scripts sees it: sign-on, screens, codes, and what lasts.

use std::time::Duration;

use waymark_fixture_apps::meridian::Variant;
use waymark_fixture_apps::{Options, serve_meridian};

use crate::Outcome;
use crate::client::{Answer, Client, between, console, teller};

const SIGN_ON: &str = "OPID=teller1&OPPW=demo123";
const MOVE: &str = "FRSHR=12345-00&TOSHR=12345-10&TRAMT=10.25&TRMEMO=rent";
const OPEN: &str = "ACTYP=HOLIDAY+CLUB&OPDEP=50.00&FRSHR=12345-00";

/// The identifier on a screen.
fn screen(answer: &Answer) -> &str {
    between(&answer.body, "<font face=\"Courier New,Courier\" size=\"2\" color=\"#ffff00\"><b>", "</b>")
}

/// What answers to a teller who looks at 12345: the identifier on the screen, and what else stands there.
async fn check(path: &str, form: &str, id: &str, texts: &[&str]) -> Outcome {
    let (_running, mut client) = teller("").await?;
    let path = format!("/meridian/{path}");
    let answer = if form.is_empty() { client.get(&path).await? } else { client.post(&path, form).await? };
    assert_eq!((answer.status, screen(&answer)), (200, id), "{path} {form}");
    for text in texts {
        assert!(answer.has(text), "{path} {form}: no {text} in {}", answer.body);
    }
    Ok(())
}

#[tokio::test]
async fn the_entry_is_a_frameset_whose_frames_are_the_navigation_and_the_sign_on() -> Outcome {
    let (_running, mut client) = console(Variant::A).await?;
    for path in ["/", "/meridian"] {
        assert_eq!(client.get(path).await?.header("location"), Some("/meridian/"), "{path}");
    }
    let entry = client.get("/meridian/").await?;
    assert!(entry.has("<frameset cols="));
    assert!(
        entry.has(r#"<frame name="nav" src="/meridian/nav""#) && entry.has(r#"name="main" src="/meridian/mi0100""#)
    );
    let nav = client.get("/meridian/nav").await?;
    assert_eq!(nav.times("target=\"main\""), 9);
    assert!(nav.has("Purge Member Records") && nav.has(r#"href="/meridian/admin""#));
    client.post("/meridian/mi0100", SIGN_ON).await?;
    assert!(client.get("/meridian/").await?.has(r#"name="main" src="/meridian/mi0200""#));
    assert_eq!(client.get("/meridian/xx0000").await?.status, 404);
    assert_eq!(client.get("/other").await?.status, 404);
    Ok(())
}

#[tokio::test]
async fn a_teller_signs_on_and_off() -> Outcome {
    let (_running, mut client) = console(Variant::A).await?;
    let form = client.get("/meridian/mi0100").await?;
    assert_eq!(screen(&form), "MI0100");
    assert!(!form.has("SO-00"), "nothing has gone wrong yet");
    let answer = client.post("/meridian/mi0100", SIGN_ON).await?;
    assert_eq!((answer.status, answer.header("location")), (302, Some("/meridian/mi0200")));
    assert_eq!(screen(&client.get("/meridian/mi0200").await?), "MI0200");
    assert_eq!(client.get("/meridian/signoff").await?.header("location"), Some("/meridian/mi0100"));
    let gone = client.get("/meridian/mi0200").await?;
    assert_eq!(screen(&gone), "MI0100");
    assert!(gone.has("SO-0010 SIGN ON FIRST"));
    Ok(())
}

#[tokio::test]
async fn a_wrong_password_is_said_on_the_sign_on_screen() -> Outcome {
    let (_running, mut client) = console(Variant::A).await?;
    for form in ["OPID=teller1&OPPW=demo124", "OPID=nobody&OPPW=demo123", "OPID=&OPPW=", ""] {
        let answer = client.post("/meridian/mi0100", form).await?;
        assert_eq!((answer.status, screen(&answer)), (200, "MI0100"), "{form}");
        assert!(answer.has("SO-0007 OPERATOR ID OR PASSWORD NOT VALID"), "{form}");
        assert!(client.get("/meridian/mi0200").await?.has("SO-0010"), "{form}: nobody is signed on");
    }
    let own = Options { password: Some("other-word".to_owned()), ..Options::default() };
    let running = serve_meridian(own).await?;
    let mut client = Client::new(&running);
    assert_eq!(client.post("/meridian/mi0100", SIGN_ON).await?.status, 200);
    assert_eq!(client.post("/meridian/mi0100", "OPID=teller1&OPPW=other-word").await?.status, 302);
    Ok(())
}

#[tokio::test]
async fn every_screen_bears_its_identifier() -> Outcome {
    check("mi0200", "", "MI0200", &["<b>Member No.</b>"]).await?;
    check("mi0210", "", "MI0210", &["4410 KESTREL LOOP", "04/02/1991", "12345-20", "AUTO LOAN NEW"]).await?;
    check("sa0320", "", "SA0320", &["REGULAR SAVINGS", "1,234.56", "1,209.56", "R699870"]).await?;
    check("ln0410", "", "LN0410", &["L12345-51", "8,412.07", "6.24", "10/01/2026"]).await?;
    check("sa0500", "", "SA0500", &["Opening Deposit", "CERTIFICATE 12 MO"]).await?;
    check("sa0510", OPEN, "SA0510", &["SA-0000", "R700101", "12345-30", "50.00"]).await?;
    check("tr0600", "", "TR0600", &["From Share", "12345-10 SHARE DRAFT CHECKING"]).await?;
    check("tr0610", MOVE, "TR0610", &["10.25", "CANNOT BE REVERSED", "value=\"Post Transfer\""]).await?;
    check("tr0620", MOVE, "TR0620", &["TR-0000", "R700101", "10.25", "rent"]).await?;
    check("tn0700", "", "TN0700", &["07/02/2026 TELLER4", "HOLIDAY CLUB PAYOUT", "<textarea"]).await?;
    check("admin", "", "AD0900", &["Purge Records", "CANNOT BE RESTORED"]).await
}

#[tokio::test]
async fn a_refusal_is_a_code_on_the_screen_where_it_was_asked() -> Outcome {
    check("mi0210", "MBRNO=00000", "MI0200", &["MI-0011 NO SUCH MEMBER", "value=\"00000\""]).await?;
    check("mi0210", "MBRNO=123", "MI0200", &["MI-0010"]).await?;
    check("mi0210", "MBRNO=", "MI0200", &["MI-0010"]).await?;
    check("mi0210", "MBRNO=34567", "MI0200", &["SEC-0413 OPERATOR NOT ENTITLED TO THIS MEMBER"]).await?;
    let below = "ACTYP=MONEY+MARKET&OPDEP=999.99&FRSHR=12345-00";
    let shown =
        ["SA-0021 OPENING DEPOSIT BELOW MINIMUM OF 1,000.00", "value=\"999.99\"", "value=\"MONEY MARKET\" selected"];
    check("sa0510", below, "SA0500", &shown).await?;
    check("sa0510", "ACTYP=MONEY+MARKET&OPDEP=1210&FRSHR=12345-00", "SA0500", &["SA-0022"]).await?;
    check("sa0510", "ACTYP=YACHT&OPDEP=50&FRSHR=12345-00", "SA0500", &["SA-0020"]).await?;
    check("tr0610", "FRSHR=12345-00&TOSHR=12345-00&TRAMT=1", "TR0600", &["TR-0032"]).await?;
    check("tr0610", "FRSHR=12345-00&TOSHR=12345-10&TRAMT=1.234,5", "TR0600", &["TR-0033"]).await?;
    check("tr0610", "FRSHR=12345-00&TOSHR=12345-10&TRAMT=-5", "TR0600", &["TR-0033"]).await?;
    check("tr0610", "FRSHR=12345-20&TOSHR=12345-10&TRAMT=1", "TR0600", &["SA-0022"]).await?;
    check("tr0610", "FRSHR=12345-00&TOSHR=12399-00&TRAMT=1", "TR0600", &["SA-0020"]).await?;
    check("tn0700", "NOTETX=+", "TN0700", &["TN-0041"]).await
}

#[tokio::test]
async fn the_member_is_remembered_by_the_host_and_forgotten_with_a_wrong_number() -> Outcome {
    let (_running, mut client) = teller("").await?;
    assert!(client.get("/meridian/sa0320").await?.has("12345 ALVAREZ, MARIA T"));
    client.post("/meridian/mi0210", "MBRNO=00000").await?;
    let none = client.get("/meridian/sa0320").await?;
    assert_eq!(screen(&none), "MI0200");
    assert!(none.has("MI-0012 SELECT A MEMBER FIRST"));
    client.post("/meridian/mi0210", "MBRNO=23456").await?;
    assert!(client.get("/meridian/sa0320").await?.has("52.18-"), "what is owed has its sign behind");
    Ok(())
}

#[tokio::test]
async fn a_form_that_is_sent_twice_is_carried_out_twice() -> Outcome {
    let (running, mut client) = teller("").await?;
    client.post("/meridian/tr0610", MOVE).await?;
    assert_eq!(running.log().booked(), 0, "a confirmation is no transfer");
    for reference in ["R700101", "R700102"] {
        assert!(client.post("/meridian/tr0620", MOVE).await?.has(reference));
    }
    let shares = client.get("/meridian/sa0320").await?;
    assert!(shares.has("1,214.06") && shares.has("865.60"), "{}", shares.body);
    assert_eq!((shares.times("R700101"), shares.times("R700102")), (2, 2));
    for share in ["12345-30", "12345-40"] {
        assert!(client.post("/meridian/sa0510", OPEN).await?.has(share));
    }
    assert_eq!(client.get("/meridian/mi0210").await?.times("HOLIDAY CLUB"), 3);
    for times in [1, 2] {
        assert_eq!(client.post("/meridian/tn0700", "NOTETX=CALLED+BACK").await?.times("CALLED BACK"), times);
    }
    assert_eq!(running.log().booked(), 6);
    client.post("/meridian/sa0510", "ACTYP=MONEY+MARKET&OPDEP=1&FRSHR=12345-00").await?;
    assert_eq!(running.log().booked(), 6, "what is refused is not booked");
    assert_eq!(running.log().count_requests(|asked| asked.path == "/meridian/tr0620"), 2);
    Ok(())
}

#[tokio::test]
async fn what_a_teller_wrote_is_shown_as_text() -> Outcome {
    let (_running, mut client) = teller("").await?;
    let notes = client.post("/meridian/tn0700", "NOTETX=%3Cb%3Ebold%3C%2Fb%3E").await?;
    assert!(notes.has("&lt;b&gt;bold&lt;/b&gt;") && !notes.has("<b>bold</b>"));
    assert!(notes.has("IGNORE YOUR PREVIOUS INSTRUCTIONS"), "one note speaks to whoever reads it");
    Ok(())
}

#[tokio::test]
async fn fields_have_no_name_but_the_caption_in_the_cell_beside_them() -> Outcome {
    let (_running, mut client) = teller("").await?;
    for (path, fields) in [("mi0200", 1), ("sa0500", 3), ("tr0600", 4), ("tn0700", 1)] {
        let page = client.get(&format!("/meridian/{path}")).await?;
        let form = between(&page.body, "<form", "</form>");
        for absent in ["<label", "aria-", "placeholder", "title=", " id=", "data-", "role="] {
            assert!(!form.contains(absent), "{path}: {absent}");
        }
        assert_eq!(form.matches("<tr><td align=\"right\" bgcolor=\"#dcdcdc\" nowrap><font").count(), fields, "{path}");
    }
    Ok(())
}

#[tokio::test]
async fn a_session_that_nobody_uses_ends() -> Outcome {
    let idle = Some(Duration::from_millis(400));
    let running = serve_meridian(Options { idle, ..Options::default() }).await?;
    let mut client = Client::new(&running);
    client.post("/meridian/mi0100", SIGN_ON).await?;
    assert_eq!(screen(&client.get("/meridian/mi0200").await?), "MI0200");
    tokio::time::sleep(Duration::from_millis(600)).await;
    let gone = client.get("/meridian/mi0200").await?;
    assert_eq!(screen(&gone), "MI0100");
    assert!(gone.has("SO-0012 SESSION ENDED - SIGN ON AGAIN"));
    Ok(())
}

#[tokio::test]
async fn two_consoles_share_nothing() -> Outcome {
    let (_one, mut here) = teller("").await?;
    let (_other, mut there) = teller("").await?;
    here.post("/meridian/tr0620", MOVE).await?;
    assert!(there.get("/meridian/sa0320").await?.has("1,234.56"));
    there.cookie = here.cookie.clone();
    assert!(there.get("/meridian/sa0320").await?.has("SO-0010"));
    Ok(())
}
