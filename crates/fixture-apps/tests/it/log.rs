//! The log that only tests read.

use std::time::Duration;

use serde_json::json;

use crate::Outcome;
use crate::client::{bank, john};

#[tokio::test]
async fn every_request_is_listed_with_its_fields_and_status() -> Outcome {
    let (running, mut client) = bank().await?;
    client.get("/parabank/index.htm;jsessionid=X?a=1").await?;
    client.post("/parabank/login.htm", "username=john&password=wr+ng").await?;
    client.get("/parabank/none.htm").await?;
    let log = running.log();
    let requests = log.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[0].path, "/parabank/index.htm");
    assert_eq!(requests[0].raw_path, "/parabank/index.htm;jsessionid=X");
    assert_eq!(requests[0].query, "a=1");
    assert_eq!(requests[1].method, "POST");
    assert_eq!(requests[1].fields, [("username".into(), "john".into()), ("password".into(), "wr ng".into())]);
    assert_eq!(requests.iter().map(|r| r.status).collect::<Vec<_>>(), [Some(200), Some(200), Some(404)]);
    assert_eq!(log.count_requests(|r| r.path.ends_with("login.htm")), 1);
    log.clear();
    assert!(log.requests().is_empty());
    Ok(())
}

#[tokio::test]
async fn events_are_counted_and_their_beacons_are_not_requests() -> Outcome {
    let (running, mut client) = john().await?;
    let log = running.log();
    log.clear();
    let event = json!({
        "type": "click", "trusted": true, "path": "/parabank/overview.htm",
        "element": "a \"12345\"", "mark": "overview.account.12345", "key": null, "value": null,
    });
    let answer = client.send("POST", "/__oracle/event", "", &event.to_string()).await?;
    assert_eq!(answer.status, 204);
    assert_eq!(client.get("/__oracle/listen.js").await?.status, 200);
    assert!(log.requests().is_empty());
    assert_eq!(log.events().len(), 1);
    assert_eq!(log.count(|e| e.trusted && e.mark.as_deref() == Some("overview.account.12345")), 1);
    assert_eq!(log.count(|e| e.kind == "submit"), 0);
    assert_eq!(client.send("POST", "/__oracle/event", "", "{}").await?.status, 400);
    Ok(())
}

#[tokio::test]
async fn the_log_is_given_to_the_holder_of_the_key_only() -> Outcome {
    let (running, mut client) = bank().await?;
    client.get("/parabank/index.htm").await?;
    assert_eq!(client.get("/__oracle/log").await?.status, 403);
    assert_eq!(client.get("/__oracle/log?key=").await?.status, 403);
    let path = format!("/__oracle/log?key={}", running.key());
    let log = client.get(&path).await?.json()?;
    assert_eq!(log["requests"][0]["path"], "/parabank/index.htm");
    assert_eq!(log["events"], json!([]));
    assert_eq!(client.send("POST", "/__oracle/clear", "", "").await?.status, 403);
    let clear = format!("/__oracle/clear?key={}", running.key());
    assert_eq!(client.send("POST", &clear, "", "").await?.status, 204);
    assert!(running.log().requests().is_empty());
    Ok(())
}

#[tokio::test]
async fn pages_carry_no_name_that_the_log_gives() -> Outcome {
    let (_running, mut client) = john().await?;
    for page in ["overview", "transfer", "billpay", "findtrans"] {
        let answer = client.get(&format!("/parabank/{page}.htm")).await?;
        assert!(answer.has("/__oracle/listen.js"), "{page}");
        for mark in ["data-oracle", "login.submit", "transfer.submit", "overview.account"] {
            assert!(!answer.has(mark), "{page} {mark}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_wait_ends_when_it_comes_true_or_when_its_time_is_over() -> Outcome {
    let (running, mut client) = bank().await?;
    let log = running.log();
    assert!(!log.wait_for(Duration::from_millis(20), |log| !log.requests().is_empty()).await);
    let waiting = tokio::spawn({
        let log = log.clone();
        async move { log.wait_for(Duration::from_secs(5), |log| !log.requests().is_empty()).await }
    });
    client.get("/parabank/index.htm").await?;
    assert!(waiting.await?);
    Ok(())
}
