//! What happens to a machine, as a text; and what it does, a line a turn.
//!
//! An input is `TIME WORD …`, and for `seen` the lines indented below it: `0 start`, `10 seen changing`,
//! `20 delivered`, `30 lost gone`, `40 refused policy_blocked RULE`, `50 no_credential NAME`, `60 captured`, `70 stop`,
//! and everything that [`crate::delivery`] and [`crate::observation`] know. `off_limits` on a `seen` line says that a
//! window has landed where it must not be.
//! `resume` is a `seen` behind which a person is done: `drove` says that one held control, `approved` that one said yes.
//! `given_up`: none lets it go on.

use waymark_replay::{Acted, Input, Machine, Next, Plan, What};
use waymark_run::Code;
use waymark_surface::{Observation, Refusal};

use crate::{app, delivery, events, observation, told};

/// What a machine does with a plan and what happens; both as text. The last lines tell how it ended.
///
/// # Panics
/// A text is not understood, or something happens that the machine did not ask for.
#[must_use]
pub fn play(plan: &str, script: &str) -> String {
    play_plan(app::plan(plan), script)
}

/// As [`play`], for a plan.
///
/// # Panics
/// As [`play`].
#[must_use]
pub fn play_plan(plan: Plan, script: &str) -> String {
    let inputs = inputs(script);
    let mut machine = Machine::new(plan).unwrap_or_else(|error| panic!("{error}"));
    let mut out = String::new();
    let mut asked: Option<Next> = None;
    for (label, input) in inputs {
        fits(asked.as_ref(), &input.what, &label);
        let turn = machine.step(input);
        out.push_str(&format!("{label}: {}\n", told::turn(&turn)));
        if matches!(turn.next, Next::Finish(_)) {
            out.push_str(&told::summary(&machine.summary()));
        }
        asked = Some(turn.next);
    }
    out
}

/// A machine that is told what it did not ask for tests nothing.
fn fits(asked: Option<&Next>, what: &What, label: &str) {
    let fits = match (asked, what) {
        (Some(Next::Finish(_)), _) => false,
        (_, What::Stop) | (None, What::Start) => true,
        (Some(Next::Observe { .. }), What::Seen { .. } | What::Lost(_)) => true,
        (Some(Next::Act { credential, .. }), What::NoCredential { .. }) => credential.is_some(),
        (Some(Next::Act { .. }), What::Acted(_)) => true,
        (Some(Next::Capture { .. }), What::Captured) => true,
        (Some(Next::Handoff(_)), What::Resume { .. } | What::GivenUp | What::Lost(_)) => true,
        _ => false,
    };
    assert!(fits, "`{label}` does not answer what was asked for: {asked:?}");
}

/// The inputs that a script stands for.
///
/// # Panics
/// The text is not understood.
#[must_use]
pub fn inputs(script: &str) -> Vec<(String, Input)> {
    let lines: Vec<&str> = script.lines().filter(|line| !line.trim().is_empty()).collect();
    let least = lines.iter().map(|l| l.len() - l.trim_start().len()).min().unwrap_or_default();
    let lines: Vec<&str> = lines.iter().map(|l| &l[least..]).collect();
    let mut out = Vec::new();
    let mut before: Option<Observation> = None;
    let mut at = 0;
    while at < lines.len() {
        let head = lines[at];
        let body: Vec<&str> = lines[at + 1..].iter().take_while(|l| l.starts_with(' ')).copied().collect();
        at += 1 + body.len();
        let (time, rest) = head.split_once(' ').unwrap_or_else(|| panic!("`{head}` is no input"));
        let at_ms = time.parse().unwrap_or_else(|_| panic!("`{head}` does not begin with a time"));
        let what = what(rest, &body, &mut before);
        let label = rest.split(' ').next().unwrap_or_default();
        out.push((format!("{time} {label}"), Input { at_ms, what }));
    }
    out
}

fn what(text: &str, body: &[&str], before: &mut Option<Observation>) -> What {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    match word {
        "start" => What::Start,
        "seen" => {
            let off_limits = rest.contains("off_limits");
            let seen = observation(&rest.replace("off_limits", ""), body, before.as_ref());
            *before = Some(seen.clone());
            let off_limits = off_limits.then(|| ("deny:administration".into(), "http://app.test/admin/x".into()));
            What::Seen { seen: Box::new(seen), off_limits }
        }
        "resume" => {
            let mut head: Vec<&str> = rest.split_whitespace().collect();
            let mut said = |word: &str| head.iter().position(|w| *w == word).map(|at| head.remove(at)).is_some();
            let (drove, approved, off) = (said("drove"), said("approved"), said("off_limits"));
            let seen = observation(&head.join(" "), body, before.as_ref());
            *before = Some(seen.clone());
            let off_limits = off.then(|| ("deny:administration".into(), "http://app.test/admin/x".into()));
            What::Resume { seen: Box::new(seen), off_limits, drove, approved }
        }
        "given_up" => What::GivenUp,
        "lost" => What::Lost(events::driver_error(rest)),
        "refused" => {
            let (code, rule) = rest.split_once(' ').expect("code and rule of a refusal");
            let code = Code::from_word(code).unwrap_or_else(|| panic!("`{code}` is no code"));
            let message = "the gate says no".into();
            let refusal =
                Refusal { number: 1, code, risk: waymark_artifact::Risk::Risky, rule: rule.to_owned(), message };
            What::Acted(Acted::Refused(refusal))
        }
        "no_credential" => {
            let name = waymark_artifact::Name::new(rest).unwrap_or_else(|error| panic!("{error}"));
            What::NoCredential { name, why: "its source is empty".into() }
        }
        "captured" => What::Captured,
        "stop" => What::Stop,
        _ => What::Acted(Acted::Done(delivery(text))),
    }
}
