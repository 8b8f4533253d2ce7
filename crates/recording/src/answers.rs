//! Answers that an application may give instead of success: where in the walk each of them may come.

use waymark_artifact::{
    Action, Condition, Detector, Guard, Name, Outcome, ResolutionResult, Risk, Step, StepId, Target, ValueExpr,
};

use crate::CompileError;
use crate::ladder::rows_of;

/// An answer before the steps are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What a caller branches on.
    pub code: Name,
    /// In words.
    pub description: String,
    /// How it is recognised.
    pub sign: Sign,
    /// What must be so before it is believed.
    pub guard: Option<Guard>,
    /// The application's own code for it.
    pub application_code: Option<String>,
    /// Whether the application says by it that it failed itself.
    pub failure: bool,
}

/// How an answer is recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// By what is visible, wherever.
    Seen(Condition),
    /// By what is visible where something is read: it says that nothing is there.
    Nothing(Condition),
    /// By what is visible after a step that is more than safe, in place of its effect.
    Refused(Condition),
    /// No row has the value of this parameter.
    NoRow(Name),
    /// No option is the value of this parameter.
    NoOption(Name),
}

/// The answers as the document says them.
///
/// # Errors
/// No step looks for what an answer says to be missing.
pub(crate) fn outcomes(answers: Vec<Answer>, steps: &[Step]) -> Result<Vec<Outcome>, CompileError> {
    let of = |wanted: &dyn Fn(&Step) -> bool| -> Vec<StepId> {
        steps.iter().filter(|s| wanted(s)).map(|s| s.id.clone()).collect()
    };
    // Each answer is placed by itself. Only where another is bound to a step with the very same sign is that one meant there.
    let refusals: Vec<Condition> = answers
        .iter()
        .filter_map(|a| match &a.sign {
            Sign::Refused(sign) => Some(sign.clone()),
            _ => None,
        })
        .collect();
    answers
        .into_iter()
        .map(|answer| {
            let at = |found: Option<&Step>, name: &Name| {
                found.map(|s| s.id.clone()).ok_or_else(|| CompileError::NoSuchAnswer {
                    code: answer.code.to_string(),
                    parameter: name.to_string(),
                })
            };
            // Without a step it would be an answer after any: a failure at the sign-on would pass for it.
            let some = |steps: Vec<StepId>, what: &'static str| match steps.is_empty() {
                false => Ok(steps),
                true => Err(CompileError::AnswerAfterNothing { code: answer.code.to_string(), what }),
            };
            let missing = |step, result| Detector::Resolution { step, result };
            let (detector, after) = match answer.sign {
                Sign::Seen(seen) if refusals.contains(&seen) => {
                    (Detector::Condition(seen), some(of(&|s| s.risk == Risk::Safe), "is safe")?)
                }
                Sign::Seen(seen) => (Detector::Condition(seen), Vec::new()),
                Sign::Nothing(seen) => (Detector::Condition(seen), some(of(&|s| reads(&s.action)), "reads")?),
                Sign::Refused(seen) => (Detector::Condition(seen), some(of(&|s| s.risk > Risk::Safe), "is risky")?),
                Sign::NoRow(ref name) => {
                    let step = steps.iter().find(|s| s.action.target().is_some_and(|t| keeps_to_row(t, name)));
                    (missing(at(step, name)?, ResolutionResult::RowAbsent), Vec::new())
                }
                Sign::NoOption(ref name) => {
                    let step = steps.iter().find(|s| chooses(&s.action, name));
                    (missing(at(step, name)?, ResolutionResult::OptionAbsent), Vec::new())
                }
            };
            Ok(Outcome {
                code: answer.code,
                description: answer.description,
                detector,
                after,
                guard: answer.guard,
                application_code: answer.application_code,
                failure: answer.failure,
            })
        })
        .collect()
}

fn reads(action: &Action) -> bool {
    matches!(action, Action::Read { .. } | Action::ReadTable { .. })
}

fn chooses(action: &Action, name: &Name) -> bool {
    matches!(action, Action::Choose { option: ValueExpr::Parameter { name: chosen }, .. } if chosen == name)
}

/// Whether a ladder looks in the row of a parameter's value.
fn keeps_to_row(target: &Target, name: &Name) -> bool {
    target.candidates.iter().flat_map(rows_of).any(|marks| marks == name)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "documents are literals here")]

    use serde_json::json;

    use super::*;

    fn step(id: &str, risk: &str) -> Step {
        serde_json::from_value(json!({
            "id": id, "description": "", "risk": risk, "action": {"kind": "press_key", "key": "Tab"},
        }))
        .unwrap()
    }

    fn answer(code: &str, failure: bool, sign: Sign) -> Answer {
        let code = Name::new(code).unwrap();
        Answer { code, description: String::new(), sign, guard: None, application_code: None, failure }
    }

    /// After which steps each of the answers may come; nothing is anywhere.
    #[track_caller]
    fn check(answers: Vec<Answer>, expected: &[(&str, &str)]) {
        let steps = [step("sign_on", "safe"), step("pay", "risky"), step("look", "safe")];
        let placed: Vec<(String, String)> = outcomes(answers, &steps)
            .unwrap()
            .into_iter()
            .map(|o| (o.code.to_string(), o.after.iter().map(StepId::as_str).collect::<Vec<_>>().join(" ")))
            .collect();
        let expected: Vec<(String, String)> = expected.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
        assert_eq!(placed, expected);
    }

    fn says(text: &str) -> Condition {
        serde_json::from_value(json!({"kind": "text_present", "match": {"text": text}})).unwrap()
    }

    #[test]
    fn an_answer_for_after_the_risky_step_moves_no_other_answer() {
        check(
            vec![
                answer("payment_refused", false, Sign::Refused(says("Payment refused"))),
                answer("failed", true, Sign::Seen(says("It failed"))),
                answer("closed", false, Sign::Seen(says("We are closed"))),
            ],
            &[("payment_refused", "pay"), ("failed", ""), ("closed", "")],
        );
    }

    #[test]
    fn one_sign_is_the_refusal_after_the_risky_step_and_the_failure_elsewhere() {
        for failure in [true, false] {
            check(
                vec![
                    answer("payment_refused", false, Sign::Refused(says("It failed"))),
                    answer("failed", failure, Sign::Seen(says("It failed"))),
                    answer("broken", true, Sign::Seen(says("It is broken"))),
                ],
                &[("payment_refused", "pay"), ("failed", "sign_on look"), ("broken", "")],
            );
        }
    }
}
