//! The compiler: from deeds and a contract to a document that validates, or the reason why there is none.

use semver::Version;
use waymark_artifact::{
    Action, Application, Artifact, CapabilityId, Checkpoint, Condition, Credential, EngineRules, Finding, IdError,
    Limits, Name, OnlyIf, Parameter, Provenance, Reconcile, Recovery, Remedy, Risk, SchemaWord, Severity, Step, StepId,
    Subflow, SubflowBody, Template, Then, ValueExpr, Variable, WindowOpens, validate,
};
use waymark_snapshot::UiSnapshot;
use waymark_targeting::{Hints, Resolution, resolve};

use crate::answers::outcomes;
use crate::around::{at_rest, both, filled_in, kept_values, no_failure, not_landed};
use crate::deed::pressed_after;
use crate::proof::{capital, captions_of, checkpoint, is_so, values_shown};
use crate::record::{NoRecord, Record, record_of};
use crate::trips::{baselines, looked_before, without_trips};
use crate::{
    Answer, Deed, Did, Given, NoTarget, Purpose, Reading, Values, appeared, from_words, shows, target, unlike,
};

/// What the analyst fixed before anything was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    pub id: CapabilityId,
    pub version: Version,
    pub title: String,
    pub description: String,
    pub application: Application,
    pub variables: Vec<Variable>,
    pub parameters: Vec<Parameter>,
    pub credentials: Vec<Credential>,
    /// What must hold at the end.
    pub success: Vec<Condition>,
    pub answers: Vec<Answer>,
    /// Remedies for nuisances that the application is known for.
    pub recoveries: Vec<Recovery>,
    /// What stands on the screen when a session has ended, where the application is known for it.
    pub session_expired: Option<Condition>,
    pub limits: Limits,
    pub provenance: Provenance,
}

/// The document, and what the compiler says about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The document.
    pub artifact: Artifact,
    /// What was done and is no part of it, with the reason.
    pub left_out: Vec<String>,
    /// Warnings of its validation.
    pub warnings: Vec<Finding>,
    /// What the goal or the application's profile declares and the document could not say, with the reason.
    pub unsaid: Vec<String>,
}

/// Why there is no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// Nothing was done.
    #[error("nothing was done that could be recorded")]
    Nothing,
    /// A thing that was acted on cannot be found again.
    #[error("step {step}: {why}")]
    Target {
        /// Which deed, from 1.
        step: usize,
        /// Why.
        why: NoTarget,
    },
    /// Nothing on the screen shows the effect of a deed.
    #[error("step {step} ({what}): nothing on the screen shows that it had its effect")]
    NoProof {
        /// Which deed, from 1.
        step: usize,
        /// What was done.
        what: String,
    },
    /// A risky deed is confirmed by nothing but a message.
    #[error("step {step} ({what}) is {risk}, and nothing that was looked at afterwards shows its record again")]
    NoReadBack {
        /// Which deed, from 1.
        step: usize,
        /// What was done.
        what: String,
        /// How much harm it can do.
        risk: &'static str,
    },
    /// A record like that of a risky deed stood there before it.
    #[error(
        "step {step} ({what}) is {risk}, and a record with the same values stood there before it: this one cannot be told from it; record it with values of which there is none yet"
    )]
    LikeBefore {
        /// Which deed, from 1.
        step: usize,
        /// What was done.
        what: String,
        /// How much harm it can do.
        risk: &'static str,
    },
    /// Whether the record of a risky deed stood there before it, nobody looked.
    #[error(
        "step {step} ({what}) is {risk}, and nobody looked before it where its record shows: one that stood there already would be taken for it"
    )]
    NoBaseline {
        /// Which deed, from 1.
        step: usize,
        /// What was done.
        what: String,
        /// How much harm it can do.
        risk: &'static str,
    },
    /// A field did not hold what was put in any more when a risky press was made.
    #[error("step {step} ({what}) is {risk}, and when it was made the field \"{field}\" held its value no more")]
    Lost {
        /// Which deed, from 1.
        step: usize,
        /// What was done.
        what: String,
        /// How much harm it can do.
        risk: &'static str,
        /// The caption of the field.
        field: String,
    },
    /// Nothing looks for what an answer says to be missing.
    #[error("the answer `{code}`: no step looks for `{parameter}` there")]
    NoSuchAnswer {
        /// The answer.
        code: String,
        /// Whose value would be missing.
        parameter: String,
    },
    /// An answer comes after a kind of step that the job does not have.
    #[error("the answer `{code}` comes after a step that {what}, and no step does")]
    AnswerAfterNothing {
        /// The answer.
        code: String,
        /// What the step would do.
        what: &'static str,
    },
    /// A step would need two values of which either may be left out.
    #[error("step {step} ({what}) speaks of more than one value that may be left out")]
    Optional {
        /// Which deed, from 1.
        step: usize,
        /// What was done.
        what: String,
    },
    /// A value of this run is left in the document.
    #[error("the value of `{parameter}` stands in the document at {place}")]
    Swept {
        /// Whose value.
        parameter: String,
        /// JSON pointer.
        place: String,
    },
    /// Two readings are called the same.
    #[error("the output `{output}` was read twice")]
    ReadTwice {
        /// The output.
        output: String,
    },
    /// A name cannot be made.
    #[error(transparent)]
    Name(#[from] IdError),
    /// The document does not hold what documents must.
    #[error("the document is not sound: {}", .findings.join("; "))]
    Unsound {
        /// The errors, each with its place.
        findings: Vec<String>,
    },
}

impl CompileError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            CompileError::Nothing => "nothing_recorded",
            CompileError::Target { .. } => "target_not_unique",
            CompileError::NoProof { .. } => "checkpoint_vacuous",
            CompileError::NoReadBack { .. }
            | CompileError::LikeBefore { .. }
            | CompileError::NoBaseline { .. }
            | CompileError::Lost { .. } => "risky_without_proof",
            CompileError::NoSuchAnswer { .. } | CompileError::AnswerAfterNothing { .. } => "answer_without_step",
            CompileError::Optional { .. } => "optional_unclear",
            CompileError::Swept { .. } => "value_left",
            CompileError::ReadTwice { .. } => "output_read_twice",
            CompileError::Name(_) | CompileError::Unsound { .. } => "artifact_unsound",
        }
    }
}

/// Writes the document.
///
/// # Errors
/// Something that was done cannot be found again, proven, or said without this run's values.
pub fn compile(deeds: &[Deed], contract: Contract, values: &Values) -> Result<Compiled, CompileError> {
    compile_without(deeds, contract, values, &[])
}

/// Writes the document, and proves nothing by what is known to be data: conditions of an earlier one that did not hold when
/// it was replayed with other values.
///
/// # Errors
/// Something that was done cannot be found again, proven, or said without this run's values.
pub fn compile_without(
    deeds: &[Deed],
    contract: Contract,
    values: &Values,
    data: &[Condition],
) -> Result<Compiled, CompileError> {
    let captions = captions_of(deeds.iter().flat_map(|deed| [&deed.before, &deed.after]));
    let values = &values.clone().seen_with(captions, data);
    let (kept, left_out) = without_trips(deeds);
    if kept.is_empty() {
        return Err(CompileError::Nothing);
    }
    let mut steps: Vec<Step> = Vec::new();
    let mut outputs = Vec::new();
    let mut safe_point = true;
    for (at, deed) in kept.iter().enumerate() {
        let id = step_id(deed, &steps, values)?;
        let mut step = Step {
            id,
            description: describe(deed, values),
            action: action(deed, at + 1, values, &contract.application.surface)?,
            risk: deed.risk,
            only_if: None,
            precondition: None,
            checkpoint: None,
            opens: waymark_artifact::Opens::default(),
            reconcile: None,
            deadline_ms: None,
            safe_point: false,
        };
        step.opens.dialogs.clone_from(&deed.dialogs);
        if let Some(name) = &deed.opened {
            step.opens.window = values.reference(name).map(|name| WindowOpens { name });
        }
        step.checkpoint = proven(&kept[..=at], at + 1, &step, values)?;
        if deed.risk > Risk::Safe {
            step.precondition = filled_in(&kept[..at], deed, values).map_err(|field| {
                let what = step.description.clone();
                CompileError::Lost { step: at + 1, what, risk: deed.risk.as_str(), field }
            })?;
            // Where it is asked once more before it is done, what it will be done with stands on that screen.
            let still = || values_shown(&deed.before, values);
            step.precondition = step.precondition.or_else(still);
        }
        step.only_if = only_if(&step, &contract.parameters)
            .map_err(|()| CompileError::Optional { step: at + 1, what: step.description.clone() })?;
        step.safe_point = safe_point || signs_on_before(&kept, at, &contract);
        safe_point = false;
        if let Did::Read { reading, .. } = &deed.did {
            if outputs.iter().any(|o: &waymark_artifact::Output| o.name == reading.output().name) {
                return Err(CompileError::ReadTwice { output: reading.output().name.to_string() });
            }
            outputs.push(reading.output().clone());
        }
        steps.push(step);
    }
    let mut subflows = Vec::new();
    let mut record = None;
    let mut unsaid = Vec::new();
    for (at, deed) in kept.iter().enumerate().filter(|(_, deed)| deed.risk > Risk::Safe) {
        let found = record_of(&kept, at, values).map_err(|none| {
            let (step, what, risk) = (at + 1, steps[at].description.clone(), deed.risk.as_str());
            match none {
                NoRecord::Unseen => CompileError::NoReadBack { step, what, risk },
                NoRecord::Before => CompileError::LikeBefore { step, what, risk },
            }
        })?;
        if !looked_before(&kept, at, found.last) {
            let (step, what) = (at + 1, steps[at].description.clone());
            return Err(CompileError::NoBaseline { step, what, risk: deed.risk.as_str() });
        }
        let name =
            Name::new(&unlike("look_at_the_record", |name| subflows.iter().any(|s: &Subflow| s.id.as_str() == name)))?;
        let Record { last, way, landed, alike, words } = &found;
        let looks = baselines(&kept, at, *last);
        let before: Vec<_> = looks.iter().map(|look| &kept[*look].after).collect();
        let asked: Vec<_> = before.iter().copied().chain([&kept[*last].after]).collect();
        if let Some(way) = way_alone(&kept[*last], &before, values) {
            steps[*last].checkpoint = Some(way);
        }
        let (failures, untold) = no_failure(&contract.answers, &asked, values);
        unsaid.extend(untold.into_iter().filter(|word| !unsaid.contains(word)).collect::<Vec<_>>());
        subflows.push(Subflow {
            id: name.clone(),
            description: "The way to where the record shows.".into(),
            body: SubflowBody::Steps { from: steps[*way].id.clone(), to: steps[*last].id.clone() },
        });
        steps[at].reconcile = Some(Reconcile {
            description: format!("{}.", capital(words)),
            subflow: name,
            landed: landed.clone(),
            not_landed: alike.as_ref().and_then(|it| not_landed(&steps[*last], &failures, it, &before, values)),
        });
        // What stood there before is known of a screen at rest only: a list that is still under way shows less.
        for look in looks {
            let rest = at_rest(&steps[look], &steps[at], &failures, &kept[look].after, values);
            let own = steps[look + 1].precondition.take();
            steps[look + 1].precondition = both(own, rest);
        }
        if !found_on(&steps[*way].action, &deed.before, values) {
            unsaid.push(format!(
                "the record of `{}` cannot be looked up where its confirmation does not come: the way to it begins with `{}`, which is not on the screen before",
                steps[at].id, steps[*way].id
            ));
        }
        // What is read of the confirmation stands on no screen to which a walk could come back.
        let anywhere = starts_anywhere(&kept, *way, &steps[*way].action, &contract, values);
        steps[*way].safe_point |= anywhere;
        record = Some(found);
    }
    let checkpoint = whole(&contract.success, &outputs, record.as_ref());
    let mut recoveries = contract.recoveries;
    if let Some(when) = contract.session_expired
        && let Some(last) = signed_on(&kept, &contract.parameters, &contract.credentials)
    {
        let name = Name::new("sign_on_again")?;
        subflows.push(Subflow {
            id: name.clone(),
            description: "The way from the start to where one is signed on.".into(),
            body: SubflowBody::Steps { from: steps[0].id.clone(), to: steps[last].id.clone() },
        });
        recoveries.push(Recovery {
            id: Name::new("session_expired")?,
            description: "The session has ended: sign on again.".into(),
            when,
            remedy: Remedy::Run { subflow: name },
            then: Then::RewalkFromSafePoint,
            limit: 2,
        });
    }
    let outcomes = outcomes(contract.answers, &steps)?;
    let artifact = Artifact {
        schema: SchemaWord::V1,
        id: contract.id,
        version: contract.version,
        title: contract.title,
        description: contract.description,
        application: contract.application,
        engine: EngineRules { ladder: 1, settle: 1 },
        variables: contract.variables,
        parameters: contract.parameters,
        credentials: contract.credentials,
        outputs,
        steps,
        checkpoint,
        outcomes,
        recoveries,
        subflows,
        escalation: waymark_artifact::Escalation::default(),
        limits: contract.limits,
        provenance: contract.provenance,
    };
    swept(&artifact, values)?;
    let (errors, warnings): (Vec<Finding>, Vec<Finding>) =
        validate(&artifact).into_iter().partition(|f| f.severity == Severity::Error);
    if !errors.is_empty() {
        let findings = errors.iter().map(|f| format!("{} at {}: {}", f.code, f.pointer, f.message)).collect();
        return Err(CompileError::Unsound { findings });
    }
    Ok(Compiled { artifact, left_out, warnings, unsaid })
}

/// What must hold at the end: what the analyst fixed, that everything was read, and that the record is there.
fn whole(success: &[Condition], outputs: &[waymark_artifact::Output], record: Option<&Record>) -> Checkpoint {
    let mut of: Vec<Condition> = success.to_vec();
    of.extend(record.map(|r| r.landed.clone()));
    of.extend(outputs.iter().map(|o| Condition::OutputNotEmpty { output: o.name.clone() }));
    let condition = if of.len() == 1 { of.remove(0) } else { Condition::All { of } };
    let mut words = vec!["what was asked for holds"];
    if record.is_some() {
        words.push("the record shows");
    }
    if !outputs.is_empty() {
        words.push("everything was read");
    }
    let description = format!("{}.", capital(&words.join(", ")));
    Checkpoint { description, condition, read_back: record.is_some() }
}

fn action(deed: &Deed, step: usize, values: &Values, surface: &str) -> Result<Action, CompileError> {
    // Where a thing stood says nothing of what it is: for what does harm that is no way to it.
    let hint = deed.hint.as_deref().filter(|_| deed.risk == Risk::Safe).map(|hint| (surface, hint));
    let at = |node| {
        target(&deed.before, node, values, purpose(deed), hint).map_err(|why| CompileError::Target { step, why })
    };
    Ok(match &deed.did {
        Did::Open { location } => {
            let location = values.reference(location).unwrap_or_else(|| Template::literal(location));
            Action::Open { window: None, location }
        }
        Did::Click { node } => Action::Click { target: at(*node)? },
        Did::Type { node, value, typing } => {
            Action::Type { target: at(*node)?, value: expression(value, values), typing: *typing, format: None }
        }
        Did::Choose { node, value, rule } => {
            Action::Choose { target: at(*node)?, option: expression(value, values), rule: *rule }
        }
        Did::SetChecked { node, checked } => Action::SetChecked {
            target: at(*node)?,
            checked: ValueExpr::Literal { value: checked.to_string(), confirmed: true },
        },
        Did::PressKey { node, key } => Action::PressKey { target: node.map(at).transpose()?, key: key.clone() },
        Did::Read { node, reading: Reading::One { output, part, .. } } => {
            Action::Read { target: at(*node)?, part: *part, into: output.name.clone() }
        }
        Did::Read { node, reading: Reading::Rows { output, columns, rows, except } } => Action::ReadTable {
            target: at(*node)?,
            into: output.name.clone(),
            columns: columns.clone(),
            rows: *rows,
            except: except.clone(),
        },
    })
}

/// A literal that equals a caller's value is the caller's, even where whoever decided forgot.
fn expression(given: &Given, values: &Values) -> ValueExpr {
    match given {
        Given::Parameter(name) => ValueExpr::Parameter { name: name.clone() },
        Given::Credential(name) => ValueExpr::Credential { name: name.clone() },
        Given::Literal(text) => match values.named(text) {
            Some(name) if values.is_credential(name) => ValueExpr::Credential { name: name.clone() },
            Some(name) => ValueExpr::Parameter { name: name.clone() },
            None => ValueExpr::Literal { value: text.clone(), confirmed: false },
        },
    }
}

fn purpose(deed: &Deed) -> Purpose {
    match &deed.did {
        Did::Read { reading: Reading::One { row: Some(row), .. }, .. } => Purpose::ReadInRow { row: *row },
        Did::Read { .. } => Purpose::Read,
        _ => Purpose::Act,
    }
}

/// The checkpoint of the last of these deeds.
fn proven(deeds: &[Deed], step: usize, made: &Step, values: &Values) -> Result<Option<Checkpoint>, CompileError> {
    let Some((deed, before)) = deeds.split_last() else { return Ok(None) };
    if !made.action.changes_state() || made.action.reads_back() {
        return Ok(None);
    }
    let mut proofs = match &deed.did {
        Did::Open { .. } => shows(&deed.after, values),
        _ => appeared(&deed.before, &deed.after, values),
    };
    proofs.retain(|proof| deed.risk > Risk::Safe || proof.is_plain());
    let missing = || CompileError::NoProof { step, what: made.description.clone() };
    let found = checkpoint(&proofs).or_else(|| kept_values(before, deed, values));
    found.ok_or_else(missing).map(Some)
}

/// The checkpoint of a look for a record by what the screen shows without the record too: where the record is not, that is
/// to be seen as well. `before` are looks at the same screen before there was one; `None` where nothing else is to be seen.
fn way_alone(look: &Deed, before: &[&UiSnapshot], values: &Values) -> Option<Checkpoint> {
    let mut proofs = appeared(&look.before, &look.after, values);
    proofs.retain(|proof| proof.is_plain() && before.iter().all(|screen| is_so(&proof.condition, screen, values)));
    checkpoint(&proofs).filter(|_| !before.is_empty())
}

/// A step that speaks of a value that may be left out is done only where it is given.
fn only_if(step: &Step, parameters: &[Parameter]) -> Result<Option<OnlyIf>, ()> {
    let text = serde_json::to_value(step).unwrap_or_default();
    let mut named: Vec<&Name> = Vec::new();
    walk(&text, &mut String::new(), &mut |place, text| {
        let direct = place.ends_with("/name") && !place.contains("/candidates/");
        let speaks = |p: &&Parameter| {
            p.optional && (text.contains(&format!("{{param.{}}}", p.name)) || direct && text == p.name.as_str())
        };
        named.extend(parameters.iter().filter(speaks).map(|p| &p.name));
    });
    named.sort();
    named.dedup();
    match named.as_slice() {
        [] => Ok(None),
        [name] => Ok(Some(OnlyIf { parameter: (*name).clone() })),
        _ => Err(()),
    }
}

/// Whether a step can be done from the screen on which one is signed on.
fn starts_anywhere(deeds: &[Deed], at: usize, action: &Action, contract: &Contract, values: &Values) -> bool {
    let signed_on = signed_on(deeds, &contract.parameters, &contract.credentials).filter(|last| *last < at);
    signed_on.is_some_and(|last| found_on(action, &deeds[last].after, values))
}

/// Whether what an action is done to is there on a screen.
fn found_on(action: &Action, screen: &UiSnapshot, values: &Values) -> bool {
    let resolution = action.target().map(|target| resolve(target, screen, &Hints::new(), &values.bindings()));
    matches!(resolution, Some(Ok(Resolution::Found(_))))
}

/// The step with which the walk is signed on: the first press after a secret was put in.
fn signed_on(deeds: &[Deed], parameters: &[Parameter], credentials: &[Credential]) -> Option<usize> {
    let secret = |given: &Given| match given {
        Given::Parameter(name) => parameters.iter().any(|p| p.name == *name && p.sensitive),
        Given::Credential(name) => credentials.iter().any(|c| c.name == *name),
        Given::Literal(_) => false,
    };
    let last = pressed_after(deeds, |deed| matches!(&deed.did, Did::Type { value, .. } if secret(value)))?;
    // What a secret confirms is no sign-on where it does more than to sign on.
    deeds[..=last].iter().all(|deed| deed.risk == Risk::Safe).then_some(last)
}

/// Whether a walk may begin again at this step: it is the first after signing on.
fn signs_on_before(deeds: &[Deed], at: usize, contract: &Contract) -> bool {
    signed_on(deeds, &contract.parameters, &contract.credentials).is_some_and(|last| at == last + 1)
}

fn step_id(deed: &Deed, steps: &[Step], values: &Values) -> Result<StepId, IdError> {
    let called = |node| {
        let words = crate::ladder::in_words(&deed.before, node, values, purpose(deed));
        let quoted = words.split('"').nth(1).unwrap_or_default().to_owned();
        from_words(&quoted).unwrap_or_else(|| deed.before.node(node).role.to_string())
    };
    let name = match &deed.did {
        Did::Open { .. } => "open_start_page".to_owned(),
        Did::Click { node } => format!("press_{}", called(*node)),
        Did::Type { node, value, .. } => match value {
            Given::Parameter(name) | Given::Credential(name) => format!("type_{name}"),
            Given::Literal(_) => format!("type_{}", called(*node)),
        },
        Did::Choose { node, .. } => format!("choose_{}", called(*node)),
        Did::SetChecked { node, .. } => format!("set_{}", called(*node)),
        Did::PressKey { key, .. } => format!("key_{}", from_words(&key.0).unwrap_or_else(|| "pressed".into())),
        Did::Read { reading, .. } => format!("read_{}", reading.output().name),
    };
    let name: String = name.chars().take(60).collect();
    StepId::new(&unlike(&name, |name| steps.iter().any(|s| s.id.as_str() == name)))
}

fn describe(deed: &Deed, values: &Values) -> String {
    let thing = |node| crate::ladder::in_words(&deed.before, node, values, purpose(deed));
    let given = |value: &Given| match value {
        Given::Parameter(name) | Given::Credential(name) => format!("`{name}`"),
        Given::Literal(text) => match values.named(text) {
            Some(name) => format!("`{name}`"),
            None => format!("\"{text}\""),
        },
    };
    match &deed.did {
        Did::Open { .. } => "Open the start page.".to_owned(),
        Did::Click { node } => format!("Press {}.", thing(*node)),
        Did::Type { node, value, .. } => format!("Type {} into {}.", given(value), thing(*node)),
        Did::Choose { node, value, .. } => format!("Choose {} in {}.", given(value), thing(*node)),
        Did::SetChecked { node, checked: true } => format!("Check {}.", thing(*node)),
        Did::SetChecked { node, checked: false } => format!("Uncheck {}.", thing(*node)),
        Did::PressKey { key, .. } => format!("Press the key {}.", key.0),
        Did::Read { node, reading } => format!("Read `{}` from {}.", reading.output().name, thing(*node)),
    }
}

/// The last sweep: no value of this run stands where the document speaks of the screen or of what is put in.
fn swept(artifact: &Artifact, values: &Values) -> Result<(), CompileError> {
    let mut document = serde_json::to_value(artifact).unwrap_or_default();
    // What the analyst wrote in words, and where the document comes from, is no part of what is done.
    for part in ["title", "description", "provenance", "parameters", "outputs", "variables", "credentials", "limits"] {
        if let Some(document) = document.as_object_mut() {
            document.remove(part);
        }
    }
    let mut left = None;
    walk(&document, &mut String::new(), &mut |place, text| {
        // Words for people repeat what they quote; names of steps and references are no values.
        let key = place.rsplit('/').next().unwrap_or_default();
        let word =
            matches!(key, "id" | "kind" | "rung" | "role" | "relation" | "from" | "name_source" | "rule" | "risk");
        if left.is_none()
            && !word
            && let Some(name) = values.left_in(text)
        {
            left = Some((name.to_string(), place.to_owned()));
        }
    });
    match left {
        Some((parameter, place)) => Err(CompileError::Swept { parameter, place }),
        None => Ok(()),
    }
}

fn walk(value: &serde_json::Value, place: &mut String, tell: &mut impl FnMut(&str, &str)) {
    let length = place.len();
    match value {
        serde_json::Value::String(text) => tell(place, text),
        serde_json::Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                place.push_str(&format!("/{at}"));
                walk(item, place, tell);
                place.truncate(length);
            }
        }
        serde_json::Value::Object(fields) => {
            for (key, item) in fields {
                place.push('/');
                place.push_str(key);
                walk(item, place, tell);
                place.truncate(length);
            }
        }
        _ => {}
    }
}
