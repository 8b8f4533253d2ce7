//! One live discovery: the session behind the loop, and the folder in which it is written down.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use waymark_artifact::{Name, Risk, StepId};
use waymark_discovery::{Acted, Call, Exploration, Job, Model, Said, Selector, Stage};
use waymark_evidence::{Redaction, RunFolder};
use waymark_policy::{Grants, Mode, Policy};
use waymark_recording::Given;
use waymark_redact::{MASK, Redactor, Rules, Secret};
use waymark_run::{
    CapabilityRef, Code, Effect, ErrorReport, ModelCall, RESULT_SCHEMA, RunEvent, RunResult, RunStatus, StepCounts,
};
use waymark_snapshot::{WindowKey, squash};
use waymark_surface::{
    Act, Ask, Delivery, Driver, DriverError, Driving, Gate, NotDelivered, Observation, Observe, ReadBack, Refusal,
    Settling, TypedText, Until,
};

use crate::clock::Clock;
use crate::drive::told;
use crate::ids::run_id;
use crate::recorder::Recorder;
use crate::run::{Bars, BrowserChoice, Opened, Stop, Watcher, finish, open};
use crate::secrets::{CredentialSource, register};
use crate::{acting, pictures};

/// How long a screen is given to come to rest.
const REST: Duration = Duration::from_secs(10);
/// How long a wait is.
const WAIT: Duration = Duration::from_secs(5);
/// How long an act may take.
const ACT: Duration = Duration::from_secs(15);
/// How long the driver may take to say how it would find a thing again.
const HINT: Duration = Duration::from_secs(1);
/// How long a picture may take.
const PICTURE: Duration = Duration::from_secs(3);

/// The texts of the caller's parameters, sensitive ones as secrets.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// Those that may be seen.
    pub plain: BTreeMap<Name, String>,
    /// Those that must not.
    pub sensitive: BTreeMap<Name, Secret<String>>,
    /// Other forms of those that may be seen, than the one in which the application writes them.
    pub others: BTreeMap<Name, Vec<String>>,
    /// Other forms of those that must not.
    pub hidden: BTreeMap<Name, Vec<Secret<String>>>,
}

impl Texts {
    /// Every text that must not be seen, in each of its forms.
    pub fn secrets(&self) -> impl Iterator<Item = (&Name, &Secret<String>)> {
        let hidden = self.hidden.iter().flat_map(|(name, forms)| forms.iter().map(move |form| (name, form)));
        self.sensitive.iter().chain(hidden)
    }
}

/// Everything a discovery needs besides the job and the model.
#[derive(Clone, Debug)]
pub struct Exploring {
    /// What will be recorded: id and version; its digest is that of the goal.
    pub capability: CapabilityRef,
    /// The application's word.
    pub application: String,
    pub policy: Arc<Policy>,
    pub mode: Mode,
    pub grants: Grants,
    pub browser: BrowserChoice,
    /// Where run folders are made.
    pub evidence_root: PathBuf,
    pub rules: Rules,
    pub credentials: BTreeMap<Name, CredentialSource>,
    pub texts: Texts,
    /// Name and version of the program, for the journal.
    pub engine: String,
    /// Whether pictures are taken.
    pub pictures: bool,
}

/// A discovery that is over, with its folder still open: what is compiled and verified is written there too.
pub struct Explored<'w> {
    recorder: Recorder<'w>,
    capability: CapabilityRef,
    run_id: String,
    started_at: String,
    /// What was done; `None` where no browser could be had.
    pub exploration: Option<Exploration>,
    /// Why there is none.
    pub failed: Option<(Code, String)>,
}

/// Explores. `stop` ends it at the next safe point.
///
/// # Errors
/// The run folder cannot be made; nothing was started.
pub async fn explore<'w>(
    request: &Exploring,
    job: &Job,
    model: &mut dyn Model,
    selector: Option<&mut dyn Selector>,
    watcher: &'w mut Watcher<'w>,
    mut stop: watch::Receiver<Option<Stop>>,
) -> Result<Explored<'w>, (Code, String)> {
    let clock = Clock::start();
    let started_at = clock.utc();
    let run_id = run_id().unwrap_or_else(|_| format!("pid{}", std::process::id()));
    let redaction = |error: waymark_redact::RedactError| (Code::RedactionFailed, error.to_string());
    let redactor = Arc::new(Redactor::new(&request.rules).map_err(redaction)?);
    for (name, secret) in request.texts.secrets() {
        redactor.register(name.as_str(), secret.expose()).map_err(redaction)?;
    }
    register(&redactor, request.credentials.iter()).map_err(redaction)?;
    let folder = RunFolder::create(&request.evidence_root, "discovery", &started_at, &run_id, redactor.clone())
        .map_err(|error| (Code::EvidenceUnwritable, format!("{error}; {}", error.hint())))?;
    let mut recorder = Recorder::new(folder, redactor, clock, watcher, false);
    let bars =
        Bars { policy: &request.policy, application: &request.application, mode: request.mode, grants: request.grants };
    let opened: Result<Opened, (Code, String)> = tokio::select! {
        biased;
        () = told(&mut stop) => Err((Code::Interrupted, "told to end before its browser was there".to_owned())),
        opened = open(&request.browser, &bars) => opened.map_err(|message| (Code::BrowserUnavailable, message)),
    };
    let surface = opened.as_ref().map_or("none", |(browser, ..)| browser.version()).to_owned();
    recorder.tell(RunEvent::RunStarted {
        capability: Box::new(request.capability.clone()),
        mode: match request.mode {
            Mode::Attended => "attended",
            Mode::Unattended => "unattended",
        },
        policy: request.policy.digest().to_owned(),
        variables: BTreeMap::new(),
        parameters: BTreeMap::new(),
        engine: request.engine.clone(),
        surface,
        started_at: started_at.clone(),
    });
    let (exploration, failed) = match opened {
        Ok((browser, gate, driving)) => {
            let mut live = Live { gate, driving, recorder, request, stop, latest: 0, turn: 0 };
            let exploration = waymark_discovery::explore(&mut live, model, selector, job).await;
            live.last_picture().await;
            live.gate.close().await;
            recorder = live.recorder;
            browser.close().await;
            (Some(exploration), None)
        }
        Err(failed) => (None, Some(failed)),
    };
    Ok(Explored { recorder, capability: request.capability.clone(), run_id, started_at, exploration, failed })
}

impl Explored<'_> {
    /// The run's id.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// When it began, as RFC 3339.
    #[must_use]
    pub fn started_at(&self) -> &str {
        &self.started_at
    }

    /// Tells what came of it.
    pub fn tell(&mut self, event: RunEvent) {
        self.recorder.tell(event);
    }

    /// A text without what must not be seen.
    #[must_use]
    pub fn veiled(&self, text: &str) -> String {
        clean(&self.recorder.redactor, text)
    }

    /// Writes the end. `failed` is the code and the words where it did not succeed; `effect` what risky deeds came to.
    #[must_use]
    pub fn finish(
        self,
        failed: Option<(Code, String)>,
        effect: Effect,
        done: u32,
        exit: Option<waymark_run::ExitCode>,
    ) -> RunResult {
        let failed = self.recorder.failure().cloned().or(failed);
        let status = if failed.is_some() { RunStatus::Failed } else { RunStatus::Success };
        let result = RunResult {
            schema: RESULT_SCHEMA.into(),
            run_id: self.run_id,
            status,
            exit_code: exit.unwrap_or_else(|| status.exit_code()),
            capability: self.capability,
            outputs: BTreeMap::new(),
            business_outcome: None,
            escalation: None,
            error: failed.map(|(code, message)| ErrorReport {
                code,
                step: None,
                message,
                retryable: code.row().retryable && effect == Effect::None,
                next: crate::result::next_words(code.row().next).to_owned(),
            }),
            recovered: Vec::new(),
            human_assisted: false,
            effect,
            not_attempted: Vec::new(),
            held_before: Vec::new(),
            drift: waymark_run::DriftReport::default(),
            steps: StepCounts { done, total: done },
            started_at: self.started_at,
            duration_ms: self.recorder.clock.at_ms(),
            effect_journal: None,
            evidence: None,
            evidence_gaps: Vec::new(),
        };
        finish(self.recorder, result)
    }
}

struct Live<'a, 'w, D> {
    gate: Gate<D>,
    driving: Driving,
    recorder: Recorder<'w>,
    request: &'a Exploring,
    stop: watch::Receiver<Option<Stop>>,
    /// Number of the latest observation.
    latest: u64,
    turn: u32,
}

impl<D: Driver + Send> Live<'_, '_, D> {
    fn step(&self) -> StepId {
        let word = if self.turn == 0 { "start".to_owned() } else { format!("turn_{}", self.turn) };
        StepId::new(&word).unwrap_or_else(|_| unreachable!("`{word}` is a name"))
    }

    async fn last_picture(&mut self) {
        if self.request.pictures && !self.is_stopped() {
            let step = self.step();
            let caption = "the screen at the end";
            let _ = pictures::take(&mut self.gate, &mut self.recorder, WindowKey::main(), Some(step), caption, PICTURE)
                .await;
        }
    }

    /// Looks until the screen is at rest, or the time is over.
    async fn rest(&mut self, within: Duration) -> Result<Observation, DriverError> {
        let end = tokio::time::Instant::now() + within;
        let mut facts = Vec::new();
        let mut until = Until::Now;
        loop {
            let left = end.saturating_duration_since(tokio::time::Instant::now());
            let request = Observe { until, ..Observe::default() };
            let seen = tokio::select! {
                biased;
                () = told(&mut self.stop) => None,
                seen = self.gate.observe(&request, left) => Some(seen?),
            };
            let Some(mut seen) = seen else {
                // What stands there now is enough to end with.
                return self.gate.observe(&Observe::default(), PICTURE).await;
            };
            self.latest = seen.number;
            for fact in &seen.facts {
                let fact = serde_json::to_value(fact).unwrap_or_default();
                let step = self.step();
                self.recorder.tell(RunEvent::Surface { step: Some(step), fact });
            }
            facts.append(&mut seen.facts);
            let over = tokio::time::Instant::now() >= end;
            if over || seen.dialog.is_some() || matches!(seen.settling, Settling::Settled) {
                seen.facts = facts;
                return Ok(seen);
            }
            until = Until::Change { after: seen.number };
        }
    }

    /// The text behind a value. A credential is registered for redaction before anybody else sees it.
    fn fill(&mut self, act: &mut Act, given: &Given) -> Result<(), String> {
        let secret = |secret: &Secret<String>| TypedText::Secret(secret.clone());
        let filled = match given {
            Given::Literal(text) => TypedText::Plain(text.clone()),
            Given::Parameter(name) => {
                match (self.request.texts.plain.get(name), self.request.texts.sensitive.get(name)) {
                    (Some(text), _) => TypedText::Plain(text.clone()),
                    (None, Some(text)) => secret(text),
                    (None, None) => return Err(format!("`{name}` has no value")),
                }
            }
            Given::Credential(name) => {
                let source =
                    self.request.credentials.get(name).ok_or_else(|| format!("no source is bound to `{name}`"))?;
                let value = source.resolve().map_err(|error| error.to_string())?;
                self.recorder.redactor.register(name.as_str(), value.expose()).map_err(|error| error.to_string())?;
                secret(&value)
            }
        };
        match act {
            Act::Type { text, .. } => *text = filled,
            Act::Choose { option, .. } => *option = filled,
            _ => {}
        }
        Ok(())
    }
}

impl<D: Driver + Send> Stage for Live<'_, '_, D> {
    async fn look(&mut self) -> Result<Observation, DriverError> {
        self.rest(REST).await
    }

    async fn wait(&mut self) -> Result<Observation, DriverError> {
        let request = Observe { until: Until::Change { after: self.latest }, ..Observe::default() };
        tokio::select! {
            biased;
            () = told(&mut self.stop) => {}
            seen = self.gate.observe(&request, WAIT) => {
                self.latest = seen?.number;
            }
        }
        self.rest(REST).await
    }

    async fn act(&mut self, mut ask: Ask, given: Option<Given>) -> Acted {
        let step = self.step();
        if let Some(given) = &given
            && let Err(why) = self.fill(&mut ask.act, given)
        {
            return Acted::NotDelivered { why };
        }
        let pass = match acting::allowed(&mut self.gate, &mut self.driving, &mut self.recorder, &step, &ask) {
            Ok(pass) => pass,
            Err(Refusal { code, rule, message, .. }) => return Acted::Refused { code, rule, message },
        };
        let risk = pass.assessment.risk;
        // What was not written down is not done.
        if let Some((_, why)) = self.recorder.failure() {
            return Acted::NotDelivered { why: why.clone() };
        }
        let Live { gate, driving, recorder, stop, .. } = self;
        // Asked before: what is pressed may be gone afterwards.
        let hint = match ask.act.node().filter(|_| risk == Risk::Safe) {
            Some(node) => gate.hint(node, HINT).await.filter(|hint| clean(&recorder.redactor, hint) == *hint),
            None => None,
        };
        let Some(delivery) = acting::done(gate, driving, recorder, step, pass, &ask.act, ACT, stop).await else {
            return Acted::Unknown { risk, why: "it was told to end at once while this was under way".to_owned() };
        };
        match delivery {
            Delivery::Delivered { read_back } => match mismatch(&ask.act, read_back.as_ref()) {
                None => Acted::Done { risk, hint },
                // Something of it arrived: what is more than safe may have been done with it.
                Some(why) if risk > Risk::Safe => Acted::Unknown { risk, why: why.to_owned() },
                Some(why) => Acted::NotDelivered { why: why.to_owned() },
            },
            Delivery::NotDelivered(why) => Acted::NotDelivered { why: said(&why) },
            Delivery::Unknown(error) => Acted::Unknown { risk, why: error.to_string() },
        }
    }

    fn off_limits(&self, location: &str) -> Option<String> {
        self.gate.off_limits(location)
    }

    async fn picture(&mut self, caption: &str) {
        if !self.request.pictures {
            return;
        }
        let step = self.step();
        let caption = clean(&self.recorder.redactor, caption);
        let _ =
            pictures::take(&mut self.gate, &mut self.recorder, WindowKey::main(), Some(step), &caption, PICTURE).await;
    }

    fn tell(&mut self, said: Said) {
        let event = match said {
            Said::Asked { turn, prompt } => {
                self.turn = turn;
                RunEvent::Asked { turn, prompt }
            }
            Said::Called { turn, call } => RunEvent::ModelCalled { turn, call: ledger(call) },
            Said::Decided { turn, written } => {
                RunEvent::Decided { turn, decision: serde_json::to_value(written).unwrap_or_default() }
            }
            Said::AskedWhich { turn, label, prompt } => RunEvent::AskedWhich { turn, label, prompt },
            Said::Grounded { turn, label, by_model, element } => {
                let by = if by_model { "model" } else { "screen" };
                RunEvent::Grounded { turn, label, by, element }
            }
            Said::Came { turn, done, result } => RunEvent::Came { turn, done, result },
        };
        self.recorder.tell(event);
    }

    fn veil(&self, text: &str) -> String {
        clean(&self.recorder.redactor, text)
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.recorder.clock.at_ms())
    }

    async fn stopped(&mut self) {
        told(&mut self.stop).await;
    }

    fn is_stopped(&self) -> bool {
        self.stop.borrow().is_some()
    }

    fn failure(&self) -> Option<(Code, String)> {
        self.recorder.failure().cloned()
    }
}

/// Why a control does not hold what an act put into it.
fn mismatch(act: &Act, held: Option<&ReadBack>) -> Option<&'static str> {
    let right = match (act, held) {
        (Act::Type { .. } | Act::Choose { .. }, Some(ReadBack::Compared { equal })) => *equal,
        (Act::Type { text: put, .. }, Some(ReadBack::Value(held))) => squash(put.expose()) == squash(held),
        (Act::Choose { option: put, rule, .. }, Some(ReadBack::Value(held))) => rule.fits(put.expose(), held),
        (Act::SetChecked { checked, .. }, Some(ReadBack::Checked(held))) => checked == held,
        (Act::Type { .. } | Act::Choose { .. } | Act::SetChecked { .. }, _) => {
            return Some("the control could not be read back");
        }
        _ => true,
    };
    (!right).then_some("the control holds something else than what was put in")
}

/// A text without what must not be seen; nothing of it, where that cannot be told.
fn clean(redactor: &Redactor, text: &str) -> String {
    Redaction::text(redactor, text).unwrap_or_else(|_| MASK.to_owned())
}

fn ledger(call: Call) -> ModelCall {
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    ModelCall {
        role: word(serde_json::to_value(call.role).unwrap_or_default()),
        provider: call.name.provider,
        model: call.name.model,
        simulated: call.name.simulated,
        input_tokens: call.usage.input,
        output_tokens: call.usage.output,
        cached_tokens: call.usage.cached,
        latency_ms: call.latency_ms,
        status: word(serde_json::to_value(call.status).unwrap_or_default()),
        price_micros: call.price_micros,
    }
}

/// In words for a model, without what a screen holds.
fn said(why: &NotDelivered) -> String {
    match why {
        NotDelivered::Stale => "the element is gone".to_owned(),
        NotDelivered::Hidden => "the element is hidden".to_owned(),
        NotDelivered::Disabled => "the element is disabled".to_owned(),
        NotDelivered::Covered { by } => format!("{by} lies over the element"),
        NotDelivered::OptionAbsent { .. } => "the list has no such option".to_owned(),
        NotDelivered::OptionAmbiguous { .. } => "more than one option has this text".to_owned(),
        NotDelivered::Unsupported { why } => why.clone(),
        NotDelivered::DialogOpen => "a dialog is open".to_owned(),
        NotDelivered::Failed(error) => error.to_string(),
    }
}
