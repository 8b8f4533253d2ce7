//! Logging in and out, sessions in addresses, and what happens without one.

use crate::Outcome;
use crate::client::{bank, between, john};

#[tokio::test]
async fn a_login_leads_to_the_overview() -> Outcome {
    let (_running, mut client) = bank().await?;
    let front = client.get("/parabank/index.htm").await?;
    assert_eq!(front.title(), "ParaBank | Welcome | Online Banking");
    assert!(client.cookie.is_some());
    let answer = client.post("/parabank/login.htm", "username=john&password=demo").await?;
    assert_eq!(answer.status, 302);
    assert_eq!(answer.header("location"), Some("/parabank/overview.htm"));
    let overview = client.get("/parabank/overview.htm").await?;
    assert_eq!(overview.title(), "ParaBank | Accounts Overview");
    assert!(overview.has("<b>Welcome</b> John Smith"));
    assert!(!overview.has("name=\"login\""));
    Ok(())
}

#[tokio::test]
async fn a_refused_login_is_an_error_view_with_status_200() -> Outcome {
    let (_running, mut client) = bank().await?;
    for (form, sentence) in [
        ("username=&password=demo", "Please enter a username and password."),
        ("username=john&password=", "Please enter a username and password."),
        ("", "Please enter a username and password."),
        ("username=john&password=wrong", "The username and password could not be verified."),
        ("username=nobody&password=demo", "The username and password could not be verified."),
    ] {
        let answer = client.post("/parabank/login.htm", form).await?;
        assert_eq!(answer.status, 200, "{form}");
        assert_eq!(answer.title(), "ParaBank | Error", "{form}");
        assert!(answer.has("<h1 class=\"title\">Error!</h1>"), "{form}");
        assert!(answer.has(&format!("<p class=\"error\">{sentence}</p>")), "{form}");
        assert!(answer.has("<h2>Customer Login</h2>"), "{form}");
    }
    Ok(())
}

#[tokio::test]
async fn login_fields_have_no_name_but_the_block_before_them() -> Outcome {
    let (_running, mut client) = bank().await?;
    let front = client.get("/parabank/index.htm").await?;
    let form = between(&front.body, "<form name=\"login\"", "</form>");
    for absent in ["<label", "aria-", "placeholder", " id="] {
        assert!(!form.contains(absent), "{absent}");
    }
    assert!(form.contains("<p><b>Username</b></p>"));
    assert!(form.contains("<input type=\"submit\" class=\"button\" value=\"Log In\"/>"));
    assert!(front.has("onload=\"document.login.username.focus()\""));
    Ok(())
}

#[tokio::test]
async fn addresses_carry_the_session_until_the_cookie_is_known() -> Outcome {
    let (_running, mut client) = bank().await?;
    let first = client.get("/parabank/index.htm").await?;
    let cookie = client.cookie.clone().ok_or("no cookie")?;
    let id = cookie.strip_prefix("JSESSIONID=").ok_or("other cookie")?;
    assert!(first.has(&format!("href=\"register.htm;jsessionid={id}\"")));
    assert!(first.has(&format!("action=\"login.htm;jsessionid={id}\"")));
    let second = client.get("/parabank/index.htm").await?;
    assert!(!second.has("jsessionid"));
    Ok(())
}

#[tokio::test]
async fn a_session_in_the_path_is_tolerated_everywhere_and_enough_without_a_cookie() -> Outcome {
    let (_running, mut client) = bank().await?;
    client.get("/parabank/index.htm").await?;
    let cookie = client.cookie.take().ok_or("no cookie")?;
    let id = cookie.trim_start_matches("JSESSIONID=");
    let path = format!("/parabank/login.htm;jsessionid={id}");
    let answer = client.post(&path, "username=john&password=demo").await?;
    let location = answer.header("location").ok_or("no redirect")?.to_owned();
    assert_eq!(location, format!("/parabank/overview.htm;jsessionid={id}"));
    assert!(client.get(&location).await?.has("Accounts Overview"));
    let data = format!("/parabank/services_proxy/bank/customers/12212/accounts;jsessionid={id}");
    assert_eq!(client.get(&data).await?.status, 200);
    let style = format!("/parabank/bank.css;jsessionid={id}");
    assert_eq!(client.get(&style).await?.status, 200);
    Ok(())
}

#[tokio::test]
async fn a_protected_page_without_a_session_is_a_login_form_at_the_same_address() -> Outcome {
    let (_running, mut client) = bank().await?;
    for page in [
        "overview",
        "activity",
        "transaction",
        "transfer",
        "billpay",
        "openaccount",
        "findtrans",
        "requestloan",
        "updateprofile",
    ] {
        let answer = client.get(&format!("/parabank/{page}.htm?id=12345")).await?;
        assert_eq!(answer.status, 200, "{page}");
        assert_eq!(answer.title(), "ParaBank | Log In", "{page}");
        assert!(answer.has("You must be logged in to use this feature."), "{page}");
        assert!(answer.has("<h1 class=\"title\">Sign Up</h1>"), "{page}");
        assert!(answer.has("<h1 class=\"title\">Forgot Your Password?</h1>"), "{page}");
        let hidden = format!("<input type=\"hidden\" name=\"forwardAction\" value=\"/{page}.htm?id=12345\"/>");
        assert!(answer.has(&hidden), "{page}");
    }
    Ok(())
}

#[tokio::test]
async fn an_expired_session_is_seen_by_text_and_not_by_address() -> Outcome {
    let (_running, mut client) = john().await?;
    client.cookie = Some("JSESSIONID=LONGGONE".to_owned());
    let answer = client.get("/parabank/overview.htm").await?;
    assert_eq!((answer.status, answer.header("location")), (200, None));
    assert!(answer.has("You must be logged in to use this feature."));
    Ok(())
}

#[tokio::test]
async fn a_login_from_a_protected_page_leads_back_to_it() -> Outcome {
    let (_running, mut client) = bank().await?;
    client.get("/parabank/activity.htm?id=12345").await?;
    let form = "username=john&password=demo&forwardAction=%2Factivity.htm%3Fid%3D12345";
    let answer = client.post("/parabank/login.htm", form).await?;
    assert_eq!(answer.header("location"), Some("/parabank/activity.htm?id=12345"));
    let form = "username=john&password=demo&forwardAction=https%3A%2F%2Felsewhere.example%2F";
    let answer = client.post("/parabank/login.htm", form).await?;
    assert_eq!(answer.header("location"), Some("/parabank/overview.htm"));
    Ok(())
}

#[tokio::test]
async fn log_out_ends_the_session_and_leads_to_the_front_page() -> Outcome {
    let (_running, mut client) = john().await?;
    let answer = client.get("/parabank/logout.htm").await?;
    assert_eq!(answer.status, 302);
    assert!(answer.header("location").is_some_and(|l| l.starts_with("/parabank/index.htm")));
    assert!(client.get("/parabank/overview.htm").await?.has("You must be logged in"));
    Ok(())
}

#[tokio::test]
async fn the_context_alone_leads_to_the_front_page() -> Outcome {
    let (_running, mut client) = bank().await?;
    for path in ["/parabank", "/parabank/", "/parabank/index.jsp"] {
        let answer = client.get(path).await?;
        assert_eq!(answer.status, 302, "{path}");
        assert!(answer.header("location").is_some_and(|l| l.starts_with("/parabank/index.htm")));
    }
    Ok(())
}

#[tokio::test]
async fn two_instances_share_nothing() -> Outcome {
    let (_one, mut john) = john().await?;
    let (_other, mut stranger) = bank().await?;
    stranger.cookie = john.cookie.clone();
    assert!(john.get("/parabank/overview.htm").await?.has("Welcome</b> John"));
    assert!(stranger.get("/parabank/overview.htm").await?.has("You must be logged in"));
    Ok(())
}
