//! Requests for a person: which there are, and what an operator asks of the run behind one.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use waymark_evidence::{Index, IndexError, InterventionRow};
use waymark_run::{Code, Problem, Rejection, Resumption};
use waymark_session::{ChannelError, HandoffStanding, OperatorAsk, OperatorRefused};

const LIST: &str = "`waymark operator list` shows the requests that there are";

/// The requests of a workspace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InterventionList {
    /// `waymark.interventions/1`.
    pub schema: &'static str,
    /// Those that a run waits for first, then the newest first.
    pub items: Vec<Value>,
}

/// What a run answered an operator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OperatorAnswer {
    /// `waymark.operator/1`.
    pub schema: &'static str,
    /// How it stands.
    #[serde(flatten)]
    pub standing: HandoffStanding,
}

/// An order that was not carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatorRejected {
    /// Why.
    pub rejection: Rejection,
    /// What a resume would do, where one was asked for.
    pub resumption: Option<Box<Resumption>>,
}

/// All requests for a person of a workspace. The run folders below `evidence` are the truth.
///
/// # Errors
/// The index can be neither read nor made anew.
pub fn interventions(evidence: &Path) -> Result<InterventionList, Box<Rejection>> {
    let rows = Index::open(evidence).and_then(|index| index.interventions()).map_err(|e| unreadable(&e))?;
    let items = rows.into_iter().map(document).collect();
    Ok(InterventionList { schema: "waymark.interventions/1", items })
}

/// One request, by its id or that of its run.
///
/// # Errors
/// There is none, or the index cannot be read.
pub fn intervention(evidence: &Path, id: &str) -> Result<Value, Box<Rejection>> {
    row(evidence, id).map(document)
}

/// Asks the run behind a request for something.
///
/// # Errors
/// Nobody waits for it, it cannot be reached, or it says no.
pub async fn order(
    evidence: &Path,
    id: &str,
    by: &str,
    ask: OperatorAsk,
) -> Result<OperatorAnswer, Box<OperatorRejected>> {
    let row = row(evidence, id).map_err(|rejection| rejected(*rejection))?;
    let Some(channel) = &row.channel else {
        let (code, message, hint) = match row.state.as_str() {
            "session_gone" => (
                Code::SessionGone,
                format!("the session of `{id}` is no more; it cannot be resumed"),
                "look the record up in the application, then call the capability anew",
            ),
            state => (Code::NotWaiting, format!("nobody waits for `{id}` any more: it is {state}"), LIST),
        };
        return Err(rejected(Rejection::of(code, Problem::new("ID", "over", message, hint))));
    };
    match waymark_session::ask(channel, by, ask).await {
        Ok(standing) => Ok(OperatorAnswer { schema: "waymark.operator/1", standing }),
        Err(ChannelError::Refused(refused)) => Err(of(refused)),
        Err(error) => {
            let hint = "the run may have ended just now; `waymark operator show ID` says how it stands";
            let problem = Problem::new("ID", "unreachable", error.to_string(), hint);
            Err(rejected(Rejection::of(Code::SessionGone, problem)))
        }
    }
}

/// An order that was refused, as a caller gets it.
#[must_use]
pub fn of(refused: OperatorRefused) -> Box<OperatorRejected> {
    let hint = match refused.code {
        Code::NotDriving | Code::LeaseLost => "take control with `waymark operator claim ID`, or wait until it is free",
        Code::NotReady => "bring the page to where the step can go on, then check again; or abort",
        Code::ApprovalVoid | Code::RiskApproval => "look at what the step would do now, and approve that",
        Code::PolicyBlocked => "a policy holds for people too",
        _ => LIST,
    };
    let problem = Problem::new("ID", refused.code.as_str(), refused.message, hint);
    Box::new(OperatorRejected { rejection: Rejection::of(refused.code, problem), resumption: refused.resumption })
}

fn rejected(rejection: Rejection) -> Box<OperatorRejected> {
    Box::new(OperatorRejected { rejection, resumption: None })
}

fn row(evidence: &Path, id: &str) -> Result<InterventionRow, Box<Rejection>> {
    let mut index = Index::open(evidence).map_err(|error| unreadable(&error))?;
    let found = match index.intervention(id).map_err(|error| unreadable(&error))? {
        Some(row) => Some(row),
        None => {
            index.rebuild().map_err(|error| unreadable(&error))?;
            index.intervention(id).map_err(|error| unreadable(&error))?
        }
    };
    found.ok_or_else(|| {
        let message = format!("there is no request for a person `{id}` in {}", evidence.display());
        Box::new(Rejection::of(Code::InvalidInvocation, Problem::new("ID", "unknown", message, LIST)))
    })
}

/// A request as it is shown: as it lies in its folder, with where that is.
fn document(row: InterventionRow) -> Value {
    let mut document = row.document;
    document["state"] = Value::String(row.state);
    document["folder"] = Value::String(row.folder.display().to_string());
    document["reachable"] = Value::Bool(row.channel.is_some());
    document
}

fn unreadable(error: &IndexError) -> Box<Rejection> {
    let hint = "another process may hold it; try again, or name another folder with --evidence DIR";
    Box::new(Rejection::of(Code::InvalidInvocation, Problem::new("--evidence", "index", error.to_string(), hint)))
}
