//! Setting faults while an instance runs, from outside.

use serde_json::json;
use waymark_fixture_apps::{FAULTS_PATH, HOOK_PATH, HOOK_SCHEMA, KEY_HEADER, Mode, Options, serve_cases};

use crate::Outcome;
use crate::client::{Client, bank, john};

#[tokio::test]
async fn an_instance_says_what_it_is_without_a_key() -> Outcome {
    let (running, mut client) = bank().await?;
    let answer = client.get(HOOK_PATH).await?;
    let said = answer.json()?;
    assert_eq!((said["schema"].as_str(), said["fixture"].as_str()), (Some(HOOK_SCHEMA), Some("parabank")));
    assert_eq!(said["modes"].as_array().map(Vec::len), Some(10));
    assert_eq!(said["places"][2], "overview");
    assert!(!answer.has(running.key()));
    assert_eq!(client.get("/waymark-fixture/other").await?.status, 404);
    assert_eq!(client.send("POST", HOOK_PATH, "", "").await?.status, 404);
    assert_eq!(running.log().hook_calls(), 3);
    assert!(running.log().requests().is_empty());
    Ok(())
}

#[tokio::test]
async fn faults_are_set_and_taken_away_with_the_key_alone() -> Outcome {
    let (running, mut client) = john().await?;
    let right = format!("{KEY_HEADER}: {}\r\n", running.key());
    let wrong = format!("{KEY_HEADER}: {}\r\n", running.key().to_uppercase() + "0");
    let wanted = json!({"faults": ["server_error:2@overview", "slow_load"]}).to_string();
    for header in ["", &wrong, &format!("{KEY_HEADER}: \r\n")] {
        for method in ["GET", "POST", "DELETE"] {
            assert_eq!(client.send(method, FAULTS_PATH, header, &wanted).await?.status, 403, "{method} {header}");
        }
    }
    let query = format!("{FAULTS_PATH}?key={}", running.key());
    assert_eq!(client.send("POST", &query, "", &wanted).await?.status, 403, "a key in an address is written down");
    assert!(running.faults().is_empty());

    let set = client.send("POST", FAULTS_PATH, &right, &wanted).await?;
    assert_eq!(set.json()?["faults"], json!(["server_error:2@overview", "slow_load:always"]));
    running.inject(["server_error:1@activity".parse()?])?;
    let other = json!({"faults": ["server_error:2@overview"]}).to_string();
    client.send("POST", FAULTS_PATH, &right, &other).await?;
    assert_eq!(client.get("/parabank/overview.htm").await?.status, 500);
    let told = client.send("GET", FAULTS_PATH, &right, "").await?.json()?;
    assert_eq!(told["faults"], json!(["server_error:1@overview"]), "set is instead of, not besides");
    assert_eq!(told["strikes"][0]["mode"], "server_error");
    assert_eq!(client.send("DELETE", FAULTS_PATH, &right, "").await?.json()?["faults"], json!([]));
    assert_eq!(client.get("/parabank/overview.htm").await?.status, 200);
    assert_eq!(running.log().count_strikes(Mode::ServerError), 1);
    assert_eq!(client.send("PUT", FAULTS_PATH, &right, &wanted).await?.status, 405);
    Ok(())
}

#[tokio::test]
async fn what_is_no_list_of_faults_changes_nothing() -> Outcome {
    let (running, mut client) = bank().await?;
    let right = format!("{KEY_HEADER}: {}\r\n", running.key());
    running.inject(["slow_load".parse()?])?;
    for (body, said) in [
        ("", "EOF"),
        ("[]", "invalid length"),
        (r#"{"faults": ["server_error", "earthquake"]}"#, "there is no fault `earthquake`"),
        (r#"{"faults": ["interstitial@accounts"]}"#, "cannot strike at accounts"),
        (r#"{"faults": [], "more": 1}"#, "unknown field"),
    ] {
        let answer = client.send("POST", FAULTS_PATH, &right, body).await?;
        assert!(answer.status == 400 && answer.has(said), "{body}: {answer:?}");
    }
    assert_eq!(running.faults(), ["slow_load".parse()?]);
    Ok(())
}

#[tokio::test]
async fn an_application_without_faults_says_so() -> Outcome {
    let running = serve_cases(Options::default()).await?;
    let mut client = Client::new(&running);
    let said = client.get(HOOK_PATH).await?.json()?;
    assert_eq!((said["fixture"].as_str(), said["modes"].as_array().map(Vec::len)), (Some("cases"), Some(0)));
    let right = format!("{KEY_HEADER}: {}\r\n", running.key());
    assert_eq!(client.send("POST", FAULTS_PATH, &right, r#"{"faults": []}"#).await?.status, 409);
    assert!(running.inject(["slow_load".parse()?]).is_err());
    let refused = serve_cases(Options { faults: vec!["slow_load".parse()?], ..Options::default() }).await;
    assert_eq!(refused.err().map(|error| error.to_string()), Some("this stand-in has no faults".to_owned()));
    Ok(())
}

#[tokio::test]
async fn the_hook_of_one_instance_does_not_know_the_key_of_another() -> Outcome {
    let (one, mut client) = bank().await?;
    let (other, _) = bank().await?;
    let header = format!("{KEY_HEADER}: {}\r\n", other.key());
    let wanted = r#"{"faults": ["slow_load"]}"#;
    assert_eq!(client.send("POST", FAULTS_PATH, &header, wanted).await?.status, 403);
    assert!(one.faults().is_empty() && other.faults().is_empty());
    Ok(())
}
