//! Asking until there is an answer, within a deadline: retries, one repair round, and a line of the ledger for each call.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};
use waymark_discovery::{Call, CallStatus, Decided, Model, ModelError, ModelName, ModelRequest, Usage};

use crate::answer::{completed, fits, shown};
use crate::anthropic::Anthropic;
use crate::http::Failure;
use crate::jev::Evaluation;
use crate::openai::OpenAi;
use crate::prices::Price;

/// How patient a model's caller is. Within the deadline of the question in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The first pause after a failure that passes; each further one is twice as long, and each is shortened by chance.
    pub base: Duration,
    /// The longest pause that is chosen; what a provider asks for may be longer.
    pub longest: Duration,
    /// Calls at most for one question and its repair.
    pub calls: u32,
    /// The longest that one call may take.
    pub call: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Pace {
            base: Duration::from_millis(500),
            longest: Duration::from_secs(20),
            calls: 8,
            call: Duration::from_secs(60),
        }
    }
}

/// A provider's model over the network.
pub struct Remote {
    pub(crate) wire: Wire,
    pub(crate) name: ModelName,
    pub(crate) price: Option<Price>,
    pub(crate) pace: Pace,
    pub(crate) form: Option<Form>,
}

/// The protocol that is spoken.
pub(crate) enum Wire {
    OpenAi(OpenAi),
    Anthropic(Anthropic),
    Jev(Evaluation),
}

/// What a provider answered.
pub(crate) struct Answer {
    pub(crate) usage: Usage,
    pub(crate) says: Says,
}

pub(crate) enum Says {
    /// The arguments of the call, or why there are none; and the answer as it is told back for repair.
    Called {
        said: String,
        arguments: Result<Value, String>,
        form: Form,
    },
    Declined(String),
}

/// In which form an answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// A call of the tool.
    ToolCall,
    /// A text that the arguments were read from.
    Text,
}

/// What is said to a model whose answer did not fit.
pub(crate) struct Repair {
    pub(crate) said: String,
    pub(crate) asks: String,
}

impl Wire {
    async fn ask(&self, request: &ModelRequest, repair: Option<&Repair>) -> Result<Answer, Failure> {
        match self {
            Wire::OpenAi(wire) => wire.ask(request, repair).await,
            Wire::Anthropic(wire) => wire.ask(request, repair).await,
            Wire::Jev(wire) => wire.ask().await,
        }
    }

    fn adapt(&mut self, failure: &Failure) -> bool {
        match self {
            Wire::OpenAi(wire) => wire.adapt(failure),
            Wire::Anthropic(wire) => wire.adapt(failure),
            Wire::Jev(_) => false,
        }
    }
}

impl Model for Remote {
    fn name(&self) -> ModelName {
        self.name.clone()
    }

    fn decide<'a>(&'a mut self, request: &'a ModelRequest, deadline: Duration) -> BoxFuture<'a, Decided> {
        Box::pin(async move {
            let mut calls = Vec::new();
            let reply = self.reply(request, deadline, &mut calls).await;
            Decided { reply, calls }
        })
    }
}

impl Remote {
    /// The same model with another pace.
    #[must_use]
    pub fn paced(self, pace: Pace) -> Self {
        Remote { pace, ..self }
    }

    /// The form of the latest answer; `None` while there was none.
    #[must_use]
    pub fn form(&self) -> Option<Form> {
        self.form
    }

    async fn reply(
        &mut self,
        request: &ModelRequest,
        deadline: Duration,
        calls: &mut Vec<Call>,
    ) -> Result<Value, ModelError> {
        let until = Instant::now() + deadline;
        let over = ModelError::Timeout { seconds: deadline.as_secs() };
        let mut repair: Option<Repair> = None;
        let mut pause = self.pace.base;
        // Why the call before this one failed, which says more than that the time was over in the end.
        let mut before: Option<Failure> = None;
        loop {
            let started = Instant::now();
            let left = until.saturating_duration_since(started).min(self.pace.call);
            if left.is_zero() {
                return Err(before.map_or(over, |failure| failure.into_error(deadline.as_secs())));
            }
            let answer = timeout(left, self.wire.ask(request, repair.as_ref())).await;
            let latency = started.elapsed();
            let failure = match answer {
                Ok(Ok(Answer { usage, says: Says::Declined(why) })) => {
                    calls.push(self.call(request, usage, latency, CallStatus::Declined));
                    return Err(ModelError::Declined { why: shown(&why) });
                }
                Ok(Ok(Answer { usage, says: Says::Called { said, arguments, form } })) => {
                    self.form = Some(form);
                    let schema = &request.tool.parameters;
                    let arguments = arguments.map(|arguments| completed(schema, arguments));
                    let checked = arguments.and_then(|arguments| fits(schema, &arguments).map(|()| arguments));
                    match checked {
                        Ok(arguments) => {
                            calls.push(self.call(request, usage, latency, CallStatus::Answered));
                            return Ok(arguments);
                        }
                        Err(why) => {
                            calls.push(self.call(request, usage, latency, CallStatus::Misfit));
                            if repair.is_some() || calls.len() >= self.pace.calls as usize {
                                return Err(ModelError::InvalidOutput { why });
                            }
                            repair = Some(asked_to_repair(request, &said, &why));
                            continue;
                        }
                    }
                }
                Ok(Err(failure)) => failure,
                Err(_) => Failure {
                    status: CallStatus::Timeout,
                    number: None,
                    why: "no answer in time".to_owned(),
                    wait: None,
                },
            };
            calls.push(self.call(request, Usage::default(), latency, failure.status));
            let spent = calls.len() >= self.pace.calls as usize;
            if !spent && self.wire.adapt(&failure) {
                continue;
            }
            let wait = failure.wait.unwrap_or_default().max(shortened(pause));
            let in_time = Instant::now() + wait < until;
            if spent || !failure.passes() || !in_time {
                let told = before.filter(|_| failure.status == CallStatus::Timeout).unwrap_or(failure);
                return Err(told.into_error(deadline.as_secs()));
            }
            before = Some(failure);
            pause = (pause * 2).min(self.pace.longest);
            sleep(wait).await;
        }
    }

    fn call(&self, request: &ModelRequest, usage: Usage, latency: Duration, status: CallStatus) -> Call {
        Call {
            role: request.role,
            name: self.name.clone(),
            usage,
            latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
            status,
            price_micros: self.price.as_ref().and_then(|price| price.of(&usage)),
        }
    }
}

fn asked_to_repair(request: &ModelRequest, said: &str, why: &str) -> Repair {
    let said = match said.trim() {
        // No protocol takes an empty answer.
        "" => "(nothing)".to_owned(),
        said => shown(said),
    };
    let asks = format!(
        "That does not fit: {why}. Call `{}` once more, with arguments that fit its schema.",
        request.tool.name
    );
    Repair { said, asks }
}

/// A pause of half to whole its length, by chance: callers that failed together do not come back together.
fn shortened(pause: Duration) -> Duration {
    let mut byte = [0u8; 1];
    // Without chance the pause is whole.
    let part = getrandom::fill(&mut byte).map_or(255, |()| byte[0]);
    pause / 2 + pause / 2 * u32::from(part) / 255
}
