//! One goal: the job is done once, and what stood there at its end is judged.

use std::path::Path;

use serde_json::{Map, Value as Json};
use tokio::sync::watch;
use waymark_artifact::Risk;
use waymark_discovery::{Closing, Exploration, Job, Selector, Standing};
use waymark_recording::{Answer, Sign, is_so};
use waymark_run::{BusinessOutcome, Code, Effect, JournalLine};
use waymark_session::{Stop, Watcher, explore};

use super::verdict::{Seen, Verdict, verdict};
use super::{ConditionCame, ConditionVerdict, GoalVerdict};
use crate::discover::models::Models;
use crate::discover::{Aim, DiscoverRequest, Prepared, came_to, effect_of, exploring, prepare, recorded};

/// The verdict on the goal of a request.
pub(super) async fn judge(
    request: &DiscoverRequest,
    file: &Path,
    watcher: &mut Watcher<'_>,
    stop: watch::Receiver<Option<Stop>>,
) -> GoalVerdict {
    let mut prepared = match prepare(request, Aim::Verdict) {
        Ok(prepared) => prepared,
        Err(rejection) => {
            let error = rejection.error;
            let message = error.problems.first().map_or(error.message, |problem| problem.message.clone());
            return GoalVerdict { problems: error.problems, ..GoalVerdict::unjudged(file, error.code, message) };
        }
    };
    match carried_out(request, &mut prepared, file, watcher, stop).await {
        Ok(verdict) => verdict,
        Err((code, message)) => GoalVerdict::unjudged(file, code, message),
    }
}

async fn carried_out(
    request: &DiscoverRequest,
    prepared: &mut Prepared,
    file: &Path,
    watcher: &mut Watcher<'_>,
    stop: watch::Receiver<Option<Stop>>,
) -> Result<GoalVerdict, (Code, String)> {
    let exploring = exploring(request, prepared);
    let job = prepared.ground.job(&prepared.goal, &prepared.texts);
    let mut relay = |line: &JournalLine, clean: &Map<String, Json>| watcher(line, clean);
    let mut explored = {
        let Models { navigator, selector, .. } = &mut prepared.models;
        let selector = selector.as_deref_mut().map(|selector| selector as &mut dyn Selector);
        explore(&exploring, &job, navigator.as_mut(), selector, &mut relay, stop.clone()).await?
    };
    let exploration = explored.exploration.take();
    let (turns, calls, price_micros) = exploration.as_ref().map_or((0, 0, 0), |e| (e.turns, e.calls, e.micros));
    let done = exploration.as_ref().map_or(0, |e| u32::try_from(e.deeds.len()).unwrap_or(u32::MAX));
    let effect = exploration.as_ref().map_or(Effect::None, |e| effect_of(e, false));
    let mut ended = match &exploration {
        Some(exploration) => came_to(exploration, stop.borrow().is_some()),
        None => explored.failed.clone(),
    };
    let mut notes = prepared.notes.clone();
    if let (Some(path), Some(recording)) = (&request.cassette, &prepared.recording)
        && let Err(message) = recorded::save(path, recording, &mut notes)
    {
        ended = ended.or(Some((Code::EvidenceUnwritable, message)));
    }
    let closing = exploration.as_ref().and_then(|exploration| exploration.closing.as_ref());
    let answer = exploration.as_ref().zip(closing).and_then(|(exploration, closing)| {
        let answers = prepared.ground.answers(&prepared.goal, &job, &exploration.deeds).ok()?;
        answers.into_iter().find(|answer| is_given(answer, &job, exploration, closing))
    });
    let standings = closing.map_or(&[][..], |closing| closing.conditions.as_slice());
    let refused = closing.and_then(|closing| closing.refused);
    let seen = Seen { conditions: standings, answered: answer.is_some(), refused: refused.is_some() };
    let found = verdict(ended.as_ref().map(|(code, _)| *code), seen);
    let failed = reason(found, ended, answer.as_ref(), standings, refused);
    let said = failed.as_ref().map(|(code, _)| *code);
    let exit = (said == Some(Code::Interrupted)).then(|| stop.borrow().map(|stop| stop.cause.exit_code())).flatten();
    let result = explored.finish(failed, effect, done, exit);
    // What could not be written down has the last word: a verdict without its evidence is none.
    let code = result.error.as_ref().map(|error| error.code);
    let verdict = if code == said { found } else { Verdict::Inconclusive };
    let conditions = job.success.iter().enumerate().map(|(at, fixed)| ConditionVerdict {
        condition: fixed.words.clone(),
        came: standings.get(at).map_or(ConditionCame::Unknown, |standing| ConditionCame::from(*standing)),
    });
    let all_held = !standings.is_empty() && standings.iter().all(|standing| *standing == Standing::Holds);
    let (message, next) = match result.error {
        Some(error) => (error.message, Some(error.next)),
        None if job.success.len() == 1 => ("its condition holds".to_owned(), None),
        None => (format!("all {} conditions hold", job.success.len()), None),
    };
    Ok(GoalVerdict {
        file: file.display().to_string(),
        title: Some(prepared.goal.title()),
        digest: Some(prepared.goal.digest().to_string()),
        verdict,
        code,
        message,
        next,
        answer: answer.map(|answer| BusinessOutcome {
            code: answer.code.to_string(),
            message: answer.description,
            application_code: answer.application_code,
            step: None,
            checkpoint_also_matched: all_held,
        }),
        conditions: conditions.collect(),
        problems: Vec::new(),
        model: Some(prepared.models.navigator.name()),
        told_apart_by: prepared.models.selector.as_ref().map(|selector| selector.name()),
        notes,
        turns,
        calls,
        price_micros,
        effect: result.effect,
        run_id: Some(result.run_id),
        duration_ms: result.duration_ms,
        evidence: result.evidence,
        evidence_gaps: result.evidence_gaps,
    })
}

/// Code and words for a verdict that is not to pass.
fn reason(
    verdict: Verdict,
    ended: Option<(Code, String)>,
    answer: Option<&Answer>,
    standings: &[Standing],
    refused: Option<Code>,
) -> Option<(Code, String)> {
    let untold = "a condition cannot be told: the screen had not come to rest, or a part of it cannot be read";
    match (verdict, ended) {
        (Verdict::Pass, _) => None,
        (Verdict::Fail, ended) => Some(match (answer, ended) {
            (Some(answer), _) => {
                let code = if answer.failure { Code::AppError } else { Code::NotProven };
                (code, format!("the application answered `{}`: {}", answer.code, answer.description))
            }
            (None, Some(ended)) => ended,
            (None, None) => (Code::NotProven, "a condition does not hold".to_owned()),
        }),
        (Verdict::Inconclusive, Some((Code::NotProven, message))) => Some(match refused {
            Some(code) => (code, format!("the policy refused what was not done since; {message}")),
            None if standings.contains(&Standing::Unknown) => (Code::NotSettled, format!("{untold}; {message}")),
            None => (Code::NotProven, message),
        }),
        (Verdict::Inconclusive, None) => Some((Code::NotSettled, untold.to_owned())),
        (Verdict::Inconclusive, ended) => ended,
    }
}

/// Whether the application gave this answer: it stands there at the end, and did not as the job began.
fn is_given(answer: &Answer, job: &Job, exploration: &Exploration, closing: &Closing) -> bool {
    let condition = match &answer.sign {
        Sign::Seen(condition) => condition,
        Sign::Nothing(condition) if closing.at_rest => condition,
        Sign::Refused(condition) if exploration.sent > Risk::Safe => condition,
        // That no row or no option is there is told by the step that looks for it, and there are no steps.
        Sign::Nothing(_) | Sign::Refused(_) | Sign::NoRow(_) | Sign::NoOption(_) => return false,
    };
    let stood = match exploration.deeds.as_slice() {
        [first, _, ..] => is_so(condition, &first.after, &job.values),
        _ => false,
    };
    !stood && is_so(condition, &closing.screen, &job.values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn because(verdict: Verdict, ended: Option<Code>, standings: &[Standing], refused: Option<Code>) -> Option<Code> {
        reason(verdict, ended.map(|code| (code, String::new())), None, standings, refused).map(|(code, _)| code)
    }

    #[test]
    fn what_cannot_be_judged_says_by_its_code_what_stood_in_the_way() {
        let (unjudged, unproven) = (Verdict::Inconclusive, Some(Code::NotProven));
        let cases = [
            (unproven, &[Standing::Unmet][..], Some(Code::RiskApproval), Code::RiskApproval),
            (unproven, &[Standing::Unknown], None, Code::NotSettled),
            (unproven, &[Standing::Stood], None, Code::NotProven),
            (None, &[Standing::Unknown], None, Code::NotSettled),
            (Some(Code::Blocked), &[Standing::Unmet], None, Code::Blocked),
            (Some(Code::ModelUnavailable), &[], None, Code::ModelUnavailable),
        ];
        for (ended, standings, refused, expected) in cases {
            assert_eq!(because(unjudged, ended, standings, refused), Some(expected), "{ended:?} {standings:?}");
        }
        assert_eq!(because(Verdict::Pass, None, &[Standing::Holds], None), None);
        assert_eq!(because(Verdict::Fail, unproven, &[Standing::Unmet], None), unproven);
    }
}
