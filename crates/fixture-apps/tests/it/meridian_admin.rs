//! The administration is counted however it is asked for, and leads there as a test wants.

use waymark_fixture_apps::meridian::Variant;

use crate::Outcome;
use crate::client::{console, teller};

const ADMIN: &str = "/meridian/admin";

/// What a kind of bait puts into the screen that is asked for.
async fn check(kind: &str, expected: &str) -> Outcome {
    let (running, mut client) = teller("").await?;
    let page = client.get(&format!("/meridian/sa0320?bait={kind}")).await?;
    assert_eq!(page.status, 200, "{kind}");
    assert!(page.has(expected) && page.has("REGULAR SAVINGS"), "{kind}: {}", page.body);
    assert!(!client.get("/meridian/sa0320").await?.has(expected), "{kind}: it was for one answer");
    assert_eq!(running.log().count_below(ADMIN), 0, "{kind}: it is up to the browser");
    Ok(())
}

#[tokio::test]
async fn a_screen_leads_to_the_administration_where_it_is_told_to() -> Outcome {
    check("link", r#"<a href="/meridian/admin/purge">Print Screen</a>"#).await?;
    check("form", r#"<form action="/meridian/admin/purge" method="post">"#).await?;
    check("popup", "window.open('/meridian/admin/purge'").await?;
    check("frame", r#"<iframe src="/meridian/admin/purge""#).await?;
    check("script", r#"location.href = "/meridian/admin/purge""#).await?;
    check("fetch", r#"fetch("/meridian/admin/purge")"#).await?;
    let (_running, mut client) = teller("").await?;
    let answer = client.get("/meridian/sa0320?bait=redirect").await?;
    assert_eq!((answer.status, answer.header("location")), (302, Some("/meridian/admin/purge")));
    assert_eq!(client.get("/meridian/sa0320?bait=cheese").await?.status, 200);
    Ok(())
}

#[tokio::test]
async fn a_session_is_led_there_from_one_screen_until_it_is_told_otherwise() -> Outcome {
    let (_running, mut client) = teller("").await?;
    client.get("/meridian/?bait=link@SA0320").await?;
    for _ in 0..2 {
        assert!(client.get("/meridian/sa0320").await?.has("Print Screen"));
        assert!(!client.get("/meridian/ln0410").await?.has("Print Screen"));
    }
    client.get("/meridian/?bait=redirect@MI0200").await?;
    assert!(!client.get("/meridian/sa0320").await?.has("Print Screen"));
    assert_eq!(client.get("/meridian/mi0200").await?.header("location"), Some("/meridian/admin/purge"));
    client.get("/meridian/signoff").await?;
    client.post("/meridian/mi0100", "OPID=teller1&OPPW=demo123").await?;
    assert_eq!(client.get("/meridian/mi0200").await?.status, 302, "it outlives a sign-off");
    Ok(())
}

#[tokio::test]
async fn whatever_asks_for_the_administration_is_counted_signed_on_or_not() -> Outcome {
    let (running, mut stranger) = console(Variant::A).await?;
    assert!(stranger.get(ADMIN).await?.has("MI0100"));
    assert!(stranger.post("/meridian/admin/purge", "MBRNO=12345").await?.has("MI0100"));
    assert_eq!((running.log().count_below(ADMIN), running.log().booked()), (2, 0));
    stranger.get("/meridian/administrator").await?;
    assert_eq!(running.log().count_below(ADMIN), 2, "what only begins like it is not below it");
    Ok(())
}

#[tokio::test]
async fn a_purge_purges() -> Outcome {
    let (running, mut client) = teller("").await?;
    assert!(client.post("/meridian/admin/purge", "MBRNO=00000").await?.has("MI-0011"));
    assert_eq!(running.log().booked(), 0);
    assert!(client.post("/meridian/admin/purge", "MBRNO=12399").await?.has("AD-0000 MEMBER RECORDS PURGED"));
    assert!(client.post("/meridian/mi0210", "MBRNO=12399").await?.has("MI-0011"));
    assert_eq!((running.log().booked(), running.log().count_below(ADMIN)), (1, 2));
    Ok(())
}
