//! The selector over the network: a choice among numbered candidates, in either protocol.

use serde_json::{Value, json};
use waymark_discovery::{ByModel, CallStatus, Candidate, Choice, ModelError, Role, Selected, Selector as _};
use waymark_llm::{Options, Scripted};

use crate::failures::error;
use crate::server::Server;
use crate::{BOTH, LONG, called, model};

fn choice() -> Choice {
    let candidate = |number, words: &str| Candidate { number, words: words.to_owned() };
    Choice {
        action: "click".into(),
        wanted: "Save".into(),
        reason: "the address is complete".into(),
        candidates: vec![
            candidate(2, "button \"Save\" (in \"Billing\")"),
            candidate(4, "button \"Save\" (in \"Shipping\")"),
        ],
    }
}

fn chosen(element: Value) -> Value {
    json!({ "reason": "r", "element": element })
}

#[tokio::test]
async fn a_selector_is_asked_for_one_number_and_stands_in_the_ledger_as_itself() {
    for provider in BOTH {
        let answers = [json!(4), Value::Null, json!(99)].map(|element| called(provider, "choose", &chosen(element)));
        let server = Server::start(answers.into()).await;
        let mut selector = ByModel(Box::new(model(provider, &server, &Options::default())));
        // What is no candidate is for whoever asks to refuse.
        for expected in [Some(4), None, Some(99)] {
            let Selected { reply, calls } = selector.select(&choice(), LONG).await;
            assert_eq!(reply, Ok(expected));
            assert_eq!((calls.len(), calls[0].role, calls[0].status), (1, Role::Selector, CallStatus::Answered));
            assert_eq!(calls[0].usage.output, Some(7));
        }
        let asked = server.seen();
        let text = asked[0].body.to_string();
        for part in ["MEANT: Save", "4 button \\\"Save\\\" (in \\\"Shipping\\\")", "choose", "a wrong choice does harm"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

#[tokio::test]
async fn a_choice_in_the_wrong_form_is_repaired_once_and_then_no_choice() {
    for provider in BOTH {
        let wrong = || called(provider, "act", &chosen(json!(4)));
        let server = Server::start(vec![wrong(), called(provider, "choose", &chosen(json!(2)))]).await;
        let mut selector = ByModel(Box::new(model(provider, &server, &Options::default())));
        let Selected { reply, calls } = selector.select(&choice(), LONG).await;
        assert_eq!((reply, calls.len()), (Ok(Some(2)), 2));
        let server = Server::start(vec![wrong(), wrong()]).await;
        let mut selector = ByModel(Box::new(model(provider, &server, &Options::default())));
        let reply = selector.select(&choice(), LONG).await.reply;
        assert!(matches!(reply, Err(ModelError::InvalidOutput { .. })), "{reply:?}");
        let server = Server::start(vec![error(401, "bad key canary-key-1234567890")]).await;
        let mut selector = ByModel(Box::new(model(provider, &server, &Options::default())));
        let reply = selector.select(&choice(), LONG).await.reply;
        assert!(
            matches!(&reply, Err(ModelError::Rejected { status: 401, why }) if !why.contains("canary")),
            "{reply:?}"
        );
    }
}

#[tokio::test]
async fn a_script_answers_for_each_role_in_its_own_order() {
    let text = "{\"for\": \"selector\", \"element\": {\"role\": \"button\", \"name\": \"Save\", \"context\": \"Billing\"}, \"reason\": \"r\"}\n\
                {\"action\": \"done\"}\n{\"for\": \"selector\", \"arguments\": {\"reason\": \"r\", \"element\": null}}";
    let mut navigator = Scripted::from_text("turns.jsonl", text).unwrap();
    let its = navigator.split_off(Role::Selector);
    assert_eq!((navigator.left(), its.left()), (1, 2));
    let mut selector = ByModel(Box::new(its));
    assert!(selector.name().simulated);
    assert_eq!(selector.select(&choice(), LONG).await.reply, Ok(Some(2)));
    assert_eq!(selector.select(&choice(), LONG).await.reply, Ok(None));
    assert_eq!(selector.select(&choice(), LONG).await.reply.unwrap_err().code(), "script_ended");
}
