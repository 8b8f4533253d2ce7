//! The verdict on one goal: from what the engine saw, and never from what a model says of it.

use schemars::JsonSchema;
use serde::Serialize;
use waymark_discovery::Standing;
use waymark_run::Code;

/// What a goal came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// Every condition held at the end, as the engine itself found.
    Pass,
    /// The job was carried to its end, and a condition does not hold, or the application gave another answer that is declared.
    Fail,
    /// It could not be judged. That is no evidence of health.
    Inconclusive,
}

impl Verdict {
    /// The word as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Pass => "PASS",
            Verdict::Fail => "FAIL",
            Verdict::Inconclusive => "INCONCLUSIVE",
        }
    }

    /// What several come to together: one that failed fails all, and one that could not be judged leaves all unjudged.
    pub(crate) fn of_all(all: impl IntoIterator<Item = Verdict>) -> Verdict {
        all.into_iter().fold(Verdict::Pass, |worst, next| match (worst, next) {
            (Verdict::Fail, _) | (_, Verdict::Fail) => Verdict::Fail,
            (Verdict::Inconclusive, _) | (_, Verdict::Inconclusive) => Verdict::Inconclusive,
            (Verdict::Pass, Verdict::Pass) => Verdict::Pass,
        })
    }
}

/// What the engine saw at the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    /// What each condition came to; none where it did not come to an end.
    pub(crate) conditions: &'a [Standing],
    /// Whether a declared answer of the application stood there.
    pub(crate) answered: bool,
    /// Whether the policy refused something that was never done.
    pub(crate) refused: bool,
}

/// The verdict. `ended` is the code with which the discovery ended: `None` where the model said "done" and the engine found
/// nothing missing.
pub(crate) fn verdict(ended: Option<Code>, seen: Seen<'_>) -> Verdict {
    // Only "done" and "it cannot be done" are an end of the job; whatever else stops it says nothing of the application.
    match ended {
        None | Some(Code::NotProven | Code::Blocked) if seen.answered => Verdict::Fail,
        None if !seen.conditions.is_empty() && seen.conditions.iter().all(|of| *of == Standing::Holds) => Verdict::Pass,
        // What the policy kept from being done is not missing by a fault of the application.
        Some(Code::NotProven) if !seen.refused && seen.conditions.contains(&Standing::Unmet) => Verdict::Fail,
        _ => Verdict::Inconclusive,
    }
}

#[cfg(test)]
mod tests {
    use waymark_run::CODES;

    use super::*;

    const ALL: [Standing; 4] = [Standing::Holds, Standing::Stood, Standing::Unmet, Standing::Unknown];

    /// Every ending with every pair of conditions, with and without an answer and a refusal.
    fn each(check: impl Fn(Option<Code>, Seen<'_>, Verdict)) {
        let codes = CODES.iter().map(|row| Some(row.code)).chain([None]);
        for ended in codes {
            let mut lists: Vec<Vec<Standing>> = vec![Vec::new()];
            lists.extend(ALL.map(|one| vec![one]));
            lists.extend(ALL.iter().flat_map(|one| ALL.map(|other| vec![*one, other])));
            for conditions in &lists {
                for (answered, refused) in [(false, false), (false, true), (true, false), (true, true)] {
                    let seen = Seen { conditions, answered, refused };
                    check(ended, seen, verdict(ended, seen));
                }
            }
        }
    }

    #[test]
    fn a_goal_passes_only_where_the_engine_found_every_condition_to_hold_and_no_other_answer() {
        each(|ended, seen, came| {
            let holds = !seen.conditions.is_empty() && seen.conditions.iter().all(|of| *of == Standing::Holds);
            let passes = ended.is_none() && holds && !seen.answered;
            assert_eq!(came == Verdict::Pass, passes, "{ended:?} {seen:?}");
        });
    }

    #[test]
    fn a_goal_fails_only_at_the_end_of_its_job_and_by_what_stood_there() {
        each(|ended, seen, came| {
            let ends = matches!(ended, None | Some(Code::NotProven | Code::Blocked));
            let unmet = ended == Some(Code::NotProven) && seen.conditions.contains(&Standing::Unmet) && !seen.refused;
            assert_eq!(came == Verdict::Fail, (ends && seen.answered) || unmet, "{ended:?} {seen:?}");
        });
    }

    #[test]
    fn every_ending_that_says_nothing_of_the_application_is_inconclusive_whatever_stood_there() {
        let judged = [Code::NotProven, Code::Blocked];
        let mut codes = 0;
        for row in CODES.iter().filter(|row| !judged.contains(&row.code)) {
            codes += 1;
            for conditions in [&[][..], &[Standing::Holds], &[Standing::Unmet]] {
                let seen = Seen { conditions, answered: true, refused: false };
                assert_eq!(verdict(Some(row.code), seen), Verdict::Inconclusive, "{}", row.code);
            }
        }
        assert_eq!(codes, CODES.len() - judged.len());
    }

    #[test]
    fn one_goal_that_fails_fails_all_and_one_that_cannot_be_judged_never_passes() {
        use Verdict::{Fail, Inconclusive, Pass};
        assert_eq!(Verdict::of_all([Pass, Pass]), Pass);
        assert_eq!(Verdict::of_all([Pass, Inconclusive, Pass]), Inconclusive);
        assert_eq!(Verdict::of_all([Inconclusive, Fail, Pass]), Fail);
        assert_eq!(Verdict::of_all([Fail, Inconclusive]), Fail);
    }
}
