//! The gate: the one place where an action is allowed and handed to a driver.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use waymark_artifact::Risk;
use waymark_policy::{
    ActionWord, Assessment, Control as PolicyControl, Grants, Mode, Policy, Proposed, RouteAsk, Verdict, decide,
};
use waymark_run::Code;
use waymark_snapshot::{NodeId, Role};

use crate::{
    Act, Control, ControlError, Delivery, Driver, DriverError, Driving, Hold, Observation, Observe, Permit, Picture,
    PictureRequest, TypedText,
};

/// What is known of the control that is acted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlFacts {
    /// Its role.
    pub role: Role,
    /// Its visible name or caption.
    pub name: String,
    /// The surface's own kind of element.
    pub native: String,
}

/// An action, and what the gate has to know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The action.
    pub act: Act,
    /// The address of the content acted in, or the one to open.
    pub location: String,
    /// The identifier of the screen.
    pub screen: Option<String>,
    /// The control.
    pub control: Option<ControlFacts>,
    /// The risk that the artifact declares.
    pub declared: Risk,
    /// Whether the act sends a form.
    pub submit_like: bool,
}

/// The gate's answer before anything is done.
#[derive(Debug)]
#[must_use = "a pass that is not used is an action that never happened"]
pub struct Pass {
    permit: Permit,
    /// What was allowed; nothing else may be done with it.
    allowed: Act,
    session: Arc<()>,
    /// Number of the authorization.
    pub number: u64,
    /// What it was judged to be.
    pub assessment: Assessment,
    /// Epoch of the control token.
    pub epoch: u64,
}

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Number of the authorization that was asked for.
    pub number: u64,
    /// `policy_blocked`, `risk_approval` or, where the token is gone, `internal`.
    pub code: Code,
    /// The risk, where it was judged.
    pub risk: Risk,
    /// What decided.
    pub rule: String,
    /// In words.
    pub message: String,
}

/// Why an act of a person was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PersonRefused {
    /// They do not hold the token.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The policy forbids it, whoever does it.
    #[error("the policy ({rule}) forbids it: {message}")]
    Policy {
        /// What decided.
        rule: String,
        /// In words.
        message: String,
    },
}

/// A driver behind policy and control token.
pub struct Gate<D> {
    driver: D,
    control: Control,
    policy: Arc<Policy>,
    application: String,
    mode: Mode,
    grants: Grants,
    asked: u64,
    /// What a person said yes to, until it is asked about.
    yes: Option<Ask>,
}

impl<D: Driver> Gate<D> {
    /// Puts a driver behind a policy. The engine holds the control token; the proof of it is returned.
    pub fn new(driver: D, policy: Arc<Policy>, application: &str, mode: Mode, grants: Grants) -> (Self, Driving) {
        let (control, driving) = Control::new();
        let application = application.to_owned();
        (Gate { driver, control, policy, application, mode, grants, asked: 0, yes: None }, driving)
    }

    /// The control token.
    pub fn control(&mut self) -> &mut Control {
        &mut self.control
    }

    /// Asks for one action: control token, then allowlist, action type and risk.
    ///
    /// # Errors
    /// It is not allowed.
    pub fn authorize(&mut self, driving: &mut Driving, ask: &Ask) -> Result<Pass, Refusal> {
        self.asked += 1;
        let number = self.asked;
        let refuse = |code, risk, rule: &str, message: String| {
            Err(Refusal { number, code, risk, rule: rule.to_owned(), message })
        };
        if let Err(error) = self.control.check(driving) {
            return refuse(Code::Internal, ask.declared, "control", error.to_string());
        }
        // It was for the very next question, and for that act alone.
        let person_said_yes = self.yes.take().is_some_and(|said| said == *ask);
        let grants = Grants { person_said_yes, ..self.grants };
        match decide(&self.policy, &ask.proposed(&self.application, self.mode, grants)) {
            Verdict::Allow { assessment, .. } => {
                let (allowed, session) = (ask.act.clone(), driving.session());
                Ok(Pass { permit: Permit::mint(), allowed, session, number, assessment, epoch: driving.epoch() })
            }
            Verdict::NeedsApproval { assessment, .. } => {
                let message = format!("what is {} needs approval", assessment.risk.as_str());
                refuse(Code::RiskApproval, assessment.risk, &assessment.rule, message)
            }
            Verdict::Refuse { rule, message, .. } => refuse(Code::PolicyBlocked, ask.declared, &rule, message),
        }
    }

    /// A person said yes to exactly this act. It counts for the next question only, and is spent by it.
    pub fn approve_once(&mut self, ask: &Ask) {
        self.yes = Some(ask.clone());
    }

    /// One act by a person: their hold, then the allowlist. Risk is theirs to judge; what is denied stays so.
    ///
    /// # Errors
    /// They do not hold the token (`lease_lost`, `not_driving`), or it must not be done (`policy_blocked`).
    pub async fn act_for_person(
        &mut self,
        hold: &Hold,
        now_ms: u64,
        ask: &Ask,
        deadline: Duration,
    ) -> Result<Delivery, PersonRefused> {
        self.control.check_person(hold, now_ms)?;
        self.asked += 1;
        let grants = Grants { person_said_yes: true, ..Grants::default() };
        match decide(&self.policy, &ask.proposed(&self.application, Mode::Attended, grants)) {
            Verdict::Allow { .. } => Ok(self.driver.act(Permit::mint(), &ask.act, deadline).await),
            Verdict::NeedsApproval { assessment, .. } => Err(PersonRefused::Policy {
                rule: assessment.rule,
                message: format!("what is {} needs approval", assessment.risk.as_str()),
            }),
            Verdict::Refuse { rule, message, .. } => Err(PersonRefused::Policy { rule, message }),
        }
    }

    /// Hands an allowed action to the driver. The control token is asked once more, and the pass must be of this epoch
    /// and for this action; only the text behind a secret may have been filled in since.
    pub async fn act(&mut self, driving: &mut Driving, pass: Pass, act: &Act, deadline: Duration) -> Delivery {
        let refused = match self.control.check(driving) {
            Err(error) => Some(error.to_string()),
            Ok(()) if pass.epoch != driving.epoch() || !Arc::ptr_eq(&pass.session, &driving.session()) => {
                Some("the action was allowed before the control token moved on".to_owned())
            }
            Ok(()) if !same(&pass.allowed, act) => Some("another action was allowed".to_owned()),
            Ok(()) => None,
        };
        if let Some(message) = refused {
            let error = DriverError::Protocol { what: "control".into(), message };
            return Delivery::NotDelivered(crate::NotDelivered::Failed(error));
        }
        self.driver.act(pass.permit, act, deadline).await
    }

    /// Looks at the session.
    ///
    /// # Errors
    /// As [`Driver::observe`].
    pub async fn observe(&mut self, request: &Observe, deadline: Duration) -> Result<Observation, DriverError> {
        self.driver.observe(request, deadline).await
    }

    /// A short way to a thing in the driver's own language.
    pub async fn hint(&mut self, node: &NodeId, deadline: Duration) -> Option<String> {
        self.driver.hint(node, deadline).await
    }

    /// Takes a picture.
    ///
    /// # Errors
    /// As [`Driver::picture`].
    pub async fn picture(&mut self, request: &PictureRequest, deadline: Duration) -> Result<Picture, DriverError> {
        self.driver.picture(request, deadline).await
    }

    /// Resolves once the session is over.
    pub async fn gone(&mut self) -> DriverError {
        self.driver.gone().await
    }

    /// Ends the session.
    pub async fn close(&mut self) {
        self.driver.close().await;
    }

    /// The rule that forbids to load a document from an address; `None` where it may be.
    #[must_use]
    pub fn off_limits(&self, location: &str) -> Option<String> {
        let ask = RouteAsk { application: &self.application, location, method: "GET", document: true };
        let answer = self.policy.route(&ask);
        (!answer.allowed).then_some(answer.rule)
    }

    /// The rule that forbids where a window of the session has landed, and the address.
    #[must_use]
    pub fn landed_off_limits(&self, seen: &Observation) -> Option<(String, String)> {
        seen.snapshot
            .scopes()
            .iter()
            .filter(|s| s.path.is_empty() && !is_blank(&s.location))
            .find_map(|scope| self.off_limits(&scope.location).map(|rule| (rule, scope.location.clone())))
    }
}

impl Ask {
    /// The question as the policy is asked it.
    #[must_use]
    pub fn proposed<'a>(&'a self, application: &'a str, mode: Mode, grants: Grants) -> Proposed<'a> {
        Proposed {
            application,
            action: self.act.word(),
            location: &self.location,
            screen: self.screen.as_deref(),
            control: self.control.as_ref().map(|c| PolicyControl { role: &c.role, name: &c.name, native: &c.native }),
            key: match &self.act {
                Act::PressKey { key, .. } => Some(key.0.as_str()),
                _ => None,
            },
            declared: self.declared,
            submit_like: self.submit_like,
            mode,
            grants,
        }
    }
}

impl Act {
    /// The policy's word for it.
    #[must_use]
    pub fn word(&self) -> ActionWord {
        match self {
            Act::Open { .. } => ActionWord::Open,
            Act::Click { .. } => ActionWord::Click,
            Act::Type { .. } => ActionWord::Type,
            Act::Choose { .. } => ActionWord::Choose,
            Act::SetChecked { .. } => ActionWord::SetChecked,
            Act::PressKey { .. } => ActionWord::PressKey,
            Act::Upload { .. } => ActionWord::Upload,
            Act::Scroll { .. } => ActionWord::Scroll,
            Act::AnswerDialog { .. } => ActionWord::AnswerDialog,
            Act::CloseWindow { .. } => ActionWord::CloseWindow,
        }
    }
}

/// Whether an action is the one that was allowed. A secret is not there yet when it is asked about.
fn same(allowed: &Act, act: &Act) -> bool {
    match (allowed, act) {
        (
            Act::Type { node, text: TypedText::Secret(_), mode },
            Act::Type { node: n, text: TypedText::Secret(_), mode: m },
        ) => node == n && mode == m,
        (
            Act::Choose { node, option: TypedText::Secret(_), rule },
            Act::Choose { node: n, option: TypedText::Secret(_), rule: r },
        ) => node == n && rule == r,
        _ => allowed == act,
    }
}

fn is_blank(location: &str) -> bool {
    location.is_empty() || location == "about:blank" || location == "about:srcdoc"
}
