//! What goes wrong between here and a provider.

use waymark_llm::{Scripted, try_model};

use super::*;

pub(crate) fn error(status: u16, message: &str) -> Reply {
    Reply::json(status, json!({ "type": "error", "error": { "type": "x", "message": message } }))
}

#[tokio::test]
async fn a_failure_that_passes_is_waited_out() {
    for provider in BOTH {
        for status in [429, 500, 502, 503, 529] {
            let script =
                vec![error(status, "busy"), Reply::text(status, "<html>busy"), called(provider, "act", &click())];
            let came = ask(provider, script).await;
            assert_eq!(came.decided.reply, Ok(click()), "{status}");
            let failed = if status == 429 { CallStatus::RateLimited } else { CallStatus::ServerError };
            assert_eq!(came.statuses(), [failed, failed, CallStatus::Answered]);
        }
    }
}

#[tokio::test]
async fn the_provider_says_how_long_to_wait() {
    for provider in BOTH {
        let script = vec![error(429, "slow down").header("retry-after", "0.2"), called(provider, "act", &click())];
        let came = ask(provider, script).await;
        assert_eq!(came.decided.reply, Ok(click()));
        let waited = came.seen[1].at.duration_since(came.seen[0].at);
        assert!(waited >= Duration::from_millis(200), "{waited:?}");
    }
}

#[tokio::test]
async fn a_wait_beyond_the_deadline_is_not_begun() {
    for provider in BOTH {
        let came = ask(provider, vec![error(429, "tomorrow").header("retry-after", "3600")]).await;
        assert_eq!((came.code(), came.seen.len()), ("model_rate_limited", 1));
        assert!(came.took < LONG / 2, "{:?}", came.took);
    }
}

#[tokio::test]
async fn what_does_not_pass_is_not_repeated() {
    for provider in BOTH {
        for status in [400, 401, 403, 404, 413] {
            let came = ask(
                provider,
                vec![error(status, &format!("no: {KEY} or sk-proj-abcdef")), called(provider, "act", &click())],
            )
            .await;
            assert_eq!((came.code(), came.seen.len()), ("model_rejected", 1));
            assert_eq!(came.statuses(), [CallStatus::Rejected]);
            let said = came.said();
            assert!(
                said.contains(&status.to_string()) && said.contains("no: •••") && !said.contains("abcdef"),
                "{said}"
            );
        }
    }
}

#[tokio::test]
async fn failing_without_end_ends() {
    for provider in BOTH {
        let script = (0..20).map(|_| error(503, "down")).collect();
        let came = ask(provider, script).await;
        assert_eq!((came.code(), came.seen.len()), ("model_server_error", 8));
        assert_eq!(came.decided.calls.len(), 8);
    }
}

#[tokio::test]
async fn a_broken_connection_or_text_is_asked_again() {
    for provider in BOTH {
        let script = vec![
            Reply::Broken,
            Reply::text(200, "{\"choices\": [{\"message\""),
            Reply::text(200, "[]"),
            Reply::json(200, json!({ "error": { "message": "overloaded" } })),
            called(provider, "act", &click()),
        ];
        let came = ask(provider, script).await;
        assert_eq!(came.decided.reply, Ok(click()));
        let broken = CallStatus::ServerError;
        assert_eq!(came.statuses(), [CallStatus::Unreachable, broken, broken, broken, CallStatus::Answered]);
    }
}

#[tokio::test]
async fn silence_ends_at_the_deadline() {
    for provider in BOTH {
        let script = vec![Reply::Silence, Reply::Silence, Reply::Silence];
        let came = ask_with(provider, script, &Options::default(), Duration::from_millis(150)).await;
        assert_eq!(came.code(), "model_timeout");
        assert_eq!(came.statuses(), [CallStatus::Timeout]);
        assert!(came.took < LONG / 2, "{:?}", came.took);
    }
}

#[tokio::test]
async fn the_deadline_does_not_hide_what_went_wrong_before() {
    for provider in BOTH {
        let script = vec![error(503, "down"), Reply::Silence];
        let came = ask_with(provider, script, &Options::default(), Duration::from_secs(1)).await;
        assert_eq!(came.code(), "model_server_error");
        assert_eq!(came.statuses(), [CallStatus::ServerError, CallStatus::Timeout]);
    }
}

#[tokio::test]
async fn one_silent_call_leaves_time_for_another() {
    for provider in BOTH {
        let server = Server::start(vec![Reply::Silence, called(provider, "act", &click())]).await;
        let pace = Pace { call: Duration::from_millis(500), base: Duration::from_millis(2), ..Pace::default() };
        let mut model = model(provider, &server, &Options::default()).paced(pace);
        let decided = model.decide(&request(), LONG).await;
        assert_eq!(decided.reply, Ok(click()));
        assert_eq!(decided.calls.first().map(|call| call.status), Some(CallStatus::Timeout));
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    for provider in BOTH {
        let mut model = model(provider, &Server::nowhere(), &Options::default());
        let decided = model.decide(&request(), LONG).await;
        let error = decided.reply.unwrap_err();
        assert_eq!(error.code(), "model_unreachable", "{error}");
        assert!(decided.calls.iter().all(|call| call.status == CallStatus::Unreachable) && !decided.calls.is_empty());
        assert!(!format!("{error:?} {error}").contains("canary"));
    }
}

#[tokio::test]
async fn a_trial_says_how_it_went() {
    for provider in BOTH {
        let server =
            Server::start(vec![called(provider, "answer", &json!({ "ready": true })), error(401, "bad key")]).await;
        let mut model = model(provider, &server, &Options::default());
        let trial = try_model(&mut model, Role::Navigator, LONG).await;
        assert_eq!((trial.problem, trial.name.model.as_str()), (None, "tiny"));
        assert_eq!(trial.calls[0].usage.output, Some(7));
        let problem = try_model(&mut model, Role::Navigator, LONG).await.problem.unwrap();
        assert_eq!(problem.code, "model_rejected");
        assert!(problem.hint.contains("check the key") && problem.message.contains("bad key"), "{problem:?}");
    }
    let mut script = Scripted::from_text("s", "{\"ready\": true}").unwrap();
    assert_eq!(try_model(&mut script, Role::Navigator, Duration::from_secs(1)).await.problem, None);
}
