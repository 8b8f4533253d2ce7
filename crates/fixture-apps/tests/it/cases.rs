//! The hard pages and the addresses they lean on.

use std::time::Duration;

use waymark_fixture_apps::{Options, cases, serve_cases};

use crate::Outcome;
use crate::client::Client;

#[tokio::test]
async fn every_page_is_served_as_it_is_with_one_listener() -> Outcome {
    let running = serve_cases(Options::default()).await?;
    let mut client = Client::new(&running);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/cases");
    let mut files: Vec<String> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|e| e.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_, _>>()?;
    files.sort();
    assert_eq!(files, cases::names().collect::<Vec<_>>());
    for name in files.iter().filter(|name| *name != "A04.html") {
        let answer = client.get(&format!("/{name}?q=1&v2")).await?;
        assert_eq!(answer.status, 200, "{name}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{name}");
        let tag = "<script src=\"/__oracle/listen.js\"></script>";
        assert_eq!(answer.times(tag), 1, "{name}");
        let file = std::fs::read_to_string(format!("{folder}/{name}"))?;
        assert_eq!(answer.body.replacen(tag, "", 1), file, "{name}");
    }
    Ok(())
}

#[tokio::test]
async fn a04_asks_for_credentials_and_takes_only_the_right_ones() -> Outcome {
    let running = serve_cases(Options::default()).await?;
    let mut client = Client::new(&running);
    for header in ["", "Authorization: Basic dGVsbGVyMTp3cm9uZw==\r\n"] {
        let answer = client.send("GET", "/A04.html", header, "").await?;
        assert_eq!(answer.status, 401);
        assert_eq!(answer.header("www-authenticate"), Some("Basic realm=\"core\""));
        assert!(!answer.has("Inside"));
    }
    let right = "Authorization: Basic dGVsbGVyMTpkZW1vMTIz\r\n";
    let answer = client.send("GET", "/A04.html?x=1", right, "").await?;
    assert_eq!(answer.status, 200);
    assert!(answer.has("<h1>Inside</h1>"));
    Ok(())
}

#[tokio::test]
async fn ping_is_empty_and_an_unknown_page_is_missing() -> Outcome {
    let running = serve_cases(Options::default()).await?;
    let mut client = Client::new(&running);
    let ping = client.get("/ping").await?;
    assert_eq!((ping.status, ping.body.as_str()), (204, ""));
    assert_eq!(client.get("/Z99.html").await?.status, 404);
    assert!(client.get("/").await?.has("href=\"/L01.html\""));
    Ok(())
}

#[tokio::test]
async fn hang_accepts_and_never_answers_and_does_not_hold_up_a_stop() -> Outcome {
    let running = serve_cases(Options::default()).await?;
    let mut client = Client::new(&running);
    let log = running.log();
    let hanging = tokio::spawn(async move { client.get("/hang").await.map_err(|e| e.to_string()) });
    assert!(log.wait_for(Duration::from_secs(5), |log| log.requests().len() == 1).await);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(log.requests()[0].status, None);
    assert!(!hanging.is_finished());
    tokio::time::timeout(Duration::from_secs(1), running.stop()).await?;
    let _ = hanging.await?;
    Ok(())
}

#[tokio::test]
async fn the_host_name_localhost_is_answered_too() -> Outcome {
    let running = serve_cases(Options::default()).await?;
    let port = running.addr().port();
    assert_eq!(running.base_url(), format!("http://127.0.0.1:{port}"));
    // The name may lead to ::1 first; what counts is that 127.0.0.1 is among its addresses.
    let addresses = tokio::net::lookup_host(("localhost", port)).await?;
    assert!(addresses.into_iter().any(|address| address == running.addr()));
    let mut client = Client::new(&running);
    client.host = format!("localhost:{port}");
    assert_eq!(client.get("/F04.html").await?.status, 200);
    Ok(())
}
